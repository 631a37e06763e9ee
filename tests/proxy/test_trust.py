"""Files that clients trust: our authority, and what they trust anyway."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import certifi
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.proxy.authority import Authority, find_authority
from gemtape.proxy.trust import JAVA_PASSWORD, trust_files


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Authority:
    return find_authority({"XDG_DATA_HOME": str(tmp_path_factory.mktemp("data"))})


@pytest.fixture
def authority(made, tmp_path) -> Authority:
    shutil.copytree(made.folder, tmp_path / "ca")
    return Authority(tmp_path / "ca")


@pytest.fixture
def other(tmp_path) -> Path:
    """The authority of somebody else, say of a company's proxy."""
    return find_authority({"XDG_DATA_HOME": str(tmp_path / "other")}).certificate


def certificates(path: Path) -> set[bytes]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(path)
    return set(context.get_ca_certs(binary_form=True))


def test_bundle_holds_our_authority_and_the_usual_roots(authority):
    trust = trust_files(authority, {})

    assert trust.certificate == authority.certificate
    assert certificates(trust.bundle) >= certificates(authority.certificate) | certificates(certifi.where())


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_roots_that_the_user_named_stand_for_the_usual_ones(authority, other, name):
    trust = trust_files(authority, {name: str(other)})

    assert certificates(trust.bundle) == certificates(authority.certificate) | certificates(other)


def test_nodes_extra_ones_come_on_top(authority, other):
    trust = trust_files(authority, {"NODE_EXTRA_CA_CERTS": str(other)})

    assert certificates(trust.bundle) >= certificates(other) | certificates(certifi.where())


def test_our_own_files_in_the_environment_change_nothing(authority):
    trust = trust_files(authority, {})

    assert trust_files(authority, {"SSL_CERT_FILE": str(trust.bundle)}) == trust


def test_files_stay_as_they_are_until_something_changes(authority, other):
    """A command that runs may be about to read them."""
    first = trust_files(authority, {})
    before = [path.stat().st_ino for path in (first.bundle, first.java)]
    second = trust_files(authority, {"SSL_CERT_FILE": str(other)})

    assert trust_files(authority, {}) == first
    assert [path.stat().st_ino for path in (first.bundle, first.java)] == before
    assert {second.bundle, second.java}.isdisjoint({first.bundle, first.java})

    first.bundle.write_text("")
    trust_files(authority, {})
    assert certificates(first.bundle)


def test_file_that_cannot_be_read_is_said(authority, tmp_path):
    authority.certificate.unlink()

    with pytest.raises(SetupError, match="the certificate of gemtape's authority: cannot read"):
        trust_files(authority, {})


@pytest.mark.skipif(not shutil.which("keytool"), reason="no Java here")
def test_java_reads_its_store(authority, other):
    trust = trust_files(authority, {"SSL_CERT_FILE": str(other)})
    command = [
        "keytool",
        "-J-Xshare:auto",
        "-list",
        "-rfc",
        "-keystore",
        str(trust.java),
        "-storepass",
        JAVA_PASSWORD,
    ]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    assert listed.count("trustedCertEntry") == 2
    assert authority.certificate.read_text().splitlines()[1] in listed
