"""What faithful clients send, however odd it looks: nothing above info may be said of any of these recordings."""

from __future__ import annotations

from collections.abc import Callable

from gemtape.cassettes.models import Failure
from tests.checks.tape import FLASH_2, OTHER, SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import answer_body, call, calls, model_text, result, results, tools_for, unary, user

S1, S2, S3, S4 = SIGNATURES
PLANS = "You plan journeys and look up the weather where they lead."
TITLES = "Write a title of at most five words for what the user says."
FAITHFUL: list[Callable[[], Tape]] = []
NEEDS_TIMES = {"answer_that_came_after_the_client_had_gone_on"}
"""Scenarios that only the times of the exchanges tell from faults."""


def faithful(scenario: Callable[[], Tape]) -> Callable[[], Tape]:
    FAITHFUL.append(scenario)
    return scenario


# Other agents that are asked with the same words.


@faithful
def title_generator_with_the_same_first_prompt() -> Tape:
    tape = Tape()
    tape.ask([user("Plan a trip")], model_text("A trip"), instruction=TITLES)
    answer = tape.ask([user("Plan a trip")], model_text("Where to?"), instruction=PLANS)
    tape.ask([user("Plan a trip"), answer, user("Pune")], model_text("When?"), instruction=PLANS)
    return tape


@faithful
def title_generator_that_answers_where_the_chat_fails() -> Tape:
    tape = Tape()
    tape.ask([user("Plan a trip")], model_text("A trip"), instruction=TITLES)
    tape.ask([user("Plan a trip")], None, status=503, instruction=PLANS)
    tape.ask([user("Plan a trip"), user("Hello?")], model_text("Where to?"), instruction=PLANS)
    return tape


@faithful
def title_generator_that_ends_later_than_the_chat_goes_on() -> Tape:
    tape = Tape()
    answer = tape.ask([user("Plan")], weather(S1), instruction=PLANS, at=1, takes=1)
    tape.ask([user("Plan")], model_text("A plan"), instruction=TITLES, at=1.2, takes=3)
    tape.ask([user("Plan"), answer, celsius()], model_text("Warm."), instruction=PLANS, at=2.1)
    return tape


@faithful
def title_generator_that_sees_the_whole_chat_while_it_goes_on() -> Tape:
    tape = Tape()
    answer = tape.ask([user("Plan")], weather(S1), instruction=PLANS, at=1)
    history = [user("Plan"), answer, celsius()]
    tape.ask([*history, user("A title, please.")], model_text("A plan"), instruction=PLANS, at=2.2, takes=0.3)
    second = tape.ask(history, model_text("Warm."), instruction=PLANS, at=2, takes=3)
    tape.ask([*history, second, user("And Goa?")], model_text("Warmer."), instruction=PLANS, at=6)
    longer = [*history, user("A title, please."), model_text("A plan"), user("Shorter.")]
    tape.ask(longer, model_text("Plan"), instruction=PLANS, at=7)
    return tape


@faithful
def router_asked_before_context_is_added() -> Tape:
    tape = Tape()
    prompt, context = user("Refund my order"), user("Context: the customer is Ann")
    tape.ask(
        [prompt], model_text("billing"), instruction="Name the department.", model="gemini-3.5-flash-lite"
    )
    answer = tape.ask([prompt, context], weather(S1), instruction=PLANS)
    tape.ask([prompt, context, answer, celsius()], model_text("Done."), instruction=PLANS)
    return tape


@faithful
def router_that_differs_only_by_its_tools() -> Tape:
    tape = Tape()
    prompt, context = user("Refund my order"), user("Context: the customer is Ann")
    tape.ask([prompt], model_text("billing"), tools=[])
    answer = tape.ask([prompt, context], weather(S1))
    tape.ask([prompt, context, answer, celsius()], model_text("Done."))
    return tape


@faithful
def planner_and_executor_with_the_same_prompt() -> Tape:
    tape = Tape()
    plan = "You are the planner. Write down the steps and nothing else."
    act = "Carry out what the user says with your tools, one call at a time, and report."
    tape.ask([user("Build a shed")], model_text("1. wood 2. nails"), instruction=plan)
    tape.ask([user("Build a shed"), user("Do step one.")], weather(S1), instruction=act)
    return tape


@faithful
def calls_of_another_agent_retold_as_text() -> Tape:
    tape = Tape()
    first, second = (
        'You are an agent. Your internal name is "A".',
        'You are an agent. Your internal name is "B".',
    )
    tools = tools_for(calls(call("transfer_to_agent"), call("get_weather")))
    transfer = calls(call("transfer_to_agent", {"agent_name": "B"}, signature=S1))
    tape.ask([user("Plan it")], transfer, instruction=first, tools=tools)
    told = "[A] called tool `transfer_to_agent` with parameters: {'agent_name': 'B'}"
    history = [user("Plan it"), results({"text": "For context:"}, {"text": told})]
    answer = tape.ask(history, weather(S2), instruction=second, tools=tools)
    tape.ask([*history, answer, celsius()], model_text("Done."), instruction=second, tools=tools)
    return tape


@faithful
def text_of_another_agent_retold() -> Tape:
    tape = Tape()
    for answer, told in (("First book the train.", "First book the train."), ("Yes", "Yes")):
        prompt = user(f"Plan: {answer}")
        tape.ask([prompt], model_text(answer))
        tape.ask([prompt, results({"text": "For context:"}, {"text": f"[A] said: {told}"})], model_text("k"))
    return tape


# One prompt, several answers.


@faithful
def regenerated_answers_that_are_both_used() -> Tape:
    tape = Tape()
    first, second = tape.ask([user("x")], weather(S1)), tape.ask([user("x")], weather(S2))
    tape.ask([user("x"), first, celsius()], model_text("A"))
    tape.ask([user("x"), second, celsius()], model_text("B"))
    return tape


@faithful
def regenerated_texts_of_an_older_model() -> Tape:
    tape = Tape(FLASH_2)
    first, second = tape.ask([user("x")], model_text("one")), tape.ask([user("x")], model_text("two"))
    tape.ask([user("x"), first, user("y")], model_text("A"))
    tape.ask([user("x"), second, user("y")], model_text("B"))
    return tape


@faithful
def two_chats_with_the_same_opening() -> Tape:
    tape = Tape()
    a, b = tape.ask([user("hi")], weather(S1)), tape.ask([user("hi")], weather(S2))
    a2 = tape.ask([user("hi"), a, celsius(1)], model_text("A"))
    b2 = tape.ask([user("hi"), b, celsius(2)], model_text("B"))
    tape.ask([user("hi"), a, celsius(1), a2, user("more")], model_text("q"))
    tape.ask([user("hi"), b, celsius(2), b2, user("more")], model_text("q"))
    return tape


@faithful
def new_chat_with_an_old_question() -> Tape:
    tape = Tape()
    for signature in (S1, S2):
        answer = tape.ask([user("x")], weather(signature))
        tape.ask([user("x"), answer, celsius()], model_text("Warm."))
    return tape


@faithful
def several_samples_at_once_of_which_one_is_kept() -> Tape:
    tape = Tape()
    samples = [tape.ask([user("x")], model_text(f"v{at}"), at=1 + at / 100, takes=1) for at in range(3)]
    tape.ask([user("x"), samples[1], user("Why?")], model_text("k"), at=5)
    return tape


@faithful
def another_candidate_chosen() -> Tape:
    tape = Tape(FLASH_2)
    first, second = weather(S1), weather(S2, "Goa")
    body = answer_body(first)
    body["candidates"].append({"content": second, "finishReason": "STOP", "index": 1})
    tape.ask([user("x")], unary(body), tools=tools_for(first))
    tape.ask([user("x"), second, celsius()], model_text("Warm."))
    tape.ask([user("x"), second, celsius(), model_text("Warm."), user("y")], model_text("k"), model=OTHER)
    return tape


@faithful
def branch_that_edits_the_second_prompt() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], model_text("A"))
    second = tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), first, user("other")], model_text("C"))
    tape.ask([user("x"), first, user("y"), second, user("z")], model_text("D"))
    return tape


# Answers that need not come back.


@faithful
def blocked_and_withheld_answers() -> Tape:
    tape = Tape()
    tape.ask([user("x")], unary({"promptFeedback": {"blockReason": "SAFETY"}}))
    tape.ask([user("x"), user("y")], model_text("k"))
    tape.ask([user("s")], model_text("partial"), finish="SAFETY")
    tape.ask([user("s"), user("y")], model_text("k"))
    return tape


@faithful
def retry_after_a_cut_stream() -> Tape:
    tape = Tape()
    tape.ask([user("x")], [model_text("par"), model_text("tial")], cut=True, failure=Failure.RESET)
    answer = tape.ask([user("x")], model_text("whole"))
    tape.ask([user("x"), answer, user("y")], model_text("k"))
    return tape


@faithful
def stopped_answer_of_which_a_part_is_kept() -> Tape:
    tape = Tape()
    pieces = [model_text("par"), model_text("tial")]
    tape.ask([user("x")], pieces, cut=True, failure=Failure.CLIENT_GONE)
    tape.ask([user("x"), model_text("par"), user("Shorter.")], model_text("k"))
    return tape


@faithful
def answer_that_came_after_the_client_had_gone_on() -> Tape:
    tape = Tape()
    history = [user("x"), user("Are you there?")]
    tape.ask(history, model_text("Yes."), at=5, takes=1)
    tape.ask([user("x")], model_text("late"), at=1, takes=6)
    tape.ask([*history, model_text("Yes."), user("z")], model_text("k"), at=9)
    return tape


@faithful
def fallback_to_another_model_after_an_error() -> Tape:
    tape = Tape()
    tape.ask([user("x")], None, status=503)
    answer = tape.ask([user("x")], weather(S1), model=OTHER)
    tape.ask([user("x"), answer, celsius()], model_text("k"), model=OTHER)
    return tape


@faithful
def context_added_to_a_prompt_that_was_answered() -> Tape:
    tape = Tape()
    tape.ask([user("What is dew?")], model_text("NEED_CONTEXT"))
    prompt = results({"text": "What is dew?"}, {"text": "Context: water"})
    answer = tape.ask([prompt], model_text("Water."))
    tape.ask([prompt, answer, user("And frost?")], model_text("Ice."))
    return tape


# Histories that are cut, summed up or rewritten.


@faithful
def window_over_equal_prompts_and_calls() -> Tape:
    tape = Tape()
    history = []
    for signature in SIGNATURES:
        history.append(user("continue"))
        answer = tape.ask(history[-5:], weather(signature))
        history += [answer, celsius()]
        history.append(tape.ask(history[-7:], model_text("ok")))
    return tape


@faithful
def window_over_texts_of_an_older_model() -> Tape:
    tape = Tape(FLASH_2)
    history = []
    for at in range(6):
        history.append(user("continue"))
        history.append(tape.ask(history[-5:], model_text(f"answer {at}")))
    return tape


@faithful
def window_over_signed_texts() -> Tape:
    tape = Tape()
    history = []
    for at in range(6):
        history.append(user("continue"))
        history.append(tape.ask(history[-5:], signed(f"answer {at}", "EpwC" + "abcdef"[at] * 12)))
    return tape


@faithful
def prompt_that_tells_the_time_with_ids() -> Tape:
    tape = Tape()
    history = []
    for at, signature in enumerate(SIGNATURES):
        answer = tape.ask([user(f"{at} o'clock: go"), *history], weather(signature, id=f"id{at}"))
        history += [answer, celsius(id=f"id{at}")]
    tape.ask([user("9 o'clock: go"), *history], model_text("Done."))
    return tape


@faithful
def prompt_that_tells_the_time_and_calls_without_marks() -> Tape:
    tape = Tape(FLASH_2)
    history = []
    for at in range(4):
        answer = tape.ask([user(f"{at} o'clock: go"), *history], weather())
        history += [answer, celsius()]
    answer = tape.ask([user("9 o'clock: go"), *history], model_text("Done."))
    tape.ask([user("10 o'clock: go"), *history, answer, user("And?")], model_text("k"))
    return tape


@faithful
def instruction_that_tells_the_time() -> Tape:
    tape = Tape()
    history = [user("go")]
    for at, signature in enumerate(SIGNATURES):
        answer = tape.ask(list(history), weather(signature), instruction=f"Time: {at}. {PLANS}")
        history += [answer, celsius()]
    tape.ask(history, model_text("Done."), instruction=f"Time: 9. {PLANS}")
    return tape


@faithful
def summary_behind_the_first_prompt() -> Tape:
    tape = Tape()
    history = [user("go")]
    for at in range(3):
        history += [tape.ask(list(history), model_text(f"a{at}")), user(f"q{at}")]
    short = [user("go"), user("So far: q0 and q1 are answered."), user("q9")]
    for at in range(3):
        short += [tape.ask(list(short), model_text(f"b{at}")), user(f"r{at}")]
    return tape


@faithful
def summary_in_the_place_of_the_first_answer() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], model_text("31"))
    tape.ask([user("x"), first, celsius(), second, user("y")], model_text("32"))
    short = [user("x"), model_text("It was 31, then 32."), user("z")]
    for at in range(3):
        short += [tape.ask(list(short), model_text(f"b{at}")), user(f"r{at}")]
    return tape


@faithful
def results_of_older_steps_cleared() -> Tape:
    tape = Tape()
    history = [user("x")]
    for at, signature in enumerate(SIGNATURES):
        history += [tape.ask(list(history), weather(signature, f"c{at}")), celsius(at)]
        if at == 2:
            history[2] = history[4] = celsius("cleared")
    tape.ask(history, model_text("k"))
    return tape


@faithful
def results_of_older_steps_cleared_without_marks() -> Tape:
    tape = Tape(FLASH_2)
    history = [user("x")]
    for at in range(4):
        history += [tape.ask(list(history), weather(None, f"c{at}")), celsius(at)]
        history += [tape.ask(list(history), model_text(f"t{at}")), user(f"q{at}")]
        if at == 2:
            history[2] = history[6] = celsius("cleared")
    tape.ask(history, model_text("k"))
    return tape


@faithful
def ids_that_every_answer_uses_again() -> Tape:
    tape = Tape()
    for prompt, letters in (("x", "abcd"), ("y", "efgh")):
        history = [user(prompt)]
        for letter in letters:
            answer = weather("EpwC" + letter * 12, letter, id="call_0")
            history += [tape.ask(list(history), answer), celsius(id="call_0")]
        tape.ask(history, model_text("k"))
    return tape


@faithful
def ids_that_every_answer_uses_again_behind_changing_prompts() -> Tape:
    tape = Tape(FLASH_2)
    history = []
    for at in range(4):
        history += [
            tape.ask([user(f"{at} x"), *history], weather(None, f"c{at}", id="call_0")),
            celsius(id="call_0"),
        ]
    tape.ask([user("9 x"), *history], model_text("k"))
    return tape


# Answers that come back in another shape.


@faithful
def each_call_a_step_of_its_own_with_a_copied_signature() -> Tape:
    tape = Tape()
    tape.ask(
        [user("x")], [calls(call("a", {"n": 1}, signature=S1, id="i1")), calls(call("b", {"n": 2}, id="i2"))]
    )
    history = [user("x")]
    for name, n in (("a", 1), ("b", 2)):
        history.append(calls(call(name, {"n": n}, signature=S1, id=f"i{n}")))
        history.append(results(result(name, {}, id=f"i{n}")))
    answer = tape.ask(history, model_text("Done."))
    tape.ask([*history, answer, user("z")], model_text("k"))
    return tape


@faithful
def each_of_equal_calls_a_step_of_its_own() -> Tape:
    tape = Tape()
    numbers = (1, 2, 1)
    tape.ask(
        [user("x")],
        [calls(call("a", {"n": n}, signature=None if at else S1)) for at, n in enumerate(numbers)],
    )
    history = [user("x")]
    for n in numbers:
        history += [calls(call("a", {"n": n}, signature=S1)), results(result("a", {}))]
    answer = tape.ask(history, model_text("Done."))
    tape.ask([*history, answer, user("z")], model_text("k"))
    return tape


@faithful
def contents_kept_as_they_were_streamed() -> Tape:
    tape = Tape()
    events = [calls(thought("hmm")), calls(call("a", {"n": 1}, signature=S1)), calls(call("b", {"n": 2}))]
    tape.ask([user("x")], events)
    history = [user("x"), *events, results(result("a", {}), result("b", {}))]
    texts = [model_text("Dew "), model_text("is water."), signed("", S2)]
    tape.ask(history, texts)
    tape.ask([*history, *texts, user("more")], model_text("k"))
    return tape


@faithful
def empty_part_with_the_signature_joined_left_out_or_echoed() -> Tape:
    tape = Tape()
    tape.ask([user("x")], [model_text("Dew "), model_text("is water."), signed("", S2)])
    tape.ask([user("x"), signed("Dew is water.", S2), user("more")], model_text("k"))
    tape.ask([user("x"), model_text("Dew is water."), user("more")], model_text("k"))
    echoed = calls({"text": "Dew is water."}, {"text": "", "thoughtSignature": S2})
    tape.ask([user("x"), echoed, user("more")], model_text("k"))
    lone = calls({"text": "Dew is water."}, {"text": "", "thoughtSignature": S2})
    tape.ask([user("x"), lone, user("more")], model_text("k"))
    return tape


@faithful
def ids_invented_on_both_sides() -> Tape:
    tape = Tape(surface="vertex")
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    sent = calls(call("a", signature=S1, id="c1"), call("b", id="c2"))
    tape.ask([user("x"), sent, results(result("a", {}, id="c1"), result("b", {}, id="c2"))], model_text("k"))
    return tape


@faithful
def ids_stripped_on_both_sides() -> Tape:
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1, id="c1"), call("b", id="c2")))
    sent = calls(call("a", signature=S1), call("b"))
    tape.ask([user("x"), sent, results(result("a", {}), result("b", {}))], model_text("k"))
    return tape


@faithful
def signature_of_a_thought_moved_to_the_call_or_left_with_it() -> Tape:
    tape = Tape()
    answer = tape.ask([user("x")], calls(thought("hmm", S1), call("a")))
    tape.ask([user("x"), calls(call("a", signature=S1)), results(result("a", {}))], model_text("k"))
    tape.ask([user("x"), answer, results(result("a", {}))], model_text("k"))
    return tape


@faithful
def equal_values_in_another_spelling() -> Tape:
    tape = Tape()
    tape.ask([user("x")], calls(call("a", {"q": None, "n": 3, "m": {"b": 1, "a": 2}}, signature=S1)))
    sent = calls(call("a", {"m": {"a": 2.0, "b": 1.0}, "n": 3.0}, signature=S1.replace("/", "_")))
    tape.ask([user("x"), sent, results(result("a", {}))], model_text("k"))
    return tape


@faithful
def neighbours_of_one_role_merged() -> Tape:
    tape = Tape()
    answer = tape.ask([user("a"), user("b")], model_text("one"))
    tape.ask([results({"text": "a"}, {"text": "b"}), answer, user("c")], model_text("k"))
    return tape


@faithful
def answer_and_what_continued_it_merged() -> Tape:
    tape = Tape()
    first = tape.ask([user("a")], model_text("one"), finish="MAX_TOKENS")
    tape.ask([user("a"), first], model_text("two"))
    tape.ask([user("a"), calls({"text": "one"}, {"text": "two"}), user("c")], model_text("k"))
    return tape


@faithful
def answers_to_hidden_prompts_merged() -> Tape:
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], model_text("part one"))
    tape.ask([user("x"), first, user("continue")], model_text(" part two"))
    tape.ask([user("x"), model_text("part one part two"), user("z")], model_text("k"))
    first = tape.ask([user("y")], model_text("uno"))
    tape.ask([user("y"), first, user("continue")], calls(call("a", {"n": 2})))
    merged = calls({"text": "uno"}, call("a", {"n": 2}))
    tape.ask([user("y"), merged, results(result("a", {}))], model_text("k"))
    return tape


@faithful
def prefill_kept_or_left_out() -> Tape:
    tape = Tape(FLASH_2)
    answer = tape.ask([user("a"), model_text("{")], model_text('"x": 1}'))
    tape.ask([user("a"), answer, user("c")], model_text("k"))
    tape.ask([user("a"), model_text('{"x": 1}'), user("d")], model_text("k"))
    return tape


@faithful
def streamed_arguments_as_they_came_or_folded() -> Tape:
    tape = Tape(surface="vertex")
    pieces = ({"name": "a", "willContinue": True}, {"partialArgs": [_piece("Pu")], "willContinue": True})
    events = [calls({"functionCall": piece}) for piece in (*pieces, {"partialArgs": [_piece("ne")]})]
    events[0]["parts"][0]["thoughtSignature"] = S1
    tape.ask([user("x")], events)
    tape.ask([user("x"), *events, results(result("a", {}))], model_text("k"))
    whole = calls(call("a", {"city": "Pune"}, signature=S1))
    tape.ask([user("x"), whole, results(result("a", {}))], model_text("k"))
    return tape


def _piece(text: str) -> dict[str, str]:
    return {"jsonPath": "$.city", "stringValue": text}


# Time, models, older turns.


@faithful
def next_request_a_moment_before_the_answer_ended() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather(S1), at=1, takes=0.5)
    second = tape.ask([user("x"), first, celsius()], weather(S2), at=1.48, takes=0.5)
    tape.ask([user("x"), first, celsius(), second, celsius()], model_text("k"), at=1.97)
    return tape


@faithful
def recorded_in_another_order_than_asked() -> Tape:
    tape = Tape()
    first, second = weather(S1), weather(S2)
    tape.ask([user("x"), first, celsius()], second, at=1.4, takes=0.02)
    tape.ask([user("x")], first, at=1, takes=0.44)
    tape.ask([user("x"), first, celsius(), second, celsius()], model_text("k"), at=3)
    return tape


@faithful
def another_model_from_the_next_turn_on() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], signed("31", S2))
    history = [user("x"), first, celsius(), second, user("And Goa?")]
    third = tape.ask(history, weather(S3, "Goa"), model=OTHER)
    tape.ask([*history, third, celsius()], model_text("k"), model=OTHER)
    return tape


@faithful
def another_model_from_a_prompt_right_behind_results_on() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), first, celsius(), user("Stop. What is dew?")], model_text("k"), model=OTHER)
    return tape


@faithful
def names_of_one_model() -> Tape:
    tape = Tape("gemini-3-pro")
    first = tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), first, celsius()], model_text("k"), model="gemini-3-pro-preview-11-2025")
    first = tape.ask([user("y")], weather(S2), model="gemini-pro-latest")
    tape.ask([user("y"), first, celsius()], model_text("k"))
    return tape


@faithful
def calls_of_older_turns_unsigned() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], model_text("31"))
    tape.ask([user("x"), weather(), celsius(), second, user("y")], model_text("k"))
    return tape


@faithful
def documented_value_instead_of_a_signature() -> Tape:
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), weather("skip_thought_signature_validator"), celsius()], model_text("k"))
    return tape


@faithful
def answers_that_were_issued_unsigned() -> Tape:
    tape = Tape()
    first = tape.ask([user("x")], weather())
    tape.ask([user("x"), first, celsius()], model_text("k"))
    return tape


@faithful
def images_with_one_signature_in_two_answers() -> Tape:
    tape = Tape("gemini-3-pro-image-preview")
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thoughtSignature": S2}
    answer = calls({"text": "Here", "thoughtSignature": S1}, image)
    tape.ask([user("x")], answer)
    tape.ask([user("x"), answer, user("y")], answer)
    tape.ask([user("x"), answer, user("y"), answer, user("z")], model_text("k"))
    return tape
