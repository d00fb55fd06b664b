"""Compile the kernel and the code of chains ahead of the first run: `python -m docksim.warm`. Later ones load them."""

from __future__ import annotations

from docksim.chain.dynamics import prepare_chains
from docksim.simulation import kernel_is_cached, prepare_kernel


def main() -> None:
    cached = kernel_is_cached()
    print(f"kernel {'loaded from the cache' if cached else 'compiled'} in {prepare_kernel():.1f} s")
    print(f"chains ready in {prepare_chains():.1f} s")


if __name__ == "__main__":
    main()
