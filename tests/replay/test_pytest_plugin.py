"""The pytest plugin in the projects of users: small ones, run by pytest itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.store import Cassette
from gemtape.replay.testnames import cassette_of_test
from tests.factories import (
    MODEL,
    SIGNATURE,
    answer_body,
    call,
    calls,
    cassette_of,
    model_text,
    result,
    results,
    unary,
    user,
)
from tests.upstream import Answer, Gate, Upstream, stream
from tests.upstream import unary as answering

# What a project in this process imports first is forgotten when it ends: httpx would know the errors of another httpcore
# than the one in use, and every project would import all of gemtape.
for name in ("anyio._backends._asyncio", "gemtape.replay.studio", "httpcore"):
    import_module(name)

PATH = f"/v1beta/models/{MODEL}:generateContent"
PLUGIN = ("-p", "no:gemtape", "-p", "gemtape.replay.pytest_plugin", "-p", "no:cacheprovider")

# What users have: code that asks the model, and another part that swallows every error.
TOOLS = [{"functionDeclarations": [{"name": "get_weather"}]}]
AGENT = f"""
import os, httpx

def ask(*texts, base_url=None, transport=None):
    contents = [text if isinstance(text, dict) else {{"role": "user", "parts": [{{"text": text}}]}} for text in texts]
    with httpx.Client(base_url=base_url or os.environ["GOOGLE_GEMINI_BASE_URL"], transport=transport) as client:
        answer = client.post("{PATH}", json={{"contents": contents, "tools": {TOOLS}}})
    answer.raise_for_status()
    return answer.json()["candidates"][0]["content"]["parts"][0]

def ask_carelessly(*texts):
    try:
        return ask(*texts)
    except httpx.HTTPError:
        return None
"""
QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))
RESULT = results(result("get_weather", {"celsius": 31}))


def asking(*contents: object, answer: dict[str, object]) -> Exchange:
    """As the agent sends it."""
    sent = [user(item) if isinstance(item, str) else item for item in contents]
    body = json.dumps({"contents": sent, "tools": TOOLS})
    headers = (("content-type", "application/json"),)
    return Exchange(
        Request("POST", PATH, "", headers, body.encode()),
        unary(answer_body(answer)),
        started_at=1.0,
        duration_ms=5,
    )


HELLO = asking("hello", answer=model_text("hi"))
OTHER = asking("other", answer=model_text("there"))
WEATHER = [asking(QUESTION, answer=SIGNED), asking(QUESTION, SIGNED, RESULT, answer=model_text("31"))]


class Project:
    """A project with `agent.py` and `test_agent.py`."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester
        pytester.makepyfile(agent=AGENT)
        pytester.makeini("[pytest]\npythonpath = .\naddopts = --strict-markers -ra")

    def tests(self, source: str) -> None:
        head = "import os, httpx, pytest\nfrom agent import ask, ask_carelessly\nreplayed = pytest.mark.gemtape\n"
        self._pytester.makepyfile(test_agent=head + source)

    def cassette(self, name: str, *exchanges: Exchange) -> Path:
        return cassette_of(self.file(name), exchanges)

    def file(self, name: str) -> Path:
        return cassette_of_test(self.path / "test_agent.py", [name])

    def kept(self, name: str) -> int:
        with Cassette.read(self.file(name)) as cassette:
            return len(cassette)

    def run(self, *arguments: str) -> pytest.RunResult:
        return self._pytester.runpytest_inprocess(*PLUGIN, *arguments)

    def config(self, text: str) -> None:
        (self.path / "gemtape.toml").write_text(text)


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)


def said(ran: pytest.RunResult, pattern: str) -> str:
    """A line of the output."""
    found = [line for line in ran.outlines if re.search(pattern, line)]
    assert found, ran.stdout.str()
    return found[0]


# --- replay


def test_marked_test_is_replayed_with_no_key_and_no_other_word(project: Project):
    project.tests(
        """
@replayed
def test_hello():
    assert ask("hello") == {"text": "hi"}
    assert os.environ["GEMINI_API_KEY"]
    assert os.environ["GEMINI_API_BASE"].endswith("/v1beta")

def test_plain():
    assert not [name for name in os.environ if name.startswith(("GEMINI_", "GOOGLE_"))]
"""
    )
    project.cassette("test_hello", HELLO)
    ran = project.run()

    ran.assert_outcomes(passed=2)
    said(ran, "^1 test replayed: 1 request$")


def test_fixture_says_where_things_are(project: Project):
    project.tests(
        """
def test_hello(gemtape):
    assert gemtape.base_url == os.environ["GOOGLE_GEMINI_BASE_URL"]
    assert gemtape.mode == "replay"
    assert gemtape.cassette.samefile("cassettes/test_agent/test_hello.db")
    assert ask("hello", base_url=gemtape.base_url) == {"text": "hi"}
    assert [exchange.status for exchange in gemtape.exchanges] == [200, 200]
    assert ask("other", base_url="https://nowhere.invalid", transport=gemtape.transport()) == {"text": "there"}
"""
    )
    project.cassette("test_hello", HELLO, OTHER)

    project.run().assert_outcomes(passed=1)


def test_variables_are_set_before_other_fixtures_make_their_clients(project: Project):
    """Wherever the marker or the fixture is named."""
    project.tests(
        """
@pytest.fixture
def client():
    with httpx.Client(base_url=os.environ["GOOGLE_GEMINI_BASE_URL"]) as client:
        yield client

@replayed
def test_marked(client): pass

def test_named_last(client, gemtape): pass

@pytest.mark.usefixtures("client", "gemtape")
class TestClass:
    def test_used(self): pass
"""
    )
    for name in ("test_marked", "test_named_last", "TestClass.test_used"):
        project.cassette(name)

    project.run().assert_outcomes(passed=3)


def test_every_kind_of_test_has_a_cassette_of_its_own(project: Project):
    project.tests(
        """
import unittest

@replayed
@pytest.mark.parametrize("text", ["hello", "a/b"])
def test_parameters(text): ask(text)

@replayed
class TestOuter:
    class TestInner:
        def test_method(self): ask("hello")

@replayed
class TestCase(unittest.TestCase):
    def setUp(self): ask("hello")
    def test_old(self): ask("other")

@pytest.fixture
def anyio_backend(): return "asyncio"

@replayed
@pytest.mark.anyio
async def test_async(gemtape):
    for transport in (None, gemtape.transport()):
        async with httpx.AsyncClient(base_url=gemtape.base_url, transport=transport) as client:
            assert (await client.post(path, content=body)).status_code == 200
"""
        f"path, body = {PATH!r}, {HELLO.request.body!r}\n"
    )
    project.cassette("test_parameters[hello]", HELLO)
    project.cassette("test_parameters[a/b]", asking("a/b", answer=model_text("c")))
    project.cassette("TestOuter.TestInner.test_method", HELLO)
    project.cassette("TestCase.test_old", HELLO, OTHER)
    project.cassette("test_async", HELLO, HELLO)
    ran = project.run()

    ran.assert_outcomes(passed=5)
    said(ran, "^5 tests replayed: 7 requests$")


@pytest.mark.parametrize(
    "how", ["@replayed\ndef test_x():", "def test_x(gemtape):"], ids=["marker", "fixture"]
)
def test_miss_that_the_code_swallows_fails_the_test(project: Project, how: str):
    project.tests(f"{how}\n    assert ask_carelessly('hullo') is None\n")
    project.cassette("test_x", HELLO)
    ran = project.run()

    ran.assert_outcomes(failed=1)
    said(ran, r"^gemtape: 1 request, 1 miss; cassettes/test_agent/test_x\.db$")
    assert not [line for line in ran.outlines if re.search("^-+ gemtape -+$", line)], "told twice"
    miss = said(ran, "^miss  request 1, POST ")
    assert 'recorded "hello", got "hullo"' in miss
    assert miss.endswith("record it again: pytest --gemtape=record test_agent.py::test_x")
    said(ran, "^test_agent.py::test_x: 1 request, 1 miss$")
    said(ran, r"^cassettes/test_agent/test_x\.db: 1 of 1 exchange unused: 1$")


def test_test_that_failed_by_itself_is_explained_too(project: Project):
    project.tests("@replayed\ndef test_x():\n    assert ask_carelessly('hullo') is not None\n")
    project.cassette("test_x", HELLO)
    ran = project.run()

    ran.assert_outcomes(failed=1)
    said(ran, "^E .*assert None is not None")
    said(ran, "^-+ gemtape -+$")
    said(ran, "^miss  request 1, POST ")


def test_history_without_what_an_answer_gave_fails_the_test(project: Project):
    """Though the recorded answer was served: the match leaves signatures out."""
    project.tests(
        f"""
@replayed
def test_x():
    content = {{"role": "model", "parts": [ask({QUESTION!r})]}}
    content["parts"][0]["thoughtSignature"] = "EpwCCpkCAVSoYO4="
    assert ask({QUESTION!r}, content, {RESULT!r}) == {{"text": "31"}}
"""
    )
    project.cassette("test_x", *WEATHER)
    ran = project.run()

    ran.assert_outcomes(failed=1)
    said(ran, "^error  altered-signature at /contents/1/parts/0 of request 2, ")

    project.config('per-cassette-ignore = {"test_agent/*" = ["altered-signature"]}')
    ran = project.run()

    ran.assert_outcomes(passed=1)
    said(ran, "^1 test replayed: 2 requests, 1 suppressed$")


def test_request_too_many_is_a_miss_unless_told_otherwise(project: Project):
    project.tests(
        """
@replayed
def test_once(): [ask_carelessly("hello") for _ in range(2)]

@pytest.mark.gemtape(repeat="last")
def test_last(): [ask("hello") for _ in range(2)]
"""
    )
    for name in ("test_once", "test_last"):
        project.cassette(name, HELLO)
    ran = project.run()

    ran.assert_outcomes(failed=1, passed=1)
    assert "already used" in said(ran, "^miss  request 2, ")
    said(ran, "^2 tests replayed: 4 requests, 1 answered by repeating an exchange, 1 miss$")

    project.config('repeat = "cycle"')
    project.run().assert_outcomes(passed=2)


def test_what_the_api_would_refuse_is_refused_unless_told_otherwise(project: Project):
    unsigned = calls(call("get_weather", {"city": "Pune"}))
    asked = f"ask({QUESTION!r}); ask_carelessly({QUESTION!r}, {unsigned!r}, {RESULT!r})"
    project.tests(
        f"""
@replayed
def test_strict(): {asked}

@pytest.mark.gemtape(lenient=True)
def test_lenient(): {asked}
"""
    )
    for name in ("test_strict", "test_lenient"):
        project.cassette(name, *WEATHER)
    ran = project.run()

    ran.assert_outcomes(failed=2)
    said(ran, "^refused as the API would  request 2, ")
    said(ran, "^error  missing-signature at ")
    said(ran, "^2 tests replayed: 4 requests, 1 refused as the API would, 1 error$")


def test_missing_cassette_is_one_line_that_says_how_to_record_it(project: Project):
    project.tests("@replayed\n@pytest.mark.parametrize('x', ['a b'])\ndef test_x(x): open('ran', 'w')\n")
    ran = project.run()

    ran.assert_outcomes(failed=1)
    [line] = [line for line in ran.outlines if line.startswith("gemtape: ")]
    assert line == (
        f"gemtape: there is no cassette cassettes/test_agent/{project.file('test_x[a b]').name}. To record it: "
        "pytest --gemtape=record 'test_agent.py::test_x[a b]'"
    )
    assert not (project.path / "ran").exists()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_text("nothing of the kind " * 100), "is not a cassette"),
        (lambda path: path.mkdir(), "is a folder, and a test has one cassette"),
    ],
    ids=["another file", "a folder"],
)
def test_what_is_no_cassette_is_said(project: Project, make: Callable[[Path], object], words: str):
    project.tests("@replayed\ndef test_x(gemtape): pass\n")
    project.file("test_x").parent.mkdir(parents=True)
    make(project.file("test_x"))
    ran = project.run()

    ran.assert_outcomes(failed=1)
    assert words in said(ran, "^gemtape: .*test_x.*To record it again: pytest --gemtape=record ")


def test_unused_exchanges_are_listed_and_fail_on_request(project: Project):
    project.tests("@replayed\ndef test_x(): ask('hello')\n\n@replayed\ndef test_y(): ask('hello')\n")
    project.cassette("test_x", OTHER, HELLO, OTHER)
    project.cassette("test_y", HELLO)
    listed = project.run()
    failed = project.run("--gemtape-unused=fail")

    listed.assert_outcomes(passed=2)
    said(listed, r"^cassettes/test_agent/test_x\.db: 2 of 3 exchanges unused: 1, 3$")
    failed.assert_outcomes(passed=1, failed=1)
    said(failed, r"^gemtape: not asked for in cassettes/test_agent/test_x\.db: exchange 1, 3$")


def test_tests_may_share_a_cassette(project: Project):
    """Each of them from its beginning; what none of them uses is listed."""
    project.tests(
        """
shared = pytest.mark.gemtape("tapes/shared.db")

@shared
def test_x(): ask("hello")

@shared
def test_y(): ask("hello"), ask("other")

@pytest.mark.gemtape(cassette="tapes/shared.db", repeat="once")
class TestZ:
    @pytest.mark.gemtape(repeat="last")
    def test_z(self): ask("hello"), ask("hello")
"""
    )
    cassette_of(project.path / "tapes/shared.db", [HELLO, OTHER, asking("third", answer=model_text("3"))])
    ran = project.run()

    ran.assert_outcomes(passed=3)
    said(ran, r"^tapes/shared\.db: 1 of 3 exchanges unused: 3$")


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ("(repeats='once')", "the marker takes cassette, repeat and lenient, not 'repeats'"),
        ("('a.db', 'b.db')", "the marker takes cassette, repeat and lenient, not "),
        ("(repeat='twice')", "a marker's repeat is last, cycle, once, not 'twice'"),
        ("(lenient='yes')", "a marker's lenient is True or False, not 'yes'"),
        ("(cassette=7)", "a marker's cassette is a path, not 7"),
    ],
)
def test_marker_that_says_something_else_is_an_error(project: Project, marker: str, words: str):
    project.tests(f"@pytest.mark.gemtape{marker}\ndef test_x(): pass\n")
    ran = project.run()

    ran.assert_outcomes(errors=1)
    said(ran, f"^gemtape: {re.escape(words)}")


def test_broken_configuration_is_an_error(project: Project):
    project.tests("@replayed\ndef test_x(): pass\n")
    project.config("repeats = 1")
    ran = project.run()

    ran.assert_outcomes(errors=1)
    said(ran, "^gemtape: .*'repeats' is no key of gemtape; did you mean 'repeat'?")


def test_test_that_asks_nothing_is_named(project: Project):
    """Its client may have been made before the variables were set, and talk to Google."""
    project.tests("@replayed\ndef test_x(): pass\n")
    project.cassette("test_x", HELLO)
    ran = project.run()

    ran.assert_outcomes(passed=1)
    said(ran, "^test_agent.py::test_x: no request came to gemtape")


def test_what_fixtures_ask_counts_too(project: Project):
    """Before the test; and after it, when only an error can tell."""
    project.tests(
        """
@pytest.fixture
def chatty(gemtape):
    ask("hello")
    yield
    ask_carelessly("bye")

def test_x(chatty): pass
"""
    )
    project.cassette("test_x", HELLO)
    ran = project.run("--gemtape-unused=fail")

    ran.assert_outcomes(passed=1, errors=1)
    said(ran, "^miss  request 2, ")


def test_late_requests_of_a_test_do_not_disturb_the_next(project: Project):
    project.tests(
        """
kept = []

@replayed
def test_x(gemtape):
    kept.append(gemtape.base_url)

@replayed
def test_y():
    with pytest.raises(httpx.HTTPStatusError):
        ask("hello", base_url=kept[0])
    ask("hello")
"""
    )
    project.cassette("test_x")
    project.cassette("test_y", HELLO)

    project.run("--gemtape-unused=fail").assert_outcomes(passed=2)


@pytest.mark.parametrize(("first", "second"), [("hullo", "hello"), ("hello", "hullo")])
def test_run_of_a_test_that_is_run_again_is_judged_anew(project: Project, first: str, second: str):
    """As plugins for flaky tests do."""
    project.tests(
        f"texts = [{first!r}, {second!r}]\n\n@replayed\ndef test_x(): ask_carelessly(texts.pop(0))\n"
    )
    (project.path / "conftest.py").write_text(
        """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for _ in range(2):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
    )
    project.cassette("test_x", HELLO)
    ran = project.run()

    ran.assert_outcomes(**({"passed": 1} if second == "hello" else {"failed": 1}))
    said(ran, f"^1 test replayed: 1 request{'' if second == 'hello' else ', 1 miss'}$")


def test_expected_failures_stay_expected(project: Project):
    project.tests("@pytest.mark.xfail(strict=True)\n@replayed\ndef test_x(): ask_carelessly('hullo')\n")
    project.cassette("test_x", HELLO)

    project.run().assert_outcomes(xfailed=1)


def test_verbose_runs_name_every_test(project: Project):
    project.tests("@replayed\ndef test_x(): ask('hello')\n")
    project.cassette("test_x", HELLO)

    assert "test_agent.py::test_x: 1 request" not in project.run().outlines
    assert "test_agent.py::test_x: 1 request" in project.run("-v").outlines


def test_workers_of_xdist_replay_side_by_side_and_are_told_of_together(project: Project):
    project.tests(
        """
@replayed
@pytest.mark.parametrize("number", range(12))
def test_x(number): ask_carelessly("hello" if number else "hullo")
"""
    )
    for number in range(12):
        project.cassette(f"test_x[{number}]", HELLO)
    ran = project.run("-n", "2")

    ran.assert_outcomes(passed=11, failed=1)
    said(ran, "^12 tests replayed: 12 requests, 1 miss$")
    said(ran, r"^test_agent.py::test_x\[0\]: 1 request, 1 miss$")


def test_replay_connects_to_nothing_but_this_machine(project: Project):
    project.tests(
        """
import socket
connect = socket.socket.connect

@pytest.fixture(autouse=True)
def offline(monkeypatch):
    def only_here(self, address):
        assert address[0] == "127.0.0.1", address
        return connect(self, address)
    monkeypatch.setattr(socket.socket, "connect", only_here)
    monkeypatch.setattr(socket, "getaddrinfo", None)

@replayed
def test_x(gemtape, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", None)
    ask("hello", transport=gemtape.transport())
"""
    )
    project.cassette("test_x", HELLO)

    project.run().assert_outcomes(passed=1)


# --- record and live


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


def texts(*answers: str) -> list[Answer]:
    return [answering(json.dumps(answer_body(model_text(text))).encode()) for text in answers]


def record(project: Project, upstream: Upstream, *arguments: str) -> pytest.RunResult:
    return project.run("--gemtape=record", f"--gemtape-upstream={upstream.url}", *arguments)


def test_recording_keeps_what_passed_and_replays_it(project: Project, upstream: Upstream):
    project.tests(
        """
@replayed
def test_passes(): assert ask("hello")["text"] in ("one", "1")

@replayed
def test_fails():
    assert ask("hello")["text"] == "other"

@replayed
def test_silent(): pass

def test_plain(): pass

@replayed
@pytest.mark.parametrize("x", ["a/b"])
def test_fixture(x, gemtape):
    assert gemtape.mode == os.environ.get("MODE", "replay")
    ask("hello", base_url=gemtape.base_url, transport=gemtape.transport())
    assert [exchange.status for exchange in gemtape.exchanges] == [200]
"""
    )
    project.cassette("test_fails", OTHER, OTHER)
    upstream.answers += texts("one", "two", "three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODE", "record")
        ran = record(project, upstream)

    ran.assert_outcomes(passed=4, failed=1)
    assert said(ran, "^gemtape: ") == "gemtape: record"
    said(ran, r"^recorded cassettes/test_agent/test_passes\.db: 1 exchange$")
    said(ran, r"^recorded cassettes/test_agent/test_fixture\[a_b\]-\w{8}\.db: 1 exchange$")
    said(
        ran,
        r"^recorded cassettes/test_agent/test_silent\.db: nothing, since no request of .*test_silent came",
    )
    said(ran, "^not recorded, since it did not pass: test_agent.py::test_fails$")
    assert project.kept("test_fails") == 2
    assert len(upstream.requests) == 3
    upstream.close()
    project.run("--deselect", "test_agent.py::test_fails").assert_outcomes(passed=4, deselected=1)


def test_recording_replaces_a_cassette(project: Project, upstream: Upstream):
    project.tests("@replayed\ndef test_x(): print(ask('hello'))\n")
    project.cassette("test_x", OTHER, OTHER)
    upstream.answers += texts("new")

    record(project, upstream).assert_outcomes(passed=1)
    said(project.run("-s"), "'text': 'new'")


def test_broken_history_is_not_kept(project: Project, upstream: Upstream):
    """The recorder's answer was fine; the next model would not have been."""
    unsigned = calls(call("get_weather", {"city": "Pune"}))
    project.tests(
        f"@replayed\ndef test_x():\n    ask({QUESTION!r})\n    ask({QUESTION!r}, {unsigned!r}, {RESULT!r})\n"
    )
    upstream.answers += [answering(json.dumps(answer_body(SIGNED)).encode()), *texts("31")]
    ran = record(project, upstream)

    ran.assert_outcomes(failed=1)
    said(ran, r"^gemtape: 2 requests, 1 error; cassettes/test_agent/test_x\.db$")
    said(ran, "^error  missing-signature at /contents/1/parts/0 of exchange 2: ")
    said(ran, "^not recorded, since it did not pass: test_agent.py::test_x$")
    assert not project.file("test_x").exists()


def test_stream_that_was_left_early_is_kept_once_it_is_recorded(project: Project, upstream: Upstream):
    """Its test is over before the recorder sees the end of it."""
    project.tests(
        f"""
clients = []

@replayed
def test_x(gemtape):
    clients.append(httpx.Client(base_url=gemtape.base_url))
    body = {{"contents": [{{"parts": [{{"text": "hello"}}]}}]}}
    stream = clients[0].stream("POST", "{PATH.replace("generate", "streamGenerate")}", json=body)
    clients.append(stream)
    clients.append(stream.__enter__().iter_raw())
    assert next(clients[-1])
    assert gemtape.exchanges == []
"""
    )
    gate = Gate()
    upstream.answers.append(stream(b"first", b"second", gate=gate))
    ran = record(project, upstream)
    gate.open()
    gate.open()

    ran.assert_outcomes(passed=1)
    assert project.kept("test_x") == 1


def test_two_tests_are_not_recorded_into_one_cassette(project: Project, upstream: Upstream):
    project.tests(
        """
shared = pytest.mark.gemtape("shared.db")

@shared
def test_x(): ask("hello")

@shared
def test_y(): ask("hello")
"""
    )
    upstream.answers += texts("hi")
    ran = record(project, upstream)

    ran.assert_outcomes(passed=1, errors=1)
    said(ran, "^gemtape: shared.db is recorded by test_agent.py::test_x already, in this run$")


def test_recorder_that_cannot_be_run_is_an_error(project: Project):
    project.tests("@replayed\ndef test_x(): pass\n")
    ran = project.run("--gemtape=record", "--gemtape-recorder", "no-such-program record")

    ran.assert_outcomes(errors=1)
    said(ran, "^gemtape: cannot run no-such-program: No such file or directory$")


def new(project: Project, upstream: Upstream, *arguments: str) -> pytest.RunResult:
    return project.run("--gemtape=new", f"--gemtape-upstream={upstream.url}", *arguments)


def test_new_conversations_are_recorded_and_known_ones_replayed(project: Project, upstream: Upstream):
    project.tests(
        f"""
@replayed
def test_known(gemtape):
    assert gemtape.mode == "new"
    ask({QUESTION!r})
    ask({QUESTION!r}, {SIGNED!r}, {RESULT!r})

@replayed
def test_grown(gemtape):
    assert [ask("hello")["text"], ask("other")["text"]] == ["hi", "one"]
    assert len(gemtape.exchanges) == 2

@replayed
def test_missing(): assert ask("hello")["text"] == "two"

@replayed
def test_fails(): assert ask("other")["text"] == "anything"
"""
    )
    known = project.cassette("test_known", *WEATHER).read_bytes()
    project.cassette("test_grown", HELLO)
    project.cassette("test_fails", HELLO)
    upstream.answers += texts("one", "two", "three")
    ran = new(project, upstream)

    ran.assert_outcomes(passed=3, failed=1)
    assert len(upstream.requests) == 3
    assert said(ran, "^gemtape: new$")
    said(ran, "^4 tests replayed as far as recorded: 6 requests, 3 sent and recorded$")
    said(ran, r"^recorded cassettes/test_agent/test_grown\.db: 1 more exchange$")
    said(ran, r"^recorded cassettes/test_agent/test_missing\.db: 1 more exchange$")
    said(ran, "^not recorded, since it did not pass: test_agent.py::test_fails$")
    assert project.file("test_known").read_bytes() == known
    assert [project.kept(f"test_{name}") for name in ("grown", "missing", "fails")] == [2, 1, 1]


def test_miss_in_a_replayed_conversation_fails_the_test_and_is_not_sent(project: Project, upstream: Upstream):
    other = results(result("get_weather", {"celsius": 32}))
    project.tests(
        f"@replayed\ndef test_x():\n    ask({QUESTION!r})\n    ask_carelessly({QUESTION!r}, {SIGNED!r}, {other!r})\n"
    )
    project.cassette("test_x", *WEATHER)
    ran = new(project, upstream)

    ran.assert_outcomes(failed=1)
    assert upstream.requests == []
    said(ran, r"^gemtape: 2 requests, 1 miss; cassettes/test_agent/test_x\.db$")
    miss = said(ran, f"^miss  request 2, POST {PATH}: It goes on from exchange 1 of the cassette")
    assert miss.endswith("under a new name or with pytest --gemtape=record")
    assert project.kept("test_x") == 2


def test_errors_of_replayed_and_of_recorded_requests_fail_the_test(project: Project, upstream: Upstream):
    altered = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE[:-4]))
    orphan = results(result("get_weather", {}))
    project.tests(
        f"""
@replayed
def test_replayed():
    ask({QUESTION!r})
    ask({QUESTION!r}, {altered!r}, {RESULT!r})

@replayed
def test_recorded(): ask("new", {orphan!r})
"""
    )
    for name in ("test_replayed", "test_recorded"):
        project.cassette(name, *WEATHER)
    upstream.answers += texts("fine")
    ran = new(project, upstream)

    ran.assert_outcomes(failed=2)
    said(ran, "^error  altered-signature at /contents/1/parts/0.* of request 2, POST ")
    said(ran, "^error  orphan-response at /contents/1/parts/0.* of exchange 3: ")
    assert project.kept("test_recorded") == 2


def test_unused_exchanges_fail_on_request_in_new_runs_too(project: Project, upstream: Upstream):
    project.tests("@replayed\ndef test_x(): ask('hello')\n")
    project.cassette("test_x", HELLO, OTHER)
    ran = new(project, upstream, "--gemtape-unused=fail")

    ran.assert_outcomes(failed=1)
    said(ran, r"^gemtape: not asked for in cassettes/test_agent/test_x\.db: exchange 2$")


def test_shared_cassette_grows_test_by_test(project: Project, upstream: Upstream):
    project.tests(
        """
shared = pytest.mark.gemtape("shared.db")

@shared
def test_x(): assert [ask("hello")["text"], ask("other")["text"]] == ["hi", "one"]

@shared
def test_y(): assert [ask("other")["text"], ask("third")["text"]] == ["one", "two"]
"""
    )
    shared = cassette_of(project.path / "shared.db", [HELLO])
    upstream.answers += texts("one", "two")
    new(project, upstream).assert_outcomes(passed=2)

    with Cassette.read(shared) as cassette:
        assert len(cassette) == 3


def test_live_tests_are_left_alone(project: Project):
    project.tests(
        """
@replayed
def test_x(gemtape):
    assert not [name for name in os.environ if name.startswith(("GEMINI_", "GOOGLE_"))]
    assert gemtape.mode == "live"
    assert gemtape.base_url == "https://generativelanguage.googleapis.com"
    assert (gemtape.transport(), gemtape.exchanges) == (None, [])
"""
    )
    ran = project.run("--gemtape=live", "--gemtape-unused=fail")

    ran.assert_outcomes(passed=1)
    said(ran, "^1 test called the live API; nothing was recorded$")


# --- the plugin itself


def test_plugin_is_found_by_pytest():
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    [module] = pyproject["project"]["entry-points"]["pytest11"].values()

    assert hasattr(import_module(module), "gemtape")


def test_runs_without_a_marked_test_import_nothing_but_the_plugin(project: Project):
    """It is loaded in every run of every project in its environment."""
    project.tests("def test_x(): pass\n")
    code = (
        f"import sys, pytest; pytest.main([*{PLUGIN!r}, '-p', 'no:hypothesispytest', '-q'])\n"
        "print(sorted(name for name in sys.modules if name.startswith(('gemtape', 'uvicorn', 'orjson', 'sqlite'))))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=project.path
    )

    assert ran.stdout.splitlines()[-1] == "['gemtape', 'gemtape.replay', 'gemtape.replay.pytest_plugin']"
    assert "gemtape ===" not in ran.stdout
