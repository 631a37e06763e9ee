"""The recorder that tests are recorded with: a process that is found, started, and gone in the end."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.store import Cassette
from gemtape.replay import recorder as module
from gemtape.replay.recorder import Recorder, recording_command
from tests.factories import MODEL, exchange, user
from tests.upstream import Upstream, unary

PATH = f"/v1beta/models/{MODEL}:generateContent"
BODY = exchange([user("hello")]).request.body


def program(folder: Path, text: str, name: str = "gemtape") -> Path:
    """A program that a user may have on the path."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return path


def test_records_each_name_into_a_cassette_of_its_own():
    with Upstream(unary(b'{"candidates": []}')) as upstream, httpx.Client(trust_env=False) as client:
        recorder = Recorder(upstream=upstream.url)
        statuses = [
            client.post(f"{recorder.url}/{name}{PATH}", content=BODY).status_code for name in ("t1", "t2")
        ]
        with Cassette.read(recorder.cassette("t1")) as while_it_runs:
            assert len(while_it_runs) == 1
        recorder.end()
        with Cassette.read(recorder.cassette("t2")) as afterwards:
            assert len(afterwards) == 1
        assert not recorder.cassette("t3").exists()
        recorder.stop()

    assert statuses == [200, 200]
    assert not recorder.cassette("t1").parent.exists()
    with pytest.raises(httpx.ConnectError):
        httpx.get(recorder.url, trust_env=False)


def test_what_the_recorder_says_is_what_the_user_reads():
    """It refuses an upstream that cannot be one."""
    with pytest.raises(SetupError, match=r"the recorder did not start: .*nonsense"):
        Recorder(upstream="nonsense")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(3)", "exit code 3"),
        ("import sys; sys.exit('no\\nsuch thing')", "no / such thing"),
    ],
)
def test_other_recorder_that_does_not_start(tmp_path: Path, text: str, said: str):
    with pytest.raises(SetupError, match=f"the recorder did not start: {said}"):
        Recorder(shlex.quote(str(program(tmp_path, text))))


def test_recorder_that_is_not_there():
    with pytest.raises(SetupError, match="cannot run no-such-program: No such file"):
        Recorder("no-such-program record")


def test_recorder_that_never_listens_is_ended(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "_STARTING_S", 0.2)
    path = program(
        tmp_path,
        f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)",
    )
    with pytest.raises(SetupError, match=r"the recorder did not listen within 0\.2 s"):
        Recorder(shlex.quote(str(path)))

    if (written := tmp_path / "pid").exists():  # else it was ended before it could say anything
        with pytest.raises(ProcessLookupError):
            os.kill(int(written.read_text()), 0)


def test_recorder_that_does_not_end_is_killed(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "_STOPPING_S", 0.2)
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('base URL for clients: http://127.0.0.1:9/NAME', flush=True)\n"
        "time.sleep(60)"
    )
    recorder = Recorder(shlex.quote(str(program(tmp_path, stubborn))))
    recorder.stop()

    assert recorder.url == "http://127.0.0.1:9"
    assert recorder._process
    assert recorder._process.returncode == -9


def test_command_is_told_what_to_record_with(tmp_path: Path):
    """Whatever runs gemtape, with arguments of its own: the folder, a free port, the upstream."""
    telling = (
        "import sys; print(sys.argv[1:]); print('base URL for clients: http://127.0.0.1:9/NAME', flush=True)"
    )
    command = f"{sys.executable} {program(tmp_path, telling, 'my tool')!s}".replace("my tool", "'my tool'")
    recorder = Recorder(f"{command} run gemtape", upstream="http://gateway")
    said = recorder._said.read_text()
    recorder.stop()

    assert "['run', 'gemtape', 'record', '" in said
    assert "tapes/', '--port', '0', '--upstream', 'http://gateway']" in said


def test_command_is_run_where_the_configuration_is_and_found_from_here(tmp_path: Path, monkeypatch):
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path)
    telling = "import os, sys; print(os.getcwd(), sys.argv); print('base URL for clients: http://127.0.0.1:9/NAME', flush=True)"
    program(tmp_path, telling, "tool")
    recorder = Recorder("./tool", more=["--mode", "new"], cwd=tmp_path / "project")
    said = recorder._said.read_text()
    recorder.stop()

    assert said.startswith(f"{tmp_path / 'project'} [")
    assert "'--port', '0', '--mode', 'new']" in said


def test_own_environment_is_used_where_it_can_record():
    assert recording_command({}) == [sys.executable, "-m", "gemtape.cli"]


def test_another_gemtape_on_the_path_is_used_where_this_one_cannot_record(tmp_path: Path, monkeypatch):
    """As pipx puts one there, behind the one of an active environment."""
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    other = program(tmp_path, "")
    ours = str(Path(sys.executable).parent)

    assert recording_command({"PATH": os.pathsep.join([ours, str(tmp_path)])}) == [str(other)]
    for path in (ours, ""):
        with pytest.raises(SetupError, match="pipx install 'gemtape\\[proxy\\]'"):
            recording_command({"PATH": path})
