"""google-genai with Vertex chosen by the environment; run in the SDK's own environment.

Prints one JSON object: what its user reads of each call that failed.
"""

import json

from google import genai

MODEL = "gemini-3-pro-preview"
BATCH = {"dest": "gs://bucket/out"}
client = genai.Client()
calls = {
    "generate": lambda: client.models.generate_content(model=MODEL, contents="hello"),
    "stream": lambda: list(client.models.generate_content_stream(model=MODEL, contents="hello")),
    "embed": lambda: client.models.embed_content(model="gemini-embedding-001", contents="hello"),
    "count": lambda: client.models.count_tokens(model=MODEL, contents="hello"),
    "models": lambda: list(client.models.list()),
    "cache": lambda: client.caches.create(model=MODEL, config={"contents": "hello"}),
    "batch": lambda: client.batches.create(model=MODEL, src="gs://bucket/in", config=BATCH),
}
messages = {}
for name, call in calls.items():
    try:
        call()
    except genai.errors.APIError as error:
        messages[name] = str(error)
print(json.dumps(messages))
