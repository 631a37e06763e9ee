"""Decks under one server: each test has its own, and what comes for one that is gone gets an answer too."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.models import Exchange
from gemtape.replay.answering import Options, Reply, Verdict
from gemtape.replay.deck import Asked, Deck
from gemtape.replay.server import Server
from gemtape.replay.shelf import Shelf
from tests.factories import MODEL, cassette_of, exchange, model_text, user

PATH = f"/v1beta/models/{MODEL}:generateContent"
HELLO = exchange([user("hello")], model_text("hi"))
OTHER = exchange([user("hello")], model_text("another answer"))


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def server(shelf: Shelf):
    with Server(shelf) as running:
        yield running


@pytest.fixture
def decks(tmp_path: Path):
    opened = [Deck(cassette_of(tmp_path / f"{n}.db", [item])) for n, item in enumerate((HELLO, OTHER))]
    yield opened
    for deck in opened:
        deck.close()


def post(server: Server[Shelf], name: str, path: str = PATH, item: Exchange = HELLO) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.post(f"{server.url}/{name}{path}", content=item.request.body)


def test_each_name_leads_to_its_deck(server: Server[Shelf], shelf: Shelf, decks: list[Deck]):
    heard: dict[int, list[tuple[str, Verdict | None]]] = {0: [], 1: []}
    names = [
        shelf.put(deck, lambda asked, reply, at=at: heard[at].append((asked.path, reply.verdict)))
        for at, deck in enumerate(decks)
    ]

    bodies = [post(server, name).content for name in reversed(names)]

    assert bodies == [item.response.body for item in (OTHER, HELLO) if item.response]
    assert heard == {0: [(PATH, Verdict.HIT)], 1: [(PATH, Verdict.HIT)]}


def test_path_behind_the_name_is_the_decks(server: Server[Shelf], shelf: Shelf, decks: list[Deck]):
    """Sessions, gemtape's own paths, and the bare POST that explains itself."""
    name = shelf.put(decks[0], lambda *_: None)

    assert post(server, f"{name}/@one").status_code == 200
    assert post(server, name, "/@one/_gemtape/reset").json()["session"] == "one"
    assert "bare base URL" in post(server, name, "").json()["error"]["message"]


@pytest.mark.parametrize("name", ["t1", "t99", "v1beta", ""])
def test_what_comes_for_no_deck_is_told_so(server: Server[Shelf], shelf: Shelf, decks: list[Deck], name: str):
    shelf.take(shelf.put(decks[0], lambda *_: None))
    answer = post(server, name)

    assert answer.status_code == 412
    assert "a test that is over" in answer.json()["error"]["message"]
    assert shelf.lost == 1


def test_names_are_never_given_twice(shelf: Shelf, decks: list[Deck]):
    """A thread that outlives its test must not ask the next one's deck."""
    names = []
    for _ in range(3):
        names.append(shelf.put(decks[0], lambda *_: None))
        shelf.take(names[-1])

    assert len(set(names)) == 3


def test_fault_of_ours_is_heard_as_a_miss(server: Server[Shelf], shelf: Shelf, decks: list[Deck]):
    class Broken(Deck):
        def answer(self, asked: Asked, request: object) -> Reply:
            raise RuntimeError("broken")

    heard: list[Reply] = []
    broken = Broken(decks[0].target, Options())
    answer = post(server, shelf.put(broken, lambda _, reply: heard.append(reply)))
    broken.close()

    assert answer.status_code == 412
    assert [(reply.verdict, reply.note) for reply in heard] == [
        (Verdict.MISS, "a fault of gemtape itself: RuntimeError('broken')")
    ]


def test_decks_come_and_go_while_others_are_asked(server: Server[Shelf], shelf: Shelf, decks: list[Deck]):
    stays = shelf.put(decks[0], lambda *_: None)
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            shelf.take(shelf.put(decks[1], lambda *_: None))

    thread = threading.Thread(target=churn)
    thread.start()
    statuses = [post(server, stays).status_code for _ in range(10)]
    stop.set()
    thread.join()

    assert set(statuses) == {200}
