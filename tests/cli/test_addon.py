"""`gemtape addon` prints a path, and does not need mitmproxy for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gemtape.proxy import addon_file


def test_prints_the_file_that_mitmproxy_loads():
    script = (
        "import sys; sys.modules['mitmproxy'] = None; sys.argv = ['gemtape', 'addon'];"
        "from gemtape.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == f"{Path(addon_file.__file__)}\n"
    assert done.stderr == ""
