"""The file that stock mitmproxy loads: ``mitmdump --mode reverse:… -s "$(gemtape addon)" --set gemtape=run.db``."""

from __future__ import annotations

from gemtape.proxy.stock import StockAddon  # pyright: ignore[reportMissingImports] - the checker looks at folders

addons = [StockAddon()]
