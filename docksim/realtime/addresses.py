"""Where to listen and talk: names are looked up once, before a run, since a cycle cannot wait for a name server and
packets come from numbers."""

from __future__ import annotations

import ipaddress
import socket

Address = tuple[str, int]
LOOPBACK = "127.0.0.1"


class AddressError(ValueError):
    """An address that cannot be used; the message says why."""


def resolved(host: str, port: int) -> Address:
    """The address with its host as four numbers."""
    try:
        answers = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
        return str(ipaddress.IPv4Address(answers[0][4][0])), port
    except (OSError, ValueError, IndexError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "not a name or an IPv4 address"
        raise AddressError(f"'{host}' cannot be resolved to an IPv4 address: {why}") from error


def is_loopback(address: Address) -> bool:
    """Does what is sent there stay on this machine? For resolved addresses."""
    return ipaddress.IPv4Address(address[0]).is_loopback


def is_one_host(address: Address) -> bool:
    """Can packets come from there?"""
    host = ipaddress.IPv4Address(address[0])
    return address[1] > 0 and not (host.is_unspecified or host.is_multicast or host == ipaddress.IPv4Address(2**32 - 1))


def reaches(address: Address, listener: Address) -> bool:
    """Would a packet to the address come to the listener, as far as one can tell?"""
    everywhere = ipaddress.IPv4Address(listener[0]).is_unspecified and is_loopback(address)
    return address[1] == listener[1] > 0 and (everywhere or address[0] == listener[0])


def written(address: Address) -> str:
    return f"{address[0]}:{address[1]}"
