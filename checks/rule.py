"""What a rule is: its page, and the functions that look at a run, a request or an answer.

Rules take what is given to them and yield findings; they open nothing, print nothing and keep nothing. A rule about the
history looks at one run at a time (and those before it): what it says of a run is kept and never asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..cassettes.entry import Entry
from ..cassettes.normal import normalise
from ..cassettes.schema import GENERATE
from .conversation import PartAt, Run
from .executions import Executions
from .finding import Finding
from .ledger import Ledger, Origin, Record
from .lost import Lost
from .returned import Returned
from .settings import Settings
from .target import Target

if TYPE_CHECKING:
    from .pins import Pin


@dataclass(frozen=True)
class RunContext:
    """One run of a history: what precedes it is in `run.before`.

    `returned` is the recorded answer that a model run should be, None where its origin is unknown. `closed` are the
    answers of the history that no later run can hold more of: those before it, or all where the history ends. `lost` are
    recorded answers that should stand in or before the run. `final` says that the history ends here, at `now` (unix time
    in seconds at which the request began; infinite where unknown).
    """

    run: Run
    target: Target
    ledger: Ledger
    returned: Returned | None = None
    closed: tuple[Returned, ...] = ()
    lost: tuple[Lost, ...] = ()
    final: bool = False
    now: float = 0.0
    answered: Returned | None = None
    """The recorded answer that the model run before a user run should be."""
    newest: Returned | None = None
    """The newest recorded answer in front of the run, in its history."""
    continues: Record | None = None
    """The exchange that the history in front of the run goes on from."""
    settings: Settings = field(default_factory=Settings)
    executions: Executions = field(default_factory=lambda: Executions(Settings()))
    """What ran of the functions that the settings name, this run included."""

    @property
    def conversation(self) -> int | None:
        """The conversation that the run belongs to, going by where it stands; None where that is not known."""
        home = self.returned
        if home is not None and not home.in_place:
            home = home.previous or home
        home = home or self.newest
        return home.record.conversation if home else None

    def is_at_home(self, origin: Origin, at: PartAt) -> bool:
        """Whether a signature sits on a part of the run that it was issued with."""
        home = self.returned
        return home is not None and origin.record is home.record and home.may_carry(origin.value, at)


@dataclass(frozen=True)
class RequestContext:
    """A whole request: `run` is the last run of its history, None where it has none."""

    entry: Entry
    target: Target
    ledger: Ledger
    run: Run | None
    continues: Record | None
    """The exchange that this request continues, None where it starts a conversation."""
    findings: Sequence[Finding] = ()
    """What was found in the request so far; all of it once its answer is looked at."""
    pin: Pin | None = None
    """What declarations are compared with; None: with nothing."""

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The request besides its history, instruction and tools, in normal form."""
        normal = normalise(self.entry.layout.settings, GENERATE)
        return normal if isinstance(normal, dict) else {}

    @cached_property
    def tools(self) -> list[Any]:
        """The tools in normal form."""
        return [turn.normal for turn in self.entry.layout.tools.line()]

    @cached_property
    def declarations(self) -> list[tuple[int, int, dict[str, Any]]]:
        """Every function declaration with the indices of its tool and of itself."""
        found: list[tuple[int, int, dict[str, Any]]] = []
        for index, tool in enumerate(self.tools):
            declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
            for at, declaration in enumerate(declared if isinstance(declared, list) else []):
                if isinstance(declaration, dict):
                    found.append((index, at, declaration))
        return found

    @cached_property
    def declared_names(self) -> tuple[str, ...]:
        """The names of the declared functions, sorted, each once."""
        return tuple(sorted({str(declaration.get("name", "")) for _, _, declaration in self.declarations}))

    @cached_property
    def calling_config(self) -> dict[str, Any]:
        """``toolConfig.functionCallingConfig``, empty where there is none."""
        config = self.settings.get("toolConfig")
        calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
        return calling if isinstance(calling, dict) else {}

    @cached_property
    def calling_mode(self) -> str:
        """The function calling mode, empty where none is set; JSON may give it by number."""
        mode = self.calling_config.get("mode")
        if isinstance(mode, str):
            return mode.upper()
        return _MODES.get(mode, "") if isinstance(mode, int) else ""


_MODES = {1: "AUTO", 2: "ANY", 3: "NONE"}
OnRun = Callable[[RunContext], Iterator[Finding]]
OnRequest = Callable[[RequestContext], Iterator[Finding]]


@dataclass(frozen=True)
class Rule:
    """One rule. `page` is the module's docstring: what it finds, why, how to mend it."""

    name: str
    page: str = field(repr=False)
    on_run: OnRun | None = None
    """Looks at each run of the history."""
    on_request: OnRequest | None = None
    """Looks at the request as a whole: tools, configuration, the end of the history."""
    on_answer: OnRequest | None = None
    """Looks at the answer."""

    @property
    def summary(self) -> str:
        """The first line of its page, without its name."""
        return self.page.strip().partition("\n")[0]
