from __future__ import annotations

import pytest

from gemtape.cassettes.fragments import runs


def texts(*values, cut=()):
    """The runs of texts, each as a list."""
    return [[fragment.text for fragment in run] for run in runs(enumerate(values), cut)]


def candidate(*parts, **fields):
    return {"candidates": [{"content": {"parts": list(parts)}, **fields}]}


def text(value, **fields):
    return {"text": value, **fields}


def test_texts_of_one_candidate_belong_together_over_events():
    first, second = candidate(text("a", thought=True), text("b")), candidate(text("c"))
    assert texts(first, {"usageMetadata": {}}, second) == [["a", "b", "c"]]
    (run,) = runs(enumerate([first, second]))
    assert [(fragment.event, fragment.path[-2:]) for fragment in run] == [
        (0, (0, "text")),
        (0, (1, "text")),
        (1, (0, "text")),
    ]


def test_candidates_are_told_apart_by_their_index():
    events = [candidate(text(name), index=index) for index, name in ((0, "a"), (1, "x"), (0, "b"), (1, "y"))]
    assert texts(*events) == [["a", "b"], ["x", "y"]]


def test_code_assist_and_array_streams_are_read_inside():
    assert texts({"response": candidate(text("a"))}, {"response": candidate(text("b"))}) == [["a", "b"]]
    assert texts([candidate(text("a")), candidate(text("b"))]) == [["a", "b"]]


def test_neighbouring_contents_of_one_role_belong_together():
    """Some clients keep a streamed answer as one content an event."""
    contents = [
        {"role": "user", "parts": [text("q")]},
        {"role": "model", "parts": [text("a")]},
        {"role": "model", "parts": [text("b"), {"functionCall": {"name": "f"}}, text("c")]},
        {"role": "user", "parts": [text("z")]},
    ]
    assert texts({"contents": contents}) == [["a", "b", "c"]]
    assert texts({"request": {"contents": contents}}) == [["a", "b", "c"]]


def test_streamed_arguments_belong_together_by_their_place():
    def piece(path, value):
        return candidate({"functionCall": {"partialArgs": [{"jsonPath": path, "stringValue": value}]}})

    assert texts(piece("$.a", "1"), piece("$.b", "x"), piece("$.a", "2")) == [["1", "2"]]


def test_chat_completions_stream():
    def choice(**delta):
        return {"choices": [{"index": 0, "delta": delta}]}

    def call(index, arguments):
        return choice(tool_calls=[{"index": index, "function": {"arguments": arguments}}])

    events = [choice(content="a"), choice(content="b"), call(0, "1"), call(1, "x"), call(0, "2")]
    assert texts(*events) == [["a", "b"], ["1", "2"]]


def test_interactions_stream():
    def delta(index, **fields):
        return {"event_type": "step.delta", "index": index, "delta": fields}

    events = [
        delta(0, type="text", text="a"),
        delta(1, type="text", text="x"),
        delta(0, type="text", text="b"),
        delta(0, type="thought_signature", signature="s"),
        delta(0, type="thought_signature", signature="t"),
    ]
    assert texts(*events) == [["a", "b"]]


TEXT = ("candidates", 0, "content", "parts", 0, "text")


@pytest.mark.parametrize("prefix", [(), ("response",)])
def test_cut_event_continues_every_run_of_its_kind(prefix):
    """Its candidate's index may be among what was cut off."""
    events = [candidate(text("a"), index=0), candidate(text("x"), index=1)]
    assert texts(*events, cut=[(2, {(*prefix, *TEXT): "c", ("modelVersion",): "m"})]) == [
        ["a", "c"],
        ["x", "c"],
    ]


@pytest.mark.parametrize(
    "path",
    [
        ("choices", 0, "delta", "content"),
        ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
        ("candidates", 0, "content", "parts", 0, "functionCall", "partialArgs", 0, "stringValue"),
        ("delta", "text"),
    ],
)
def test_cut_event_of_every_stream_is_known_by_its_paths(path):
    assert texts(cut=[(0, {path: "a"}), (1, {path: "b"})]) == [["a", "b"]]


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        "x",
        [[[]]],
        {"candidates": {"content": 1}},
        {"candidates": [None, {"content": []}, {"content": {"parts": {"text": "a"}}}]},
        {"contents": [1, {"parts": [None, {"text": 1}]}]},
        {"choices": [{"delta": None}, {"delta": {"tool_calls": [{"function": 1}], "content": 2}}]},
        {"delta": "x"},
        {"response": 1, "request": None},
        {"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [{"stringValue": 1}]}}]}}]},
    ],
)
def test_malformed_values_have_no_runs(value):
    assert texts(value, value) == []


def test_wrappers_of_wrappers_end():
    value = {}
    for _ in range(100):
        value = {"response": value}
    assert texts(value) == []
