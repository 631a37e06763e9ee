"""`python -m gemtape.cli` is `gemtape`."""

from __future__ import annotations

from .main import main

main()
