"""openai on Google's compatible path: the user runs the tools, and keeps a stream's thought signatures.

The base URL and the key come from OPENAI_BASE_URL, which has to end in /v1beta/openai, and OPENAI_API_KEY.
"""

import json
import os
import sys

import openai

(flow,) = sys.argv[1:]
MODEL = "gemini-3-pro-preview"
client = openai.OpenAI()
calls = []


def get_weather(city: str) -> dict:
    calls.append(f"get_weather {city}")
    return {"celsius": int(os.environ.get("CELSIUS", "31"))}


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


def complete(messages: list, **more: object) -> dict:
    """The assistant's message, as it goes back into the history."""
    if flow not in ("stream", "chat-stream", "parallel-stream"):
        answer = client.chat.completions.create(model=MODEL, messages=messages, **more)
        return answer.choices[0].message.model_dump(exclude_none=True)
    message: dict = {"role": "assistant", "content": "", "tool_calls": []}
    for chunk in client.chat.completions.create(model=MODEL, messages=messages, stream=True, **more):
        delta = chunk.choices[0].delta
        message["content"] += delta.content or ""
        for call in delta.tool_calls or []:
            # Google sends each call whole; extra_content holds its thought signature.
            message["tool_calls"].append(call.model_dump(exclude_none=True, exclude={"index"}))
    return {key: value for key, value in message.items() if value}


def talk() -> dict:
    messages: list = []
    texts = []
    for text in (f"Weather and time in {os.environ.get('CITY', 'Pune')}?", "Thank you."):
        messages.append({"role": "user", "content": text})
        while "tool_calls" in (message := complete(messages, tools=TOOLS)):
            messages.append(message)
            for call in message["tool_calls"]:
                tool = {"get_weather": get_weather, "get_time": get_time}[call["function"]["name"]]
                result = json.dumps(tool(**json.loads(call["function"]["arguments"])))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        messages.append(message)
        texts.append(message["content"])
    return {"texts": texts, "calls": calls}


def run() -> dict:
    match flow:
        case "unary":
            return {"text": complete([{"role": "user", "content": "Name a river in one word."}])["content"]}
        case "stream":
            return {"text": complete([{"role": "user", "content": "Count to five."}])["content"]}
        case "embeddings":
            answer = client.embeddings.create(
                model="gemini-embedding-001", input=["Bhima", "Krishna"], encoding_format="float"
            )
            return {"values": [item.embedding for item in answer.data]}
        case "models":
            return {"names": [model.id.removeprefix("models/") for model in client.models.list()]}
        case _:
            return talk()


print(json.dumps({"version": openai.__version__, "result": run()}))
