"""What a client finds in its environment when it goes through a forward proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.forwarding import excepts, forward_variables

FILES = {
    "certificate": Path("/ca/ca.pem"),
    "bundle": Path("/ca/trust.pem"),
    "java_store": Path("/ca/trust.jks"),
}


def variables(**environ: str) -> dict[str, str]:
    return forward_variables("http://127.0.0.1:8090/", environ, **FILES)


def test_every_runtime_gets_a_proxy_and_the_authority():
    assert variables() == {
        "HTTPS_PROXY": "http://127.0.0.1:8090",
        "https_proxy": "http://127.0.0.1:8090",
        "SSL_CERT_FILE": "/ca/trust.pem",
        "REQUESTS_CA_BUNDLE": "/ca/trust.pem",
        "CURL_CA_BUNDLE": "/ca/trust.pem",
        "NODE_EXTRA_CA_CERTS": "/ca/ca.pem",
        "NODE_USE_ENV_PROXY": "1",
        "JAVA_TOOL_OPTIONS": (
            "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8090 "
            "-Djavax.net.ssl.trustStore=/ca/trust.jks -Djavax.net.ssl.trustStoreType=JKS"
        ),
    }


def test_what_is_there_already_is_kept_where_it_can_be():
    added = variables(NODE_EXTRA_CA_CERTS="/mine.pem", JAVA_TOOL_OPTIONS="-Xmx1g")

    assert added["NODE_EXTRA_CA_CERTS"] == "/ca/trust.pem", "which holds the user's own"
    assert added["JAVA_TOOL_OPTIONS"].startswith("-Xmx1g -Dhttps.proxyHost=")


def test_path_with_a_space_is_quoted_for_java():
    files = FILES | {"java_store": Path("/my data/trust.jks")}
    options = forward_variables("http://127.0.0.1:1", {}, **files)["JAVA_TOOL_OPTIONS"]

    assert "'-Djavax.net.ssl.trustStore=/my data/trust.jks'" in options


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("*", ""),
        ("localhost,127.0.0.1,::1,.corp:8080", "localhost,127.0.0.1,::1,.corp:8080"),
        (" .googleapis.com , intra", "intra"),
        ("*.googleapis.com,com,GENERATIVELANGUAGE.googleapis.com:443", ""),
        ("us-central1-aiplatform.googleapis.com,rep.googleapis.com", ""),
        ("storage.googleapis.com,example.com,apis.com", "storage.googleapis.com,example.com,apis.com"),
    ],
)
@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_no_exception_of_the_users_leads_around_us(name, given, kept):
    assert variables(**{name: given})[name] == kept
    assert {"NO_PROXY", "no_proxy"} & variables(**{name: given}).keys() == {name}


@pytest.mark.parametrize(
    ("listed", "host", "excepted"),
    [
        ("", "a.test", False),
        ("*", "a.test", True),
        ("a.test", "a.test", True),
        ("a.test", "b.a.test", True),
        (".a.test, *.b.test", "x.B.test", True),
        ("a.test", "ba.test", False),
        ("a.test:443", "a.test", True),
        ("a.test:80", "a.test", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("::1, fd00::/8", "fd00::5", True),
        ("10.0.0.1", "10.0.0.1", True),
    ],
)
def test_no_proxy_is_read_as_other_clients_read_it(listed, host, excepted):
    assert excepts(listed, host, 443) is excepted
