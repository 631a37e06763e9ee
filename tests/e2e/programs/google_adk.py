"""google-adk: an agent with tools, unary or with streaming_mode SSE.

The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, which google-genai reads below it.
"""

import asyncio
import json
import sys

from google.adk import version
from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import InMemoryRunner
from google.genai import types

(flow,) = sys.argv[1:]
calls = []


def get_weather(city: str) -> dict:
    """Get the weather of a city."""
    calls.append(f"get_weather {city}")
    return {"celsius": 31}


def get_time(tz: str) -> str:
    """Get the time in a time zone."""
    calls.append(f"get_time {tz}")
    return "12:00"


def agent_with(tools: list) -> InMemoryRunner:
    agent = Agent(name="assistant", model="gemini-3-pro-preview", instruction="Be brief.", tools=tools)
    return InMemoryRunner(agent=agent, app_name="e2e")


async def ask(runner: InMemoryRunner, session: str, message: str) -> str:
    streams = flow in ("stream", "chat-stream", "parallel-stream")
    config = RunConfig(streaming_mode=StreamingMode.SSE if streams else StreamingMode.NONE)
    text = ""
    said = types.Content(role="user", parts=[types.Part(text=message)])
    async for event in runner.run_async(
        user_id="user", session_id=session, new_message=said, run_config=config
    ):
        if event.error_code:
            return f"{event.error_code}"
        parts = event.content.parts if event.content and event.content.parts else []
        if event.partial is not True and event.is_final_response():
            text += "".join(part.text or "" for part in parts if not part.thought)
    return text


async def run() -> dict:
    with_tools = flow not in ("unary", "stream")
    runner = agent_with([get_weather, get_time] if with_tools else [])
    session = (await runner.session_service.create_session(app_name="e2e", user_id="user")).id
    match flow:
        case "unary":
            return {"text": await ask(runner, session, "Name a river in one word.")}
        case "stream":
            return {"text": await ask(runner, session, "Count to five.")}
        case _:
            messages = ["Weather and time in Pune?", "Thank you."]
            return {"texts": [await ask(runner, session, message) for message in messages], "calls": calls}


print(json.dumps({"version": version.__version__, "result": asyncio.run(run())}))
