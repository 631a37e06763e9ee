"""A google-genai chat with automatic function calling; run in the SDK's own environment.

Arguments: base URL, then ``unary`` or ``stream``, then ``sync``, ``async`` or ``aiohttp``, and optionally a cassette to
answer from in-process. Prints one JSON object: the texts, the calls that ran, and of a sync client over HTTP a digest of
each answer's bytes.
"""

import asyncio
import hashlib
import json
import sys

from google import genai
from google.genai import types

base_url, form, kind, *cassette = sys.argv[1:]
ran = []
digests = []


def get_weather(city: str) -> dict:
    """Get the weather of a city."""
    ran.append(f"get_weather {city}")
    return {"celsius": 31}


def get_time(tz: str) -> str:
    """Get the time in a time zone."""
    ran.append(f"get_time {tz}")
    return "12:00"


def digest(response) -> None:
    digests.append(hashlib.sha256(response.read()).hexdigest())


def options() -> types.HttpOptions:
    if cassette:
        from gemtape.replay.transport import ReplayTransport

        arguments = {"transport": ReplayTransport(cassette[0])}
        return types.HttpOptions(base_url=base_url, client_args=arguments, async_client_args=arguments)
    hooks = {"event_hooks": {"response": [digest]}} if kind == "sync" else None
    return types.HttpOptions(base_url=base_url, client_args=hooks)


MODEL = "gemini-3-pro-preview"
MESSAGES = ("Weather and time in Pune?", "Thank you.")
config = types.GenerateContentConfig(tools=[get_weather, get_time])
client = genai.Client(api_key="AIzaFAKEKEY0000000000000000000000000000", http_options=options())


def say_all() -> list:
    chat = client.chats.create(model=MODEL, config=config)
    if form == "unary":
        return [chat.send_message(message).text for message in MESSAGES]
    return ["".join(chunk.text or "" for chunk in chat.send_message_stream(message)) for message in MESSAGES]


async def say_all_async() -> list:
    chat = client.aio.chats.create(model=MODEL, config=config)
    if form == "unary":
        return [(await chat.send_message(message)).text for message in MESSAGES]
    texts = []
    for message in MESSAGES:
        chunks = [chunk.text or "" async for chunk in await chat.send_message_stream(message)]
        texts.append("".join(chunks))
    await client.aio.aclose()
    return texts


texts = say_all() if kind == "sync" else asyncio.run(say_all_async())
if kind != "sync":
    # Proves which library really asked: with aiohttp installed the SDK prefers it.
    assert ("aiohttp" in sys.modules) == (kind == "aiohttp"), sorted(sys.modules)
print(json.dumps({"texts": texts, "ran": ran, "digests": digests}))
