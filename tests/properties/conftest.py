"""How long we look for a counterexample. In CI always the same ones, so that a red run is about the change."""

import os

from hypothesis import HealthCheck, settings

from tests.torture.size import size

settings.register_profile(
    "loopwright",
    max_examples=size(commit=20, long=150),
    deadline=None,
    derandomize=bool(os.environ.get("LOOP_NEEDS_CLIENT")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("loopwright")
