"""Addresses as options, and whether a run may use them."""

from __future__ import annotations

from typing import Any, cast

import click

from docksim.realtime.addresses import (
    LOOPBACK,
    Address,
    AddressError,
    is_loopback,
    is_one_host,
    reaches,
    resolved,
    written,
)


class _Endpoint(click.ParamType):
    """PORT, or HOST:PORT; the host is looked up here, once."""

    name = "[host:]port"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        if isinstance(value, tuple):
            return cast("Address", value)
        host, _, port = str(value).rpartition(":")
        if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536):
            self.fail(f"{value!r}: expected a port such as 47001, or host:port", param, ctx)
        try:
            return resolved(host or LOOPBACK, int(port))
        except AddressError as error:
            self.fail(str(error), param, ctx)


ENDPOINT = _Endpoint()


def check_network(listen: Address | None, peer: Address | None, watcher: Address | None, is_open: bool) -> None:
    """Talking beyond this machine is the user's express wish; talking to oneself is nobody's."""
    for name, address in (("--peer", peer), ("--watch-at", watcher)):
        if address is not None and not is_one_host(address):
            raise click.UsageError(f"{name} {written(address)} is no address of one program; name its host and port")
        if address is not None and listen is not None and reaches(address, listen):
            raise click.UsageError(f"{name} {written(address)} is where --bridge itself listens; choose another port")
    for name, address in (("--bridge", listen), ("--peer", peer), ("--watch-at", watcher)):
        if address is None or is_loopback(address):
            continue
        if not is_open:
            raise click.UsageError(f"{name} {address[0]} is beyond loopback: --open-network allows it")
        click.echo(f"warning: {name} {address[0]}: anyone on that network can send packets to this run", err=True)
