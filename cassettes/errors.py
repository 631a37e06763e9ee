"""The errors a person can act on.

::

    GemtapeError                 one line for the user, exit code 2
    ├── CassetteError            the file cannot serve as a cassette
    │   ├── CassetteMissing      there is no such file
    │   ├── CassetteExists       it would be overwritten
    │   ├── NotACassette         it is something else, or damaged
    │   ├── CassetteTooNew       a newer gemtape wrote it
    │   └── CassetteBusy         another recorder is writing it
    ├── CassetteNameError        a path prefix cannot name a cassette
    ├── TranscriptError          a transcript line breaks the format
    ├── PinError                 the file is no pin
    ├── ConfigError              the configuration says something that it cannot say
    └── SetupError               an option, address or upstream that cannot work, or a missing extra
"""

from __future__ import annotations


class GemtapeError(Exception):
    """Base class for everything that ends a command with one line and exit code 2."""


class CassetteError(GemtapeError):
    """The file cannot serve as a cassette."""


class CassetteMissing(CassetteError):
    """There is no cassette at this path."""


class CassetteExists(CassetteError):
    """A cassette is already there and nothing said what to do with it."""


class NotACassette(CassetteError):
    """The file is not a cassette, or it is damaged."""


class CassetteTooNew(CassetteError):
    """A newer gemtape wrote this cassette."""


class CassetteBusy(CassetteError):
    """Another recorder is writing this cassette."""


class CassetteNameError(GemtapeError):
    """A path prefix cannot be used as the name of a cassette."""


class TranscriptError(GemtapeError):
    """A transcript line does not follow the format."""


class PinError(GemtapeError):
    """A pin cannot be read, or there is nothing to pin."""


class ConfigError(GemtapeError):
    """The configuration, a rule's name or a baseline cannot be read, or says something that it cannot say."""


class SetupError(GemtapeError):
    """An option, address or upstream that cannot work, or an extra that is not installed."""
