"""Compiled code: how kernels are called, where their machine code comes from, how it is made.

`decorators` mark kernels, `kinds` and `calls` take arguments across, `libraries` finds code that fits the sources (the
library that came with the installation, the cache, a build, or ordinary compilation), `loading` takes it into memory,
`builder` makes it, `ordinary` has numba compile. Nothing here imports numba before something must be compiled.
"""
