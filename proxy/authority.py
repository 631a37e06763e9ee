"""Our own certificate authority, which forward mode signs with: made once for each user and kept in their data folder.

Nothing but forward mode and `gemtape ca` makes one. Clients that check name constraints, which is nearly all, let it vouch
for Google's APIs only, so trusting it opens nothing else, even to somebody who stole its key.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..cassettes.errors import SetupError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.x509 import Certificate
    from mitmproxy.certs import CertStore

_NAME: Final = "gemtape"
_KEY_BITS: Final = 2048
_DOMAIN: Final = "googleapis.com"
"""What it can vouch for, names below it included."""


@dataclass(frozen=True, slots=True)
class Authority:
    """The files of an authority; all of them lie in `folder`, which only its user can enter."""

    folder: Path

    @property
    def certificate(self) -> Path:
        """What clients have to trust."""
        return self.folder / f"{_NAME}-ca-cert.pem"

    @property
    def secret(self) -> Path:
        """The private key, with the certificate."""
        return self.folder / f"{_NAME}-ca.pem"

    @property
    def parameters(self) -> Path:
        """Public parameters of the key exchange, which mitmproxy wants as a file."""
        return self.folder / f"{_NAME}-dhparam.pem"

    def load(self) -> CertStore:
        """The authority as mitmproxy signs with it.

        Raises:
            SetupError: its files cannot be read, or it has expired.
        """
        from mitmproxy import certs  # noqa: PLC0415 - slow, and an extra that `gemtape ca` can do without

        try:
            store = certs.CertStore.from_files(self.secret, self.parameters)
        except (OSError, ValueError, IndexError) as error:
            # OpenSSL takes a paragraph to say that this is no key.
            reason = error.strerror if isinstance(error, OSError) else "it is damaged"
            raise SetupError(f"{self.secret} cannot be used: {reason}; {self.renewal()}") from error
        if store.default_ca.has_expired():
            raise SetupError(f"the certificate authority of gemtape has expired; {self.renewal()}")
        return store

    def check(self) -> None:
        """Make sure that nobody else can sign in our name, and that what clients trust is what signs.

        Raises:
            SetupError: they can, or it is not.
        """
        for path, forbidden in (self.folder, 0o022), (self.secret, 0o077):
            found = path.stat()
            if os.name == "nt":  # where these say nothing
                break
            if os.geteuid() not in (0, found.st_uid):
                raise SetupError(f"{path} belongs to another user; {self.renewal()}")
            if found.st_mode & forbidden:
                raise SetupError(f"{path} is open to other users; {self.renewal()}")
        try:
            held = self.certificate.read_bytes().strip()
            matches = held != b"" and held in self.secret.read_bytes()
        except FileNotFoundError:
            matches = False
        if not matches:
            raise SetupError(
                f"{self.certificate} is not the certificate of the key beside it; {self.renewal()}"
            )

    def renewal(self) -> str:
        """What to do about an authority that is not to be used."""
        return f"remove {self.folder}, and the next `gemtape ca` makes a new one, to be trusted anew"


def find_authority(environ: Mapping[str, str]) -> Authority:
    """The user's authority; it is made if there is none yet.

    Args:
        environ: names the data folder, as the XDG base directories do.

    Raises:
        SetupError: it cannot be made, or one that is there is not to be used.
    """
    authority = Authority(data_folder(environ) / _NAME / "ca")
    if not authority.secret.exists():
        if importlib.util.find_spec("mitmproxy") is None:
            raise SetupError("making a certificate authority needs mitmproxy: pipx install 'gemtape[proxy]'")
        try:
            _make(authority)
        except OSError as error:
            remedy = f"; {authority.renewal()}" if authority.folder.is_dir() else ""
            raise SetupError(
                f"cannot make a certificate authority in {authority.folder}: {error.strerror}{remedy}"
            ) from error
    authority.check()
    return authority


def data_folder(environ: Mapping[str, str]) -> Path:
    """Where programs keep what is this user's."""
    named = environ.get("XDG_DATA_HOME", "")
    if Path(named).is_absolute():  # the specification has any other ignored
        return Path(named)
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"


def _make(authority: Authority) -> None:
    """Make it beside its place and rename it there: of several processes that do so at once one wins, for all of them."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - comes with mitmproxy
    from mitmproxy import certs  # noqa: PLC0415 - see above

    folder = authority.folder
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = Authority(Path(tempfile.mkdtemp(prefix="ca-", dir=folder.parent)))  # 0700
    try:
        pem = serialization.Encoding.PEM
        key, certificate = _constrained(
            *certs.create_ca(organization=_NAME, cn=f"{_NAME} CA", key_size=_KEY_BITS)
        )
        public = certificate.public_bytes(pem)
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        _write_secret(made.secret, secret + public)
        made.certificate.write_bytes(public)
        certs.CertStore.load_dhparam(made.parameters)  # writes them
        made.folder.rename(folder)
    except OSError:
        if not authority.secret.exists():
            raise
    finally:
        shutil.rmtree(made.folder, ignore_errors=True)


def _constrained(key: RSAPrivateKey, certificate: Certificate) -> tuple[RSAPrivateKey, Certificate]:
    """The same authority for fewer names."""
    from cryptography import x509  # noqa: PLC0415 - comes with mitmproxy
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    builder = (
        x509.CertificateBuilder()
        .subject_name(certificate.subject)
        .issuer_name(certificate.issuer)
        .public_key(key.public_key())
        .serial_number(certificate.serial_number)
        .not_valid_before(certificate.not_valid_before_utc)
        .not_valid_after(certificate.not_valid_after_utc)
        .add_extension(x509.NameConstraints([x509.DNSName(_DOMAIN)], None), critical=True)
    )
    for extension in certificate.extensions:
        builder = builder.add_extension(extension.value, extension.critical)
    return key, builder.sign(key, hashes.SHA256())


def _write_secret(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
