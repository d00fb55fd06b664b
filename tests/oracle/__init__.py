"""Independent references for docksim: closed forms, high-order integrations, and Pinocchio.

Nothing here imports docksim. Each module states its formulas and where they come from, and is itself checked against
another formulation in test_oracles.py and test_tree_oracles.py.
"""
