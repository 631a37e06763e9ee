"""Stack traces and storage exceptions in results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.checks.rules.leaked_error import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

ASK = user("Status of ORD-100?")
CALL = calls(call("find", signature=SIGNATURE))

LEAKS = {
    "Python": 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 1',
    "Java": "java.lang.NullPointerException: x\n\tat com.shop.Orders.find(Orders.java:31)\n",
    "Kotlin": "boom\n    at com.shop.OrdersKt.find(Orders.kt:7)",
    "Java thread": 'Exception in thread "main" java.lang.Error',
    "JavaScript": "TypeError: x is not a function\n    at find (/srv/app/orders.js:31:14)\n    at async run (node:internal/x:1:2)",
    "TypeScript": "Error: x\n    at /srv/app/orders.mts:31:14",
    ".NET": "System.Exception: x\n   at Shop.Orders.Find(String id) in C:\\shop\\Orders.cs:line 31",
    "Go": "panic: x\n\ngoroutine 1 [running]:\nmain.find()",
    "Rust": "thread 'main' panicked at src/main.rs:3:5:\nboom",
    "Ruby": "orders.rb:31:in `find': boom (RuntimeError)",
    "PHP": "PHP Fatal error:  Uncaught Error in /srv/orders.php:31",
    "SQLSTATE": "SQLSTATE[42P01]: Undefined table",
    "Oracle": "ORA-00942: table or view does not exist",
    "MySQL": "You have an error in your SQL syntax; check the manual",
    "sqlite3": "sqlite3.OperationalError: no such table: orders",
    "psycopg": "psycopg2.errors.UndefinedTable: x",
    "PyMySQL": "pymysql.err.ProgrammingError: x",
    "SQLAlchemy": "sqlalchemy.exc.ProgrammingError: (x)",
    "JDBC": "java.sql.SQLIntegrityConstraintViolationException: x",
    "Hibernate": "org.hibernate.exception.ConstraintViolationException: x",
    "Prisma": "PrismaClientKnownRequestError: x",
    "Mongo": "MongoServerError: E11000 duplicate key",
    "Redis": "redis.exceptions.ConnectionError: x",
    "AWS": "botocore.exceptions.ClientError: An error occurred (AccessDenied)",
    "Google": "google.api_core.exceptions.NotFound: 404",
    "Azure": "azure.core.exceptions.ResourceNotFoundError: x",
}


@pytest.mark.parametrize("text", LEAKS.values(), ids=LEAKS)
def test_leaks_of_the_usual_runtimes(text: str):
    violations = judge([ASK, CALL, results(result("find", {"error": text}))])

    assert found(violations, NAME) == [("warning", "/contents/2/parts/0/functionResponse/response/error")]
    assert loud(violations) == [(NAME, "/contents/2/parts/0/functionResponse/response/error")]


@pytest.mark.parametrize(
    "text",
    [
        "there is no order ORD-100",
        "the database is not reachable; ask the user to try again later",
        "Meet me at the cafe (Java:Street) at 3",
        "The Exception was granted by the board",
        "He looked back: most recent call last week",
        "    at the market: 12:30",
        "goroutine scheduling explained",
        "We panicked at the exam",
        "ORA-1 is a lounge",
        "run orders.rb: it works",
        "see sqlite3.connect and redis.exceptions for details",
        "MongoDB is a database; PrismaClient connects to it",
    ],
)
def test_plain_words_are_fine(text: str):
    assert loud(judge([ASK, CALL, results(result("find", {"text": text}))])) == []


def test_json_in_a_text_is_looked_into():
    """Its line breaks are escaped there, so that no trace stands in lines of its own."""
    text = json.dumps({"error": LEAKS["JavaScript"]})

    assert found(judge([ASK, CALL, results(result("find", {"result": text}))]), NAME) == [
        ("warning", "/contents/2/parts/0/functionResponse/response/result")
    ]


def test_each_result_has_one_finding_at_its_first_leak():
    trace = LEAKS["Python"]
    parts = results(result("find", {"a": ["fine", trace], "b": trace}), result("find", {"c": trace}))
    batch = calls(call("find", signature=SIGNATURE), call("find"))

    assert [pointer for _, pointer in found(judge([ASK, batch, parts]), NAME)] == [
        "/contents/2/parts/0/functionResponse/response/a/1",
        "/contents/2/parts/1/functionResponse/response/c",
    ]


def test_it_is_told_by_the_request_that_brings_it():
    history = [ASK, CALL, results(result("find", {"error": LEAKS["Go"]}))]

    violations = judge((history, model_text("Sorry.")), [*history, model_text("Sorry."), user("And?")])
    assert [item.exchange for item in violations if item.rule == NAME] == [1]


@pytest.mark.parametrize("response", [None, 3, LEAKS["Go"], [LEAKS["Go"]]])
def test_a_response_that_is_no_object_is_read_too(response: Any):
    assert len(found(judge([ASK, CALL, results(result("find", response))]), NAME)) == int(
        bool(response) and response != 3
    )
