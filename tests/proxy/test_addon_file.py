"""The file that is handed to stock mitmproxy; what it does there is proved with the addon it holds."""

from __future__ import annotations

import ast
from pathlib import Path

from gemtape.proxy import addon_file
from gemtape.proxy.stock import StockAddon


def test_file_holds_the_addon():
    assert [type(addon) for addon in addon_file.addons] == [StockAddon]


def test_file_can_be_loaded_by_its_path():
    """Mitmproxy loads it outside any package, where a relative import fails."""
    tree = ast.parse(Path(addon_file.__file__).read_text())

    assert [node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] == [0, 0]
