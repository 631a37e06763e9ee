"""What the environment and the process give to the proxy."""

from __future__ import annotations

import os
import resource

import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.proxy.surroundings import raise_file_limit, trusted_authorities


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR"])
def test_authorities_of_the_environment_are_trusted(tmp_path, name):
    bundle = tmp_path / "ca.pem"
    bundle.write_text("")

    assert trusted_authorities({name: str(bundle)}) == {"ssl_verify_upstream_trusted_ca": str(bundle)}
    assert trusted_authorities({name: str(tmp_path)}) == {
        "ssl_verify_upstream_trusted_confdir": str(tmp_path)
    }
    with pytest.raises(SetupError, match=f"{name} names .*does not exist"):
        trusted_authorities({name: str(tmp_path / "gone.pem")})


def test_first_folder_of_a_list_is_trusted(tmp_path):
    listed = os.pathsep.join([str(tmp_path / "gone"), str(tmp_path)])

    assert trusted_authorities({"SSL_CERT_DIR": listed}) == {
        "ssl_verify_upstream_trusted_confdir": str(tmp_path)
    }


def test_no_variable_leaves_mitmproxys_own_list():
    assert trusted_authorities({"SSL_CERT_FILE": ""}) == {}


def test_file_limit_is_raised_as_far_as_it_may():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= min(8192, hard) > 256
        raise_file_limit()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
