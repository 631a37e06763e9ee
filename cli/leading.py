"""How clients are led to a recording: by a base URL, or by a proxy that they are told to use."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Protocol

from ..cassettes.environment import client_variables
from ..cassettes.forwarding import forward_variables
from ..cassettes.hosts import is_loopback
from ..proxy.authority import find_authority
from ..proxy.forward import Forward
from ..proxy.routing import Router
from ..proxy.trust import trust_files
from .beside import no_traffic, overridden


class Way(Protocol):
    """A way to lead clients to a recording."""

    @property
    def forward(self) -> Forward | None:
        """What makes the listener a forward proxy."""
        ...

    def lines(self, url: str) -> Iterator[str]:
        """What to say once it listens."""
        ...

    def variables(self, url: str, environ: Mapping[str, str]) -> Mapping[str, str]:
        """What a command's environment gains."""
        ...

    def silence(self) -> str:
        """Why no request came, as far as can be told."""
        ...


class ByBaseUrl:
    """Clients have the base URL of gemtape where that of Google would stand."""

    forward = None

    def __init__(self, target: str, router: Router, *, folder: bool, openai: bool) -> None:
        self._target = target
        self._router = router
        self._name = "/NAME" if folder else ""
        self._openai = openai
        self._added: Mapping[str, str] = {}

    def lines(self, url: str) -> Iterator[str]:
        """What to say once it listens."""
        yield f"gemtape records {self._target}{', one cassette a NAME,' if self._name else ''} on {url}"
        yield f"requests are sent to {self._router}"
        yield f"base URL for clients: {url}{self._name}"

    def variables(self, url: str, environ: Mapping[str, str]) -> Mapping[str, str]:
        """What a command's environment gains."""
        self._added = client_variables(url, environ, dummy_key=False, openai=self._openai)
        return self._added

    def silence(self) -> str:
        """Why no request came to a command's recording."""
        return no_traffic(self._added)


class ByProxy:
    """Clients ask Google, by a proxy that they are told to use and whose authority they are made to trust."""

    def __init__(self, target: str, host: str, router: Router) -> None:
        """Find the user's authority, or make it.

        Raises:
            SetupError: it cannot be made.
        """
        self._target = target
        self._host = host
        self._router = router
        self.forward = Forward(find_authority(os.environ))
        self._elsewhere: Mapping[str, str] = {}

    def lines(self, url: str) -> Iterator[str]:
        """What to say once it listens."""
        yield f"gemtape records {self._target} as an HTTPS proxy on {url}"
        sent = self._router.sent_to
        yield (
            "decrypted and recorded: the Gemini API, Vertex AI and Code Assist"
            f"{f', sent to {sent}' if sent else ''}; everything else passes as it is"
        )
        yield f"for clients: HTTPS_PROXY={url} and, as `gemtape ca` says, {self.forward.authority.certificate}"
        if not is_loopback(self._host):
            yield f"warning: whoever reaches {self._host or 'this machine'} can go anywhere by this proxy"

    def variables(self, url: str, environ: Mapping[str, str]) -> Mapping[str, str]:
        """What a command's environment gains.

        Raises:
            SetupError: certificates that it trusts already cannot be read.
        """
        self._elsewhere = overridden(client_variables(url, environ, dummy_key=False), environ)
        trust = trust_files(self.forward.authority, environ)
        return forward_variables(
            url, environ, certificate=trust.certificate, bundle=trust.bundle, java_store=trust.java
        )

    def silence(self) -> str:
        """Why nothing was recorded."""
        names = ", ".join(self._elsewhere)
        besides = f"; {names} in the environment leads clients elsewhere" if names else ""
        return f"warning: {self.forward.silence()}{besides}"
