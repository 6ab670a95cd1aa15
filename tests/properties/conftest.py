"""How long we look for a counterexample. In CI always the same ones, so that a red run is about the change."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "loopwright",
    max_examples=150,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("loopwright")
