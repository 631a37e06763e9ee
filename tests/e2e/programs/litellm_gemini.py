"""litellm on gemini/…: the user runs the tools.

The base URL and the key come from GEMINI_API_BASE, which has to contain the version, and GEMINI_API_KEY.
"""

import asyncio
import json
import sys
from importlib.metadata import version

import litellm

flow, kind = sys.argv[1:]
MODEL = "gemini/gemini-3-pro-preview"
calls = []


def get_weather(city: str) -> dict:
    calls.append(f"get_weather {city}")
    return {"celsius": 31}


def get_time(tz: str) -> str:
    calls.append(f"get_time {tz}")
    return "12:00"


def declared(name: str, description: str, argument: str) -> dict:
    parameters = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [
    declared("get_weather", "Get the weather of a city.", "city"),
    declared("get_time", "Get the time in a time zone.", "tz"),
]


async def complete(messages: list, tools: list | None = None) -> litellm.Message:
    streams = flow in ("stream", "chat-stream", "parallel-stream")
    asked = {"model": MODEL, "messages": messages, "tools": tools, "stream": streams}
    if kind == "sync":
        answer = litellm.completion(**asked)
        chunks = list(answer) if streams else []
    else:
        answer = await litellm.acompletion(**asked)
        chunks = [chunk async for chunk in answer] if streams else []
    if streams:
        answer = litellm.stream_chunk_builder(chunks, messages=messages)
    return answer.choices[0].message


async def talk() -> dict:
    messages, texts = [], []
    for text in ("Weather and time in Pune?", "Thank you."):
        messages.append({"role": "user", "content": text})
        while (message := await complete(messages, TOOLS)).tool_calls:
            messages.append(message)
            for call in message.tool_calls:
                tool = {"get_weather": get_weather, "get_time": get_time}[call.function.name]
                result = json.dumps(tool(**json.loads(call.function.arguments)))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        messages.append(message)
        texts.append(message.content)
    return {"texts": texts, "calls": calls}


async def run() -> dict:
    match flow:
        case "unary":
            messages = [{"role": "user", "content": "Name a river in one word."}]
            return {"text": (await complete(messages)).content}
        case "stream":
            messages = [{"role": "user", "content": "Count to five."}]
            return {"text": (await complete(messages)).content}
        case "embeddings":
            asked = {"model": "gemini/gemini-embedding-001", "input": ["Bhima", "Krishna"]}
            answer = litellm.embedding(**asked) if kind == "sync" else await litellm.aembedding(**asked)
            return {"values": [item["embedding"] for item in answer.data]}
        case _:
            return await talk()


print(json.dumps({"version": version("litellm"), "result": asyncio.run(run())}))
