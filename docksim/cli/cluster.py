"""docksim cluster: the scheduler and the workers that studies with --cluster run on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import click

from docksim.cli.progress import compile_first
from docksim.simulation.run import prepare_kernel
from docksim.simulation.threads import STACK_BYTES, available_cores
from docksim.study.cluster import MISSING

LOOPBACK_HOST = "127.0.0.1"
TRUST = (
    "warning: {what} listens beyond this machine. Whoever reaches it can run any code as this user; "
    "open it to people you trust only, or use TLS (see docs/studies.md)"
)


HERE = (
    "warning: every user of this machine who reaches {what} can run any code as this user; use it on machines that "
    "are yours alone, or use TLS (see docs/studies.md)"
)


@click.group(short_help="A scheduler and workers for studies on several machines.")
def cluster() -> None:
    """Workers for docksim study FILE --cluster ADDRESS, on this machine or on several (extra: docksim[cluster]).

    \b
    docksim cluster scheduler                      # in one terminal; says its ADDRESS
    docksim cluster worker tcp://127.0.0.1:8786    # in another, as often as you like
    """


@cluster.command(short_help="Start the scheduler.")
@click.option("--host", default=LOOPBACK_HOST, show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="0 takes a free one.")
def scheduler(host: str, port: int) -> None:
    """Start the scheduler, which hands cases to workers; Ctrl-C ends it. It listens on this machine only by default."""
    _need_dask()
    click.echo((HERE if is_loopback(host) else TRUST).format(what="the scheduler"), err=True)

    async def serve() -> None:
        from distributed import Scheduler

        async with Scheduler(host=host, port=port, dashboard=False, dashboard_address=f"{LOOPBACK_HOST}:0") as server:
            click.echo(f"scheduler at {server.address}; docksim cluster worker {server.address} adds a worker")
            await server.finished()

    _until_stopped(serve(), f"{host}:{port}")


@cluster.command(short_help="Start a worker.")
@click.argument("address")
@click.option("--threads", type=click.IntRange(min=1), help="Cases at a time.  [default: all cores]")
@click.option("--host", help="Address to listen on.  [default: loopback, if the scheduler is there]")
def worker(address: str, threads: int | None, host: str | None) -> None:
    """Start a worker of the scheduler at ADDRESS; it ends with the scheduler, or by Ctrl-C."""
    _need_dask()
    host = host or (LOOPBACK_HOST if is_loopback(address) else None)
    alone = host is not None and is_loopback(host)
    click.echo((HERE if alone else TRUST).format(what="the worker"), err=True)
    compile_first(click.echo)
    threading.stack_size(STACK_BYTES)
    prepare_kernel()

    async def serve() -> None:
        from distributed import Worker

        options: dict[str, Any] = {"nthreads": threads or available_cores(), "host": host, "memory_limit": 0}
        options |= {"dashboard": False, "dashboard_address": f"{LOOPBACK_HOST}:0", "death_timeout": 30}
        async with Worker(address, **options) as server:
            click.echo(f"worker at {server.address}, {server.state.nthreads} cases at a time")
            await server.finished()

    _until_stopped(serve(), address)


def is_loopback(address: str) -> bool:
    """Whether a host, or an address such as tcp://127.0.0.1:8786, is of this machine alone."""
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _need_dask() -> None:
    if find_spec("distributed") is None:
        raise click.ClickException(MISSING)


def _until_stopped(work: Coroutine[Any, Any, None], address: str) -> None:
    """Serve until Ctrl-C; what keeps it from starting is one line."""
    import dask

    # before its first import, which is when it reads this
    dask.config.set({"logging": {"distributed": "error"}})
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    except Exception as error:
        raise click.ClickException(f"{address}: {type(error).__name__}: {error}") from error
