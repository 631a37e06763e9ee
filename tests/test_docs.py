"""What is made from the source is as the source says: ``make docs`` has been run."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


def test_rule_pages_are_those_of_the_rules(generated: dict[str, str]):
    """If this fails, run ``make docs``."""
    written = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "rules").iterdir()}

    assert sorted(written) == sorted(generated)
    assert [name for name in written if written[name] != generated[name]] == []


def test_the_index_links_to_every_page(generated: dict[str, str]):
    links = re.findall(r"\]\(([a-z-]+\.md)\)", generated["README.md"])

    assert sorted([*links, "README.md"]) == sorted(generated)


def test_pages_hold_no_markup_of_docstrings(generated: dict[str, str]):
    prose = {name: re.sub(r"```.*?```", "", text, flags=re.DOTALL) for name, text in generated.items()}

    assert [name for name, text in prose.items() if "``" in text] == []
