"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is no failure: nothing here depends on time.
settings.register_profile("pellucid", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pellucid")
