"""Which gemtape this is, as its package metadata says."""

from __future__ import annotations

from importlib import metadata
from typing import Final

VERSION: Final = metadata.version("gemtape")
"""The installed version, such as ``0.1.0``."""
