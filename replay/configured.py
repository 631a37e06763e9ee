"""How cassettes are played when nothing else is said: by the user's configuration."""

from __future__ import annotations

from ..cassettes.lookup import Repeat
from ..cassettes.redaction import Redactor
from ..checks.config import Config
from .answering import Options


def configured(
    config: Config,
    *,
    repeat: Repeat | None = None,
    lenient: bool | None = None,
    default: Repeat = Repeat.LAST,
) -> Options:
    """The options that a configuration gives.

    Args:
        config: the user's configuration.
        repeat: what was asked for instead of the configured one; `default` holds where neither says.
        lenient: the same, for serving what the API would refuse.
        default: what equal requests get at the end, where nobody says.

    Raises:
        ConfigError: the configured baseline cannot be read.
    """
    return Options(
        repeat=repeat or config.repeat or default,
        lenient=config.strict is False if lenient is None else lenient,
        redactor=Redactor(config.secrets),
        matching=config.matching,
        selection=config.selection(),
        settings=config.settings,
    )
