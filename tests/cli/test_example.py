"""The example's table: results as JSON has them."""

from __future__ import annotations

import pytest

from gemtape.cli.example import show_example


def test_a_text_is_told_from_a_number(capsys: pytest.CaptureFixture[str]):
    show_example(
        proposal="string-number",
        validation="none",
        mode=None,
        allowed=(),
        every=None,
        repairs=1,
        as_json=False,
    )

    assert '"103"' in capsys.readouterr().out.splitlines()[-1]
