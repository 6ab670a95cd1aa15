"""How long we look for a counterexample. In CI always the same ones, so that a red run is about the change."""

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.torture.size import FIGURES, size

settings.register_profile(
    "loopwright",
    max_examples=size(commit=12, long=150),
    deadline=None,
    derandomize=bool(os.environ.get("LOOP_NEEDS_CLIENT")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("loopwright")
if not FIGURES:
    # It also tries the constants of all the modules that are loaded by now, which differ from worker to worker: so the
    # examples would not be the same ones, and each worker reads the source for 2 s.
    vars(providers)["is_local_module_file"] = lambda path: False
