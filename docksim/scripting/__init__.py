"""What a Python user holds in the hand: a scenario to change, a run to step, a result, a study."""
