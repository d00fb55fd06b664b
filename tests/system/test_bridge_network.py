"""Where a bridge may listen and talk: names, loopback, ports, and options that would do nothing."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.realtime import addresses, packets
from docksim.realtime.addresses import AddressError, resolved
from docksim.realtime.bridge import Bridge, BridgeError, Link
from docksim.realtime.packets import encode
from tests.system.bridge_desk import PATIENT, floating, wrench

FILE = Path(__file__).resolve().parents[2] / "scenarios" / "tumbling_brick.yaml"
NAMES = {
    "rig.local": "10.1.2.3",
    "127.evil.example": "10.9.9.9",
    "127.0.0.1.nip.example": "10.7.7.7",
    "home.example": "127.0.0.1",
    "localhost": "127.0.0.1",
}


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A name server that knows some names, and what it was asked for."""
    asked, real = [], socket.getaddrinfo

    def look_up(host: str, *rest: Any, **options: Any) -> Any:
        if host[:1].isalpha() or host in NAMES:
            asked.append(host)
            if host not in NAMES:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            host = NAMES[host]
        return real(host, *rest, **options)

    monkeypatch.setattr(addresses.socket, "getaddrinfo", look_up)
    return asked


def command(*arguments: str) -> tuple[int, str]:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["realtime", str(FILE), *arguments], catch_exceptions=False)
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bridge", "127.evil.example:1"], "--bridge 10.9.9.9 is beyond loopback"),
        (["--bridge", "0", "--peer", "127.0.0.1.nip.example:5"], "--peer 10.7.7.7 is beyond loopback"),
        (["--watch-at", "rig.local:5"], "--watch-at 10.1.2.3 is beyond loopback"),
        (["--bridge", "0.0.0.0:0"], "--bridge 0.0.0.0 is beyond loopback"),
        (["--bridge", "0", "--peer", "nobody.example:5"], "'nobody.example' cannot be resolved to an IPv4 address"),
        (["--bridge", "::1:5"], "'::1' cannot be resolved to an IPv4 address"),
        (["--bridge", f"{'x' * 300}.example:5"], "cannot be resolved to an IPv4 address"),
        (["--bridge", "a\0b:5"], "cannot be resolved to an IPv4 address"),
        (["--bridge", "²"], "expected a port such as 47001"),
        (["--bridge", "9" * 5000], "expected a port such as 47001"),
        (["--bridge", "65536"], "expected a port such as 47001"),
        (["--bridge", "0", "--peer", "0"], "--peer 127.0.0.1:0 is no address of one program"),
        (["--bridge", "0", "--peer", "0.0.0.0:5", "--open-network"], "--peer 0.0.0.0:5 is no address of one program"),
        (["--bridge", "47001", "--peer", "home.example:47001"], "--peer 127.0.0.1:47001 is where --bridge itself"),
        (["--bridge", "47001", "--watch-at", "47001"], "--watch-at 127.0.0.1:47001 is where --bridge itself listens"),
        (["--bridge", "0.0.0.0:47001", "--peer", "47001", "--open-network"], "is where --bridge itself listens"),
        (["--send", "motion"], "--send does nothing by itself: it needs --bridge"),
        (["--hold", "3"], "--hold does nothing by itself: it needs --bridge"),
        (["--measured-motion", "all"], "--measured-motion does nothing by itself: it needs --bridge"),
        (["--lead", "0.001"], "--lead does nothing by itself: it needs --measured-contact"),
        (["--bridge", "0", "--passive"], "--passive does nothing by itself: it needs --measured-contact"),
        (["--bridge", "0", "--rig-delay", "0.1"], "--rig-delay does nothing by itself: it needs --measured-contact"),
        (["--bridge", "0", "--rig-bandwidth", "9"], "--rig-bandwidth does nothing by itself"),
        (["--bridge", "0", "--measured-motion", "moon"], "no frame 'moon'; there are brick"),
    ],
)
def test_wrong_use_is_told_before_anything_runs(arguments: list[str], words: str, lookups: list[str]) -> None:
    code, output = command(*arguments, "--no-plots")
    assert (code, words in output) == (2, True), output


def test_names_are_looked_up_once_and_answers_come_from_their_numbers(lookups: list[str]) -> None:
    assert resolved("127.1", 5) == ("127.0.0.1", 5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        bridge = Bridge(Link(("localhost", 0), ("home.example", peer.getsockname()[1])))
        asked = list(lookups)
        for _ in range(3):
            bridge.send(packets.STATE, b"", 0.0, 0)
        assert bridge._judge(memoryview(encode(packets.HELLO)), peer.getsockname(), Nothing()) == ""
        bridge.close()
    assert sorted(asked) == ["home.example", "localhost"]
    assert lookups == asked
    with pytest.raises(AddressError, match=r"'nobody\.example' cannot be resolved"):
        Bridge(Link(peer=("nobody.example", 5)))


class Nothing:
    """Inputs that a greeting does not need."""

    largest = 1000


def test_port_that_another_has_is_named_with_the_cause() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        with pytest.raises(BridgeError, match=f"cannot listen at 127.0.0.1:{port}: Address already in use"):
            Bridge(Link(("127.0.0.1", port)))
        code, output = command("--bridge", str(port), "--duration", "0.1", "--rate", "100", "--no-plots")
    assert code == 1
    assert f"Error: the bridge cannot listen at 127.0.0.1:{port}: Address already in use" in output


def test_bridge_tells_where_it_listens_and_whom_it_waits_for(desks: Any) -> None:
    told: list[str] = []
    desk = desks(floating(), {**PATIENT, "note": told.append}, ports=["mass.hook"])
    assert told == ["bridge: listening at {}:{} (UDP), peer {}:{}".format(*desk.bridge.address, *desk.bridge.peer)]
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)))
    desk.go()
    assert len(told) == 1
    desk.cycle.talk = replace(desk.cycle.talk, lockstep="lead")
    assert desk.cycle._greeting() == f"{told[0]}; in lock-step: waits for the peer, 60 s at most"
