"""A google-genai chat with automatic function calling; run in the SDK's own environment.

Arguments: base URL and ``unary`` or ``stream``. Prints one JSON object: the texts, the calls that ran, and a digest of
every answer's bytes.
"""

import hashlib
import json
import sys

from google import genai
from google.genai import types

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


def digest(response):
    digests.append(hashlib.sha256(response.read()).hexdigest())


options = types.HttpOptions(base_url=sys.argv[1], client_args={"event_hooks": {"response": [digest]}})
client = genai.Client(api_key="AIzaFAKEKEY0000000000000000000000000000", http_options=options)
chat = client.chats.create(
    model="gemini-3-pro-preview", config=types.GenerateContentConfig(tools=[get_weather, get_time])
)
texts = []
for message in ("Weather and time in Pune?", "Thank you."):
    if sys.argv[2] == "stream":
        texts.append("".join(chunk.text or "" for chunk in chat.send_message_stream(message)))
    else:
        texts.append(chat.send_message(message).text)
print(json.dumps({"texts": texts, "ran": ran, "digests": digests}))
