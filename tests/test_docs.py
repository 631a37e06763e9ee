"""What is made from the source is as the source says: ``make docs`` has been run; links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from gemtape.cassettes.transcript import read_transcript

DOCS = Path(__file__).parents[1] / "docs"
WRITTEN = sorted([*DOCS.glob("*.md"), *DOCS.parent.glob("*.md"), *DOCS.parent.glob("examples/*/*.md")])


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


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_links_lead_to_a_page_and_a_heading(page: Path):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("https:", "http:")):
            name, _, anchor = target.partition("#")
            path = page.parent / name if name else page
            assert path.exists(), target
            assert not anchor or anchor in _anchors(path.read_text(encoding="utf-8")), target


def test_the_transcript_written_by_hand_is_one(tmp_path: Path):
    page = (DOCS / "transcripts.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ cat weather\.jsonl\n(.*?)^\$ ", page, re.DOTALL | re.MULTILINE)
    assert shown is not None
    (tmp_path / "weather.jsonl").write_text(shown[1], encoding="utf-8")

    assert len(list(read_transcript(tmp_path / "weather.jsonl"))) == 2


def _anchors(text: str) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
