"""A rule's page taken apart."""

from __future__ import annotations

from gemtape.checks.finding import Severity
from gemtape.checks.page import parse_page

PAGE = """What is wrong.

What it finds
    One thing
    on two lines.

    And another.

Bad
    request [
        {"role": "user"}
    ]

Severity
    error on Vertex; warning elsewhere, and errors where it is refused: error.
"""


def test_the_first_line_is_the_summary():
    assert parse_page(PAGE).summary == "What is wrong."


def test_sections_keep_their_order_and_lose_their_indentation():
    page = parse_page(PAGE)

    assert list(page.sections) == ["What it finds", "Bad", "Severity"]
    assert page.sections["What it finds"] == "One thing\non two lines.\n\nAnd another."
    assert page.sections["Bad"] == 'request [\n    {"role": "user"}\n]'


def test_severities_are_those_that_the_page_names_the_usual_one_first():
    assert parse_page(PAGE).severities == (Severity.ERROR, Severity.WARNING)


def test_a_page_of_one_line_has_no_sections():
    page = parse_page("What is wrong.")

    assert (page.summary, page.sections, page.severities) == ("What is wrong.", {}, ())
