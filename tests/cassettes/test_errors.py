"""One tree of errors, as its docstring draws it."""

from __future__ import annotations

import inspect
import re

from gemtape.cassettes import errors


def test_the_tree_in_the_docstring_is_the_tree():
    classes = [
        item for _, item in inspect.getmembers(errors, inspect.isclass) if item.__module__ == errors.__name__
    ]
    drawn: dict[str, int] = {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"    ([│├└─ ]*)([A-Z]\w+)", line):
            drawn[found.group(2)] = len(found.group(1)) // 4
    depths = {item.__name__: len(item.__mro__) - len(errors.GemtapeError.__mro__) for item in classes}

    assert drawn == depths
    assert all(item.__doc__ for item in classes)
