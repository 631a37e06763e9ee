"""Write docs/rules from the pages of the rules, and docs/clients.md from the runs of the clients: ``make docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from gemtape.checks.page import EXAMPLES, parse_page
from gemtape.checks.registry import RULES
from gemtape.checks.rule import Rule

FOLDER: Final = Path(__file__).parent / "rules"
INDEX: Final = "README.md"

_INTRO: Final = """\
# The rules

What gemtape looks for in every recorded request and answer. `gemtape rules` prints this list, `gemtape rules NAME` a
rule's page. These pages are made from the rules by `make docs`: edit the docstring in `checks/rules/`, not the page.
How a report is read is said in [reading a recording](../report.md).

| rule | severity | what it objects to |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """The text of every file in docs/rules, by its name."""
    found = {INDEX: _INTRO + "".join(_row(rule) for rule in RULES)}
    for rule in RULES:
        found[f"{rule.name}.md"] = _page(rule)
    return found


def main() -> None:
    """Write what is missing or stale, and remove what no rule stands for."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    (FOLDER.parent / "clients.md").write_text(_clients_page(), encoding="utf-8")


def _clients_page() -> str:
    sys.path.insert(0, str(FOLDER.parents[1]))  # a script is only given its own folder
    from tests.e2e.page import page  # noqa: PLC0415 - found from here on

    return page()


def _row(rule: Rule) -> str:
    severities = ", ".join(parse_page(rule.page).severities)
    return f"| [{rule.name}]({rule.name}.md) | {severities} | {_markdown(rule.summary)} |\n"


def _page(rule: Rule) -> str:
    page = parse_page(rule.page)
    blocks = [f"# {rule.name}", _markdown(page.summary)]
    for heading, text in page.sections.items():
        blocks += [f"## {heading}", f"```text\n{text}\n```" if heading in EXAMPLES else _markdown(text)]
    blocks.append(f"[All rules]({INDEX})")
    return "\n\n".join(blocks) + "\n"


def _markdown(text: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", text)


if __name__ == "__main__":
    main()
