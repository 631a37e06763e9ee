"""pydantic-ai on one of the models google:NAME.

The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY.
"""

import asyncio
import json
import os
import sys
from importlib.metadata import version

from pydantic_ai import Agent, Embedder

(flow,) = sys.argv[1:]
calls = []


async def get_weather(city: str) -> dict:
    """Get the weather of a city."""
    calls.append(f"get_weather {city}")
    return {"celsius": int(os.environ.get("CELSIUS", "31"))}


async def get_time(tz: str) -> str:
    """Get the time in a time zone."""
    calls.append(f"get_time {tz}")
    return "12:00"


async def ask(agent: Agent, message: str, history: list) -> tuple[str, list]:
    if flow not in ("stream", "chat-stream", "parallel-stream"):
        answer = await agent.run(message, message_history=history)
        return answer.output, answer.all_messages()
    async with agent.run_stream(message, message_history=history) as answer:
        text = "".join([piece async for piece in answer.stream_text(delta=True)])
        return text, answer.all_messages()


async def run() -> dict:
    agent = Agent("google:gemini-3-pro-preview")
    match flow:
        case "unary":
            return {"text": (await ask(agent, "Name a river in one word.", []))[0]}
        case "stream":
            return {"text": (await ask(agent, "Count to five.", []))[0]}
        case "embeddings":
            embedder = Embedder("google:gemini-embedding-001")
            answer = await embedder.embed_documents(["Bhima", "Krishna"])
            return {"values": [list(values) for values in answer.embeddings]}
        case _:
            agent = Agent("google:gemini-3-pro-preview", tools=[get_weather, get_time])
            history, texts = [], []
            for message in (f"Weather and time in {os.environ.get('CITY', 'Pune')}?", "Thank you."):
                text, history = await ask(agent, message, history)
                texts.append(text)
            return {"texts": texts, "calls": calls}


print(json.dumps({"version": version("pydantic-ai-slim"), "result": asyncio.run(run())}))
