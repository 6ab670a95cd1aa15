"""Rules for changed tests: what they no longer assert, and tests that test something else."""
