"""The bounded cache."""

from __future__ import annotations

from gemtape.cassettes.bounded import Bounded


def test_what_was_not_used_for_longest_makes_room():
    cache: Bounded[str, int] = Bounded(3)
    for number, key in enumerate("abc"):
        cache.put(key, number, 1)
    cache.get("a")

    cache.put("d", 3, 1)

    assert [cache.get(key) for key in "abcd"] == [0, None, 2, 3]


def test_weights_decide_how_many_are_kept():
    cache: Bounded[str, int] = Bounded(10)
    cache.put("a", 1, 4)
    cache.put("b", 2, 4)

    cache.put("c", 3, 9)

    assert [cache.get(key) for key in "abc"] == [None, None, 3]
    assert len(cache) == 1


def test_value_too_heavy_to_be_kept_leaves_the_others_alone():
    dropped: list[str] = []
    cache: Bounded[str, str] = Bounded(10, dropped.append)
    cache.put("a", "small", 1)

    cache.put("b", "huge", 11)

    assert (cache.get("a"), cache.get("b"), dropped) == ("small", None, ["huge"])


def test_everything_that_goes_is_told():
    dropped: list[int] = []
    cache: Bounded[str, int] = Bounded(2, dropped.append)

    for number, key in enumerate(["a", "b", "a", "c"]):
        cache.put(key, number, 1)

    assert dropped == [0, 1], "the replaced one, then the oldest"


def test_replacing_a_value_does_not_count_it_twice():
    cache: Bounded[str, int] = Bounded(2)
    cache.put("a", 0, 1)

    for number in range(5):
        cache.put("b", number, 1)

    assert (cache.get("a"), cache.get("b")) == (0, 4)


def test_clearing_forgets_without_telling():
    dropped: list[int] = []
    cache: Bounded[str, int] = Bounded(2, dropped.append)
    cache.put("a", 1, 2)

    cache.clear()
    cache.put("b", 2, 2)

    assert (cache.get("a"), cache.get("b"), dropped) == (None, 2, [])
