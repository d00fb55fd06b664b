"""From Python sources to object code: numba's front end by function, LLVM once for a whole library.

Runs in a process of its own (`python -m docksim.native.builder`), since it takes numba's inner classes apart, which
nobody's program should see. Ordinary compilation optimises and emits every function again at each level of the call
tree; here the functions stay apart as they are lowered (`units`), are kept by what they depend on, and are linked,
optimised and emitted once (`link`). Bundles of tables are one address (`types`).
"""
