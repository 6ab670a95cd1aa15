"""Rules for changed tests: what they no longer demand, and tests that test something else."""
