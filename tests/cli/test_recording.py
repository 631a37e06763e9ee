"""`gemtape record CASSETTE -- COMMAND`, as a user runs an agent or tests with it."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mitmproxy import ctx

from gemtape.cli import main
from tests.processes import BIN, program
from tests.proxied import stored
from tests.proxy.test_addon import UNARY
from tests.upstream import Received, Upstream, unary

HELLO = b'{"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}'
ORPHAN = (
    b'{"contents": [{"role": "user", "parts": [{"text": "hi"}]},'
    b' {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}'
)
# Does what its arguments say: sends a body to the base URL and a name, and shows the status, whatever that is.
CLIENT = f"""
import os, sys, urllib.error, urllib.request
url = os.environ["GOOGLE_GEMINI_BASE_URL"]
bodies = {{"hello": {HELLO!r}, "orphan": {ORPHAN!r}}}
for argument in sys.argv[1:]:
    if argument.startswith("exit="):
        sys.exit(int(argument[5:]))
    if argument.startswith("unlink="):
        os.unlink(argument[7:])
        continue
    name, _, body = argument.rpartition(":")
    request = urllib.request.Request(url + name + "{UNARY}", bodies[body], {{"content-type": "application/json"}})
    try:
        status = urllib.request.urlopen(request, timeout=30).status
    except urllib.error.HTTPError as error:
        status = error.code
    print(status, flush=True)
"""
Record = Callable[..., tuple[int, str, list[str]]]


def client(*arguments: str) -> list[str]:
    return ["--", sys.executable, "-c", CLIENT, *arguments]


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


@pytest.fixture
def record(
    tmp_path: Path, upstream: Upstream, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Record:
    """Runs `gemtape record` in this process: gives exit code, standard output, and the lines of standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, target: str = "run.db") -> tuple[int, str, list[str]]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.gemtape(["record", target, "--upstream", upstream.url, *arguments], prog_name="gemtape")
        output, said = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, output, said.splitlines()

    return run


@pytest.fixture
def old(tmp_path: Path, record: Record) -> Path:
    """A cassette of one exchange that is there already."""
    assert record(*client("hello"))[0] == 0
    return tmp_path / "run.db"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_command_has_standard_output_for_itself(tmp_path: Path, upstream: Upstream):
    arguments = ["record", "run.db", "--upstream", upstream.url, *client("hello", "hello")]
    with program("gemtape", *arguments, cwd=tmp_path) as running:
        code = running.wait()
        output = running.output()

    assert (code, output) == (0, "200\n200\n")
    assert [line.partition("  first byte ")[0] for line in running.said.splitlines()] == [
        "#1  gemini-3-pro  generateContent  200",
        "#2  gemini-3-pro  generateContent  200",
        "run.db: 2 exchanges recorded",
        "run.db: 2 exchanges, 2 conversations",
        "",
        "0 errors, 0 warnings, 0 info",
    ]
    assert len(stored(tmp_path / "run.db")) == 2
    assert files(tmp_path) == ["run.db"]


def test_command_gets_the_variables_and_no_key(record: Record, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "https://gateway.example")
    monkeypatch.setenv("NO_PROXY", "internal.example")
    names = "GOOGLE_GEMINI_BASE_URL GOOGLE_VERTEX_BASE_URL GEMINI_API_BASE OPENAI_BASE_URL GEMINI_API_KEY no_proxy"
    shown = [
        "--",
        sys.executable,
        "-c",
        f"import os; print(*(os.environ.get(name) for name in {names!r}.split()))",
    ]
    for options, openai in ([], "None"), (["--openai"], "{}/v1beta/openai"):
        url, *others = record(*options, *shown)[1].split()

        assert url.startswith("http://127.0.0.1:")
        assert others == [
            url,
            f"{url}/v1beta",
            openai.format(url),
            "None",
            "internal.example,127.0.0.1",
        ]


def test_port_can_be_chosen_and_a_proxy_of_the_users_is_passed_by(
    record: Record, monkeypatch: pytest.MonkeyPatch
):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    checked = (
        f"import os; assert os.environ['GEMINI_API_BASE'].startswith('http://127.0.0.1:{port}/')\n{CLIENT}"
    )

    assert record("--port", str(port), "--", sys.executable, "-c", checked, "hello")[:2] == (0, "200\n")


@pytest.mark.parametrize(
    ("options", "arguments", "code"),
    [
        ([], ["hello", "exit=5"], 5),
        ([], ["orphan", "exit=5"], 5),
        ([], ["orphan"], 1),
        (["--fail-on", "never"], ["orphan"], 0),
        (["--fail-on", "never", "--enforce"], ["orphan"], 1),
        (["--fail-on", "never"], ["hello", "unlink=run.db", "hello"], 1),
        ([], ["hello", "unlink=run.db", "exit=5"], 5),
    ],
    ids=["command", "command first", "error", "never", "enforced", "lost", "command before a lost report"],
)
def test_exit_code(record: Record, options: list[str], arguments: list[str], code: int):
    assert record(*options, *client(*arguments))[0] == code


def test_warning_fails_the_run_only_where_that_was_asked_for(record: Record, tmp_path: Path):
    (tmp_path / "gemtape.toml").write_text('severity = {orphan-response = "warning"}')

    assert record(*client("orphan"), target="a.db")[0] == 0
    assert record("--fail-on", "warning", *client("orphan"), target="b.db")[0] == 1


def test_report_comes_after_the_command_on_standard_error(record: Record):
    code, output, said = record("--", "sh", "-c", '"$@"; echo last words >&2', "sh", *client("orphan")[1:])

    assert (code, output) == (1, "200\n")
    assert "1 error: orphan-response" in said[0]
    assert said[1:3] == ["last words", "run.db: 1 exchange recorded"]
    assert "    error    orphan-response  /contents/1/parts/0" in said


@pytest.mark.parametrize("options", [[], ["--openai"]])
def test_command_that_never_came_by_is_warned_of(record: Record, tmp_path: Path, options: list[str]):
    code, _, said = record(*options, "--", "true")

    assert code == 0
    assert said[0] == "run.db: 0 exchanges recorded"
    assert said[1].startswith(
        "warning: no request came to gemtape. A client finds it by GOOGLE_GEMINI_BASE_URL, "
    )
    assert ("OPENAI_BASE_URL" in said[1]) is bool(options)
    assert len(said) == 2
    assert files(tmp_path) == []


def test_base_url_of_the_users_own_is_not_passed_over_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    """Whoever has a gateway wants it to be the upstream."""
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "https://gateway.example")
    with pytest.raises(SystemExit):
        main.gemtape(["record", str(tmp_path / "run.db"), "--", "true"], prog_name="gemtape")

    assert capfd.readouterr().err.startswith(
        "GOOGLE_GEMINI_BASE_URL was https://gateway.example; the recording sends to Google, with --upstream URL elsewhere\n"
    )


def test_request_that_was_refused_did_come_by(record: Record):
    asks = CLIENT.replace(UNARY, "/health")
    code, output, said = record("--", sys.executable, "-c", asks, "hello")

    assert (code, output) == (0, "404\n")
    assert said[0].startswith("REFUSED  404  ")
    assert said[1:] == ["run.db: 0 exchanges recorded"]


def test_run_in_which_everything_failed_says_why(record: Record, upstream: Upstream):
    refused = b'{"error": {"code": 401, "message": "API key not valid.", "status": "UNAUTHENTICATED"}}'
    upstream.answers += [unary(refused, 401)] * 2
    why = "failed: 401 API key not valid."
    _, output, said = record(*client("hello", "hello"))

    assert output == "401\n401\n"
    assert said[2:4] == ["run.db: 2 exchanges recorded", f"all 2 exchanges {why}"]
    upstream.answers += [unary(refused, 401)]
    said = record("--only-success", *client("hello"), target="kept.db")[2]
    assert said[1:] == [
        "kept.db: 0 exchanges recorded",
        "1 exchange left out: no answer with a 2xx status",
        f"the only exchange {why}",
    ]
    upstream.answers += [unary(refused, 401)]
    assert "failed" not in "\n".join(record(*client("hello", "hello"), target="mixed.db")[2])


def test_run_whose_upstream_cannot_be_reached_says_so(record: Record):
    with socket.create_server(("127.0.0.1", 0)) as free:
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}"
    _, output, said = record("--upstream", nowhere, *client("hello"))

    assert output == "502\n"
    assert f"the only exchange failed: no connection ({nowhere})" in said


def test_port_in_use_starts_no_command(record: Record, tmp_path: Path, upstream: Upstream):
    code, _, said = record("--port", str(upstream.port), "--", "touch", "started")

    assert code == 2
    assert [line.startswith("gemtape: ") and "is in use" in line for line in said] == [True]
    assert files(tmp_path) == []


def test_existing_cassette_starts_no_command(record: Record, tmp_path: Path, old: Path):
    before = old.read_bytes()
    code, _, said = record("--", "touch", "started")

    assert code == 2
    assert [line.partition(":")[2].partition(":")[0] for line in said] == [" run.db exists already"]
    assert files(tmp_path) == ["run.db"]
    assert old.read_bytes() == before


def test_command_that_cannot_be_started_leaves_nothing(record: Record, tmp_path: Path):
    (tmp_path / "no-program").write_bytes(b"\x7fELF, or so it says")
    (tmp_path / "no-program").chmod(0o755)

    for name, why in (
        ("no-such-program", "No such file or directory"),
        ("./no-program", "Exec format error"),
    ):
        assert record("--", name) == (2, "", [f"gemtape: cannot run {name}: {why}"])
    assert files(tmp_path) == ["no-program"]


@pytest.mark.parametrize("choice", ["--replace", "--append"])
def test_command_that_cannot_be_started_leaves_a_cassette_as_it_was(
    record: Record, tmp_path: Path, old: Path, choice: str
):
    before = old.read_bytes()

    assert record(choice, "--", "no-such-program")[0] == 2
    assert files(tmp_path) == ["run.db"]
    assert old.read_bytes() == before


@pytest.mark.parametrize(("choice", "kept"), [("--replace", 2), ("--append", 3)])
def test_what_a_failed_command_recorded_is_kept(
    record: Record, tmp_path: Path, old: Path, choice: str, kept: int
):
    assert record(choice, *client("hello", "hello", "exit=3"))[0] == 3
    assert len(stored(old)) == kept
    assert files(tmp_path) == ["run.db"]


def test_replacement_that_recorded_nothing_changes_nothing(record: Record, old: Path):
    before = old.read_bytes()

    assert record("--replace", "--", "true")[2][0] == "nothing was recorded; run.db is as it was"
    assert old.read_bytes() == before


def test_folder_is_recorded_by_name(record: Record, tmp_path: Path):
    code, output, said = record(*client("/refunds/happy:hello", "/refunds/sad:hello"), target="tapes/")

    assert (code, output) == (0, "200\n200\n")
    assert "tapes/refunds/happy.db: 1 exchange recorded" in said
    assert [len(stored(tmp_path / f"tapes/refunds/{name}.db")) for name in ("happy", "sad")] == [1, 1]


def test_request_that_names_no_cassette_of_a_folder_fails_the_run(record: Record):
    code, output, said = record(*client("hello", "/a:hello"), target="tapes/")

    assert (code, output) == (1, "400\n200\n")
    assert "1 exchange refused: the path names no cassette of the folder" in said


def test_sigterm_reaches_the_command_and_the_cassette_is_closed(tmp_path: Path, upstream: Upstream):
    waiting = f"{CLIENT}\nimport time\nprint('ready', file=sys.stderr, flush=True)\ntime.sleep(60)"
    arguments = ["record", "run.db", "--upstream", upstream.url, "--", sys.executable, "-c", waiting, "hello"]
    with program("gemtape", *arguments, cwd=tmp_path) as running:
        running.wait_for("ready")
        code = running.end(signal.SIGTERM)

    assert code == 128 + signal.SIGTERM
    assert "run.db: 1 exchange recorded\nrun.db: 1 exchange, 1 conversation\n" in running.said
    assert "Traceback" not in running.said
    assert files(tmp_path) == ["run.db"]


def test_ctrl_c_at_a_terminal_lets_the_command_end_itself(tmp_path: Path, upstream: Upstream):
    """It may still record what it does to clean up; then the cassette is closed and told of."""
    cleaning = f"""
import sys, time
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.argv[1:] = ["hello", "exit=7"]
{CLIENT}"""
    # The first of its session, so that the terminal becomes its own.
    leading = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from gemtape.cli.main import main; main()"
    arguments = ["record", "run.db", "--upstream", upstream.url, "--", sys.executable, "-c", cleaning]
    ours, theirs = pty.openpty()
    with (
        os.fdopen(ours, "wb", buffering=0) as keyboard,
        subprocess.Popen(
            [sys.executable, "-c", leading, *arguments],
            cwd=tmp_path,
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        os.close(theirs)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        keyboard.write(b"\x03")
        output, said = process.communicate(timeout=60)

    assert (process.returncode, output) == (7, "200\n")
    assert "run.db: 1 exchange recorded\n" in said
    assert "Traceback" not in said
    assert len(stored(tmp_path / "run.db")) == 1


def test_nothing_is_lost_when_nobody_reads_the_lines(tmp_path: Path, upstream: Upstream):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [BIN / "gemtape", "record", "run.db", "--upstream", upstream.url, *client("hello", "hello")],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=writer,
        timeout=60,
        check=False,
    )
    os.close(writer)

    assert done.stdout == b"200\n200\n"
    assert len(stored(tmp_path / "run.db")) == 2


def test_proxy_that_ends_before_the_command_is_told_of_and_fails_the_run(
    record: Record, tmp_path: Path, upstream: Upstream
):
    """The command runs on: whether it needs the proxy any more is its own affair."""

    def tell(proxy: threading.Thread) -> None:
        proxy.join()
        (tmp_path / "gone").touch()

    def end(received: Received) -> Iterator[object]:
        [proxy] = [thread for thread in threading.enumerate() if thread.name == "gemtape-proxy"]
        threading.Thread(target=tell, args=(proxy,)).start()
        ctx.master.shutdown()
        yield from unary(b"{}")(received)

    upstream.answers += [unary(b"{}"), end]
    waiting = '"$@" 2>/dev/null; until [ -e gone ]; do sleep 0.02; done; echo on and on'
    code, output, said = record(
        "--fail-on", "never", "--", "sh", "-c", waiting, "sh", *client("hello", "hello")[1:]
    )

    assert code == 1
    assert output.splitlines()[0] == "200"
    assert output.splitlines()[-1] == "on and on"
    assert "gemtape: the proxy has ended: no more is recorded" in said
    assert said[-1] == "0 errors, 0 warnings, 0 info"
    assert stored(tmp_path / "run.db")
