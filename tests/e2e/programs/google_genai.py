"""google-genai: sync, async on httpx, or async on aiohttp.

The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, which the SDK reads itself.
"""

import asyncio
import io
import json
import os
import sys

from google import genai
from google.genai import types

flow, kind = sys.argv[1:]
MODEL = "gemini-3-pro-preview"
calls = []


def get_weather(city: str) -> dict:
    """Get the weather of a city."""
    calls.append(f"get_weather {city}")
    return {"celsius": int(os.environ.get("CELSIUS", "31"))}


def get_time(tz: str) -> str:
    """Get the time in a time zone."""
    calls.append(f"get_time {tz}")
    return "12:00"


client = genai.Client()
with_tools = types.GenerateContentConfig(tools=[get_weather, get_time])
a_text_file = types.UploadFileConfig(mime_type="text/plain")
messages = [f"Weather and time in {os.environ.get('CITY', 'Pune')}?", "Thank you."]


def run() -> dict:
    match flow:
        case "unary":
            answer = client.models.generate_content(model=MODEL, contents="Name a river in one word.")
            return {"text": answer.text}
        case "stream":
            chunks = client.models.generate_content_stream(model=MODEL, contents="Count to five.")
            return {"text": "".join(chunk.text or "" for chunk in chunks)}
        case "chat" | "parallel":
            chat = client.chats.create(model=MODEL, config=with_tools)
            return {"texts": [chat.send_message(message).text for message in messages], "calls": calls}
        case "chat-stream" | "parallel-stream":
            chat = client.chats.create(model=MODEL, config=with_tools)
            streams = (chat.send_message_stream(message) for message in messages)
            return {
                "texts": ["".join(chunk.text or "" for chunk in stream) for stream in streams],
                "calls": calls,
            }
        case "files":
            file = client.files.upload(file=io.BytesIO(b"Bhima, Krishna, Godavari\n"), config=a_text_file)
            answer = client.models.generate_content(model=MODEL, contents=[file, "Which river comes first?"])
            return {"name": file.name, "text": answer.text}
        case "embeddings":
            answer = client.models.embed_content(model="gemini-embedding-001", contents=["Bhima", "Krishna"])
            return {"values": [embedding.values for embedding in answer.embeddings]}
        case "count":
            return {"tokens": client.models.count_tokens(model=MODEL, contents="How long am I?").total_tokens}
        case "models":
            pager = client.models.list(config={"page_size": 2})
            return {"names": [model.name.removeprefix("models/") for model in pager]}


async def run_async() -> dict:
    models, chats, files = client.aio.models, client.aio.chats, client.aio.files
    match flow:
        case "unary":
            answer = await models.generate_content(model=MODEL, contents="Name a river in one word.")
            return {"text": answer.text}
        case "stream":
            chunks = await models.generate_content_stream(model=MODEL, contents="Count to five.")
            return {"text": "".join([chunk.text or "" async for chunk in chunks])}
        case "chat" | "parallel":
            chat = chats.create(model=MODEL, config=with_tools)
            return {
                "texts": [(await chat.send_message(message)).text for message in messages],
                "calls": calls,
            }
        case "chat-stream" | "parallel-stream":
            chat = chats.create(model=MODEL, config=with_tools)
            texts = []
            for message in messages:
                chunks = await chat.send_message_stream(message)
                texts.append("".join([chunk.text or "" async for chunk in chunks]))
            return {"texts": texts, "calls": calls}
        case "files":
            file = await files.upload(file=io.BytesIO(b"Bhima, Krishna, Godavari\n"), config=a_text_file)
            answer = await models.generate_content(model=MODEL, contents=[file, "Which river comes first?"])
            return {"name": file.name, "text": answer.text}
        case "embeddings":
            answer = await models.embed_content(model="gemini-embedding-001", contents=["Bhima", "Krishna"])
            return {"values": [embedding.values for embedding in answer.embeddings]}
        case "count":
            answer = await models.count_tokens(model=MODEL, contents="How long am I?")
            return {"tokens": answer.total_tokens}
        case "models":
            pager = await models.list(config={"page_size": 2})
            return {"names": [model.name.removeprefix("models/") async for model in pager]}


result = run() if kind == "sync" else asyncio.run(run_async())
if kind != "sync":
    # Proves which library really asked: with aiohttp installed the SDK prefers it.
    assert ("aiohttp" in sys.modules) == (kind == "aiohttp"), sorted(sys.modules)
print(json.dumps({"version": genai.__version__, "result": result}))
