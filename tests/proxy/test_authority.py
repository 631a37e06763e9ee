"""The certificate authority: made once, the user's own, and good for Google's APIs alone."""

from __future__ import annotations

import datetime as dt
import os
import ssl
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509
from mitmproxy import certs

from gemtape.cassettes.errors import SetupError
from gemtape.proxy import authority as authority_module
from gemtape.proxy.authority import Authority, data_folder, find_authority


@pytest.fixture
def environ(tmp_path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_made_on_first_use_and_kept(environ):
    made = find_authority(environ)
    certificate = made.certificate.read_bytes()

    assert made.folder == Path(environ["XDG_DATA_HOME"], "gemtape", "ca")
    assert find_authority(environ).certificate.read_bytes() == certificate
    assert made.load().default_ca.to_pem() == certificate
    assert sorted(path.name for path in made.folder.parent.iterdir()) == ["ca"], "nothing is left lying about"


def test_only_its_user_can_read_it(environ):
    before = os.umask(0)
    try:
        made = find_authority(environ)
    finally:
        os.umask(before)

    assert mode(made.secret) == 0o600
    assert mode(made.folder) == mode(made.folder.parent) == 0o700
    assert b"PRIVATE" not in made.certificate.read_bytes()


def test_named_as_ours_and_limited_to_googles_apis(environ):
    certificate = x509.load_pem_x509_certificate(find_authority(environ).certificate.read_bytes())

    assert "CN=gemtape CA" in certificate.subject.rfc4514_string()
    constraints = certificate.extensions.get_extension_for_class(x509.NameConstraints)
    assert constraints.critical
    assert constraints.value.permitted_subtrees == [x509.DNSName("googleapis.com")]


@pytest.mark.parametrize(
    ("name", "trusted"), [("generativelanguage.googleapis.com", True), ("bank.test", False)]
)
def test_what_it_signs_for_other_names_is_not_trusted(environ, name, trusted):
    made = find_authority(environ)
    leaf = made.load().get_cert(name, [x509.DNSName(name)])
    server, client = ssl.MemoryBIO(), ssl.MemoryBIO()
    pem = made.folder / "leaf.pem"
    pem.write_bytes(leaf.cert.to_pem() + made.secret.read_bytes())
    offering = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    offering.load_cert_chain(pem)
    asking = ssl.create_default_context(cafile=made.certificate)
    sides = (
        asking.wrap_bio(client, server, server_hostname=name),
        offering.wrap_bio(server, client, server_side=True),
    )

    def shake_hands() -> None:
        done = set()
        while len(done) < 2:
            for side in sides:
                try:
                    side.do_handshake()
                    done.add(side)
                except ssl.SSLWantReadError:
                    pass

    if trusted:
        shake_hands()
    else:
        with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
            shake_hands()


def test_processes_that_begin_at_once_end_with_the_same_one(environ):
    script = (
        "import os, sys\n"
        "from gemtape.proxy.authority import find_authority\n"
        "import mitmproxy.certs\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(find_authority(os.environ).load().default_ca.fingerprint().hex())\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    said = {process.communicate(timeout=60)[0] for process in processes}

    assert said == {f"{find_authority(environ).load().default_ca.fingerprint().hex()}\n"}
    assert sorted(path.name for path in Path(environ["XDG_DATA_HOME"], "gemtape").iterdir()) == ["ca"]


def test_folder_without_a_key_is_not_touched(environ):
    folder = Path(environ["XDG_DATA_HOME"], "gemtape", "ca")
    folder.mkdir(parents=True)
    (folder / "mine").touch()

    with pytest.raises(
        SetupError, match=r"cannot make a certificate authority in .*not empty; remove .*`gemtape ca`"
    ):
        find_authority(environ)
    assert [path.name for path in folder.iterdir()] == ["mine"]


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing there")
@pytest.mark.parametrize(
    ("of", "mode"), [("secret", 0o640), ("secret", 0o604), ("folder", 0o770), ("folder", 0o707)]
)
def test_one_that_others_can_read_or_change_is_not_used(environ, of, mode):
    made = find_authority(environ)
    getattr(made, of).chmod(mode)

    with pytest.raises(SetupError, match=r"is open to other users; remove .*`gemtape ca`"):
        find_authority(environ)


@pytest.mark.skipif(os.name == "nt", reason="there is no such function")
def test_one_of_another_user_is_not_used(environ, monkeypatch):
    made = find_authority(environ)
    monkeypatch.setattr(os, "geteuid", lambda: made.folder.stat().st_uid + 1)

    with pytest.raises(SetupError, match=r"ca belongs to another user; remove"):
        find_authority(environ)


@pytest.mark.parametrize(
    "held", [None, b"", b" ", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_certificate_that_the_key_does_not_belong_to_is_said(environ, held):
    """Clients would be told to trust what nothing is signed with, and then told so again."""
    made = find_authority(environ)
    made.certificate.unlink()
    if held is not None:
        made.certificate.write_bytes(held)

    with pytest.raises(SetupError, match=r"is not the certificate of the key beside it; remove"):
        find_authority(environ)


@pytest.mark.parametrize("damage", [lambda _: b"", lambda _: b"-----BEGIN nothing", lambda key: key[700:]])
def test_damaged_key_is_said_with_what_to_do(environ, damage):
    made = find_authority(environ)
    made.secret.write_bytes(damage(made.secret.read_bytes()))

    with pytest.raises(
        SetupError, match=r"gemtape-ca\.pem cannot be used: it is damaged; remove .*`gemtape ca`"
    ):
        made.load()


def test_expired_one_is_said(environ, monkeypatch):
    begins = getattr(certs, "CERT_VALIDITY_OFFSET", dt.timedelta())  # mitmproxy 12 counts from there
    monkeypatch.setattr(certs, "CA_EXPIRY", dt.timedelta(hours=-1) - begins)

    with pytest.raises(SetupError, match="expired; remove"):
        find_authority(environ).load()


def test_one_that_is_there_is_found_without_mitmproxy(environ, monkeypatch):
    made = find_authority(environ)
    monkeypatch.setattr(authority_module.importlib.util, "find_spec", lambda _: None)

    assert find_authority(environ) == made
    with pytest.raises(SetupError, match=r"needs mitmproxy: pipx install 'gemtape\[proxy\]'"):
        find_authority({"XDG_DATA_HOME": "/nowhere"})


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "data").touch()

    with pytest.raises(SetupError, match="cannot make a certificate authority"):
        find_authority({"XDG_DATA_HOME": str(tmp_path / "data")})


@pytest.mark.parametrize("named", ["", "relative/folder"])
def test_data_folder_is_the_usual_one_unless_named(named, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_folder({"XDG_DATA_HOME": named}) == tmp_path / ".local" / "share"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_folder({"XDG_DATA_HOME": named}) == tmp_path / "Library" / "Application Support"
    monkeypatch.setattr(sys, "platform", "win32")
    assert data_folder({"XDG_DATA_HOME": named, "LOCALAPPDATA": "/local"}) == Path("/local")


def test_paths_lie_in_the_folder(tmp_path):
    found = Authority(tmp_path)

    assert {path.parent for path in (found.certificate, found.secret, found.parameters)} == {tmp_path}
