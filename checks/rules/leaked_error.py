r"""A function's result holds a stack trace or a storage exception.

What it finds
    In the texts of a functionResponse, JSON within them included: the stack traces of the usual languages, and the
    exceptions of databases and cloud storage, by their own wording.

Why it matters
    The model reads it and may tell it to the user: file paths, table names, queries, versions. It rarely helps the model
    to go on; one sentence that says what to do instead does.

Bad
    request [
        {"role": "user", "parts": [{"text": "Status of ORD-100?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_order", "response": {"error":
            "Traceback (most recent call last):\n  File \"/srv/app/orders.py\", line 31, in find\nKeyError: 'ORD-100'"}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Status of ORD-100?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_order", "response": {"error":
            "there is no order ORD-100; ask the user for the number on the receipt"}}}]}
    ]

How it happens, and how to mend it
    The dispatcher catches every exception and returns its text. Log it, and return a short error that the model can act
    on. A tool whose business is traces, such as one that runs tests, can be ignored in the configuration.

Severity
    warning.

Source
    The wording of the runtimes and drivers themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..finding import Finding, Scope, Severity, content_place
from ..rule import Rule, RunContext
from ..texts import first_mark, mark, texts

NAME = "leaked-error"
_DRIVERS: Final = ("sqlite3", "psycopg", "psycopg2", "pymysql", "MySQLdb", "asyncpg", "cx_Oracle")
_NAMESPACES: Final = ("sqlalchemy.exc", "pymongo.errors", "redis.exceptions", "elasticsearch.exceptions")
_PACKAGES: Final = ("java.sql", "org.hibernate", "org.postgresql", "org.springframework.dao")
_CLOUDS: Final = (
    "botocore.exceptions",
    "botocore.errorfactory",
    "google.api_core.exceptions",
    "google.cloud.exceptions",
    "azure.core.exceptions",
)
_DATABASE: Final = "a database error"
_STORAGE: Final = "a storage error"
_JAVA: Final = "a Java stack trace"
_MARKS: Final = (
    mark("a Python traceback", "Traceback (most recent call last):"),
    *(
        mark(_JAVA, f".{suffix}:", rf"(?m:^[ \t]*at [\w$.]{{3,200}}\([\w$]{{1,100}}\.{suffix}:\d{{1,6}}\))")
        for suffix in ("java", "kt", "scala", "groovy")
    ),
    mark(_JAVA, 'Exception in thread "'),
    mark(
        "a JavaScript stack trace",
        "    at ",
        r"(?m:^ {4}at [^\n]{0,200}(?:\.[cm]?[jt]sx?|node:[\w/]{1,60}):\d{1,6}:\d{1,6}\)?$)",
    ),
    mark("a .NET stack trace", ":line ", r"(?m:^ {3}at [^\n]{1,200}\) in [^\n]{1,200}:line \d{1,6})"),
    mark("a Go panic", "goroutine ", r"(?m:^goroutine \d{1,9} \[[a-z, ]{1,40}\]:$)"),
    mark("a Rust panic", "panicked at ", r"(?m:^thread '[^'\n]{0,100}' (?:\(\d{1,9}\) )?panicked at )"),
    mark("a Ruby backtrace", ".rb:", r"\.rb:\d{1,6}:in [`']"),
    mark("a PHP error", "PHP Fatal error: "),
    mark(_DATABASE, "SQLSTATE", r"\bSQLSTATE\[?[ :=]{0,2}[0-9A-Z]{5}\b"),
    mark(_DATABASE, "ORA-", r"\bORA-\d{5}\b"),
    mark(_DATABASE, "SQLITE_", r"\bSQLITE_(?:ERROR|BUSY|LOCKED|CONSTRAINT|CORRUPT|READONLY)"),
    mark(_DATABASE, "You have an error in your SQL syntax"),
    mark(_DATABASE, "Sequelize", r"\bSequelize\w{0,40}Error\b"),
    mark(_DATABASE, "PrismaClient", r"\bPrismaClient\w{0,40}Error\b"),
    mark(_DATABASE, "Mongo", r"\bMongo(?:Server|Network|Bulk|Write)\w{0,40}(?:Error|Exception)\b"),
    *(
        mark(
            _DATABASE,
            f"{driver}.",
            rf"\b{driver}\.(?:errors\.[A-Z]|(?:err\.|exceptions\.)?\w{{0,40}}(?:Error|Exception)\b)",
        )
        for driver in _DRIVERS
    ),
    *(mark(_DATABASE, f"{space}.", rf"\b{re.escape(space)}\.[A-Z]") for space in _NAMESPACES),
    *(
        mark(_DATABASE, f"{space}.", rf"\b{re.escape(space)}\.[\w.]{{0,120}}Exception\b")
        for space in _PACKAGES
    ),
    *(mark(_STORAGE, f"{space}.", rf"\b{re.escape(space)}\.[A-Z]") for space in _CLOUDS),
    mark(_STORAGE, "com.amazonaws.", r"\bcom\.amazonaws\.[\w.]{1,120}Exception\b"),
    mark(_STORAGE, "StorageException", r"\b(?:\w{1,40}\.)?StorageException\b"),
)


def check(context: RunContext) -> Iterator[Finding]:
    """The first sign of a leaked error in each result."""
    for response in context.run.responses:
        for place, _, text in texts(response.value.get("response")):
            found = first_mark(text, _MARKS)
            if found is None:
                continue
            yield Finding(
                NAME,
                Severity.WARNING,
                content_place(response.at.content, response.at.part, "functionResponse", "response", *place),
                f"the result of {response.named.name or '(unnamed)'} holds {found.what}; "
                "return one sentence that the model can act on",
                scope=Scope.ONCE,
            )
            break


RULE = Rule(NAME, __doc__ or "", on_run=check)
