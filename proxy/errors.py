"""What a client gets when there is no answer from upstream: JSON in Google's error shape, never mitmproxy's HTML."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from mitmproxy import http
from mitmproxy.net.http import http1
from mitmproxy.proxy.layers.http import _http1

from ..cassettes.advice import NO_RETRY, error_body
from ..cassettes.answers import Answer
from ..checks.strict import Rejection
from .lines import without_secrets
from .sending import response_of

_explanation: ContextVar[tuple[int, str] | None] = ContextVar("explanation", default=None)


class Refused(Exception):
    """A request that is answered by us: HTTP status and the sentence that the user reads."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def response(self) -> http.Response:
        """The answer, marked as not worth a retry: sending the same again changes nothing."""
        return _answer(self.status, self.message, retry=False)


class Enforced(Refused):
    """A request that is answered as the API would: with its own refusal, before it costs anything."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.status, f"{rejection.rule} at {rejection.pointer}: {rejection.message}")
        self._rejection = rejection

    def response(self) -> http.Response:
        """The API's answer."""
        answer = http.Response.make(self.status, self._rejection.body)
        for name, value in self._rejection.headers:
            answer.headers[name] = value
        return answer


class Unanswered(Refused):
    """A request that may be answered from the cassette only, and has no answer there."""

    def __init__(self, answer: Answer, why: str) -> None:
        super().__init__(answer.status, why)
        self._answer = answer

    def response(self) -> http.Response:
        """What a replay would say."""
        return response_of(self._answer)


def explain(status: int, message: str) -> None:
    """Say what the error page that follows this `error` hook should say.

    mitmproxy writes its page in the task that ran the hook, so a context variable reaches it and nothing else.
    """
    _explanation.set((status, message))


def error_page(status_code: int, message: str = "") -> bytes:
    """A whole serialised HTTP answer; takes the place of mitmproxy's `make_error_response`."""
    status, text = _explanation.get() or (status_code, message)
    answer = _answer(status, text, retry=status >= 500)
    answer.headers["connection"] = "close"
    return http1.assemble_response(answer)


def _answer(status: int, text: str, *, retry: bool) -> http.Response:
    """An answer of our own; mitmproxy's texts quote what it could not read, which may hold a key."""
    answer = http.Response.make(status, error_body(status, f"gemtape: {without_secrets(text)}"))
    answer.headers["content-type"] = "application/json; charset=UTF-8"
    if not retry:
        answer.headers[NO_RETRY[0]] = NO_RETRY[1]
    return answer


def install() -> Callable[[], None]:
    """Put `error_page` in mitmproxy's place; returns what undoes it.

    mitmproxy offers no hook for this: an answer set in `error` is ignored.
    """
    original = _http1.make_error_response
    _http1.make_error_response = error_page

    def undo() -> None:
        _http1.make_error_response = original

    return undo
