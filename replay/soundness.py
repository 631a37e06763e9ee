"""A cassette played to itself: every request that it holds, in any order, has to get its own answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from ..cassettes.lookup import Lookup, Repeat
from ..cassettes.store import Cassette
from ..cassettes.verifying import Kind, Problem, strict_key
from .answering import Answering, Options, Verdict
from .delivery import AS_RECORDED


def shuffled(cassette: Cassette, options: Options, seed: int = 0) -> Iterator[Problem]:
    """What goes wrong when the requests of a cassette come in another order, each once.

    A request gets its own answer, or, where equal ones were recorded, one of theirs, each of them once.

    Args:
        cassette: what is played.
        options: how it is played, besides what would change the answers.
        seed: makes another order.
    """
    plain = replace(options, repeat=Repeat.ONCE, collapse_retries=False, faults=(), delivery=AS_RECORDED)
    answering = Answering(Lookup(cassette, Repeat.ONCE), plain, "")
    numbers = list(range(1, len(cassette) + 1))
    random.Random(seed).shuffle(numbers)  # noqa: S311 - no secret
    for number in numbers:
        entry = cassette.entry(number)
        reply = answering.answer(answering.read(entry.exchange().request))
        if reply.verdict is not Verdict.HIT:
            yield Problem(Kind.CONFUSABLE, f"its own request does not get it, but: {reply.note}", number)
        elif strict_key(cassette, cassette.entry(reply.number)) != strict_key(cassette, entry):
            words = f"when requests come in another order, its request gets the answer of {reply.number}"
            yield Problem(Kind.CONFUSABLE, words, number)
    for number in answering.tally().unused:
        yield Problem(Kind.CONFUSABLE, "it answers none of the cassette's own requests", number)
