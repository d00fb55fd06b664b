"""docksim cluster: the scheduler and the workers that studies with --cluster run on."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from docksim.cli.loading import complaints
from docksim.jobs.compiling import compile_first
from docksim.jobs.signals import interrupted
from docksim.result.result import ResultError
from docksim.simulation.run import prepare_kernel
from docksim.simulation.threads import STACK_BYTES, available_cores
from docksim.study.cluster import MISSING
from docksim.study.cluster_key import SCHEME, ClusterKey, new_key, read_key

LOOPBACK_HOST = "127.0.0.1"
KEY_FILE = Path("cluster.key")
# without these dask would serve pages about its work, to whoever asks
QUIET = {
    "logging": {"distributed": "error"},
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@click.group(short_help="A scheduler and workers for studies on several machines.")
def cluster() -> None:
    """Workers for docksim study FILE --cluster KEYFILE, on this machine or on several (extra: docksim[cluster]).

    All traffic is encrypted, and only who has the key file takes part: the scheduler makes it anew at each start.

    \b
    docksim cluster scheduler                      # in one terminal; writes cluster.key
    docksim cluster worker cluster.key             # in another, as often as you like
    """


@cluster.command(short_help="Start the scheduler.")
@click.option("--host", default=LOOPBACK_HOST, show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="0 takes a free one.")
@click.option("--key-file", type=click.Path(path_type=Path), default=KEY_FILE, show_default=True,
              help="Where to write address and key, for you alone.")  # fmt: skip
def scheduler(host: str, port: int, key_file: Path) -> None:
    """Start the scheduler, which hands cases to workers; Ctrl-C ends it. It listens on this machine only by default.

    Whoever has the key file can run any code as you; workers on other machines need a copy of it.
    """
    _need_dask()
    try:
        asyncio.run(_schedule(host, port, key_file))
    except KeyboardInterrupt:
        raise click.exceptions.Exit(interrupted()) from None
    except Exception as error:
        raise click.ClickException(f"{host}:{port}: {type(error).__name__}: {error}") from error


async def _schedule(host: str, port: int, key_file: Path) -> None:
    """Serve until something ends it; the key file is there meanwhile."""
    with _quiet_dask():
        from distributed import Scheduler

        key = new_key()
        nowhere = f"{LOOPBACK_HOST}:0"
        options: dict[str, Any] = {"protocol": SCHEME, "dashboard": False, "dashboard_address": nowhere}
        async with Scheduler(host=host, port=port, security=key.security(), **options) as server:
            key = replace(key, address=server.address)
            key.write(key_file)
            try:
                click.echo(f"scheduler at {key.address}; who has {key_file} can use it")
                click.echo(f"docksim cluster worker {key_file}          # adds a worker, as often as you like")
                click.echo(f"docksim study FILE --cluster {key_file}    # runs a study on them")
                await server.finished()
            finally:
                with suppress(ResultError):
                    if read_key(key_file) == key:
                        key_file.unlink()


@cluster.command(short_help="Start a worker.")
@click.argument("key_file", type=click.Path(path_type=Path))
@click.option("--threads", type=click.IntRange(min=1), help="Cases at a time.  [default: all cores]")
@click.option("--host", help="Address to listen on.  [default: loopback, if the scheduler is there]")
def worker(key_file: Path, threads: int | None, host: str | None) -> None:
    """Start a worker of the scheduler that wrote KEY_FILE; it ends with the scheduler, or by Ctrl-C."""
    _need_dask()
    with complaints():
        key = read_key(key_file)
    compile_first(click.echo)
    threading.stack_size(STACK_BYTES)
    prepare_kernel()
    try:
        asyncio.run(_work(key, threads, host or (LOOPBACK_HOST if is_loopback(key.address) else None)))
    except KeyboardInterrupt:
        raise click.exceptions.Exit(interrupted()) from None
    except Exception as error:
        raise click.ClickException(f"{key.address}: {type(error).__name__}: {error}") from error


async def _work(key: ClusterKey, threads: int | None, host: str | None) -> None:
    with _quiet_dask():
        from distributed import Worker

        options: dict[str, Any] = {"nthreads": threads or available_cores(), "host": host, "memory_limit": 0}
        options |= {"dashboard": False, "dashboard_address": f"{LOOPBACK_HOST}:0", "death_timeout": 30}
        async with Worker(key.address, security=key.security(), **options) as server:
            click.echo(f"worker at {server.address}, {server.state.nthreads} cases at a time")
            await server.finished()


def is_loopback(address: str) -> bool:
    """Whether a host, or an address such as tcp://127.0.0.1:8786, is of this machine alone."""
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _need_dask() -> None:
    if find_spec("distributed") is None or find_spec("cryptography") is None:
        raise click.ClickException(MISSING)


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Around dask's first import, which is when it reads how much to say.

    Modules are looked for in dask's scratch folder, too: it is made anew, for the user alone.
    """
    import dask

    with tempfile.TemporaryDirectory() as folder, dask.config.set({**QUIET, "temporary-directory": folder}):
        yield
