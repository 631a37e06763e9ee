"""What the rules are told when nobody tells them anything."""

from __future__ import annotations

from gemtape.checks.settings import Order, Settings
from tests.checks.helpers import judge, loud
from tests.factories import SIGNATURE, call, calls, result, results, user


def test_without_settings_no_call_is_repeated_or_out_of_order():
    refund = calls(call("refund", {"id": 1}, signature=SIGNATURE))
    done = results(result("refund", {"status": "done"}))

    assert Settings() == Settings((), (), (), ())
    assert loud(judge([user("Refund."), refund, done, refund, done])) == []


def test_an_order_needs_no_common_argument():
    assert Order("refund", "lookup").same == ()
