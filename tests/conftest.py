"""What every test gets without asking: an environment that says nothing about keys, upstreams or proxies.

Fixtures beyond that are named by the tests that use them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same examples on every run, and no clock: a slow machine is not a failure.
settings.register_profile("gemtape", deadline=None, derandomize=True)
settings.load_profile("gemtape")

# Keys and upstreams of the person who runs the tests, proxies that would swallow loopback traffic, and the variable
# that makes TLS libraries write their secrets to a file.
_FOREIGN = re.compile(
    r"(GEMINI|GOOGLE|GCLOUD|CLOUDSDK|VERTEX|VERTEXAI|OPENAI|GEMTAPE)_.*|.*_proxy|(MITMPROXY_)?SSLKEYLOGFILE",
    re.IGNORECASE,
)


@pytest.fixture(scope="session", autouse=True)
def outside_environ() -> Iterator[dict[str, str]]:
    """Scrub `os.environ` for the whole session; the value is the environment as it was, for package installers."""
    before = dict(os.environ)
    with pytest.MonkeyPatch.context() as patch:
        for name in before:
            if _FOREIGN.fullmatch(name):
                patch.delenv(name)
        yield before
