"""langchain-google-genai: the chat model, and LangChain's agent on it.

The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, which google-genai reads below it.
"""

import json
import sys
from importlib.metadata import version

from langchain.agents import create_agent
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings

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


model = ChatGoogleGenerativeAI(model="gemini-3-pro-preview")


def talk(streams: bool) -> dict:
    agent = create_agent(model, tools=[get_weather, get_time])
    history = []
    texts = []
    for message in ("Weather and time in Pune?", "Thank you."):
        history.append({"role": "user", "content": message})
        if streams:
            text = ""
            for mode, item in agent.stream({"messages": history}, stream_mode=["messages", "values"]):
                if mode == "values":
                    state = item
                elif item[0].type == "AIMessageChunk":
                    text += item[0].text
            texts.append(text)
        else:
            state = agent.invoke({"messages": history})
            texts.append(state["messages"][-1].text)
        history = state["messages"]
    if flow.startswith("parallel"):
        calls.sort(reverse=True)  # LangChain runs them at the same time, in threads
    return {"texts": texts, "calls": calls}


def run() -> dict:
    match flow:
        case "unary":
            return {"text": model.invoke("Name a river in one word.").text}
        case "stream":
            return {"text": "".join(chunk.text for chunk in model.stream("Count to five."))}
        case "chat" | "parallel":
            return talk(streams=False)
        case "chat-stream" | "parallel-stream":
            return talk(streams=True)
        case "embeddings":
            embeddings = GoogleGenerativeAIEmbeddings(model="gemini-embedding-001")
            return {"values": embeddings.embed_documents(["Bhima", "Krishna"])}
        case "count":
            return {"tokens": model.get_num_tokens("How long am I?")}


print(json.dumps({"version": version("langchain-google-genai"), "result": run()}))
