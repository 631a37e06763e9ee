"""google-genai asking everything but chats; run in the SDK's own environment.

Arguments: base URL, then ``gemini``, or ``vertex`` with project and location. Prints one JSON object: what each call gave.
"""

import json
import sys

from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

base_url, kind, *place = sys.argv[1:]
options = types.HttpOptions(base_url=base_url)
SIZE = {"page_size": 1}
MODEL = "gemini-3-pro-preview"


def gemini() -> dict:
    client = genai.Client(api_key="AIzaFAKEKEY0000000000000000000000000000", http_options=options)
    inlined = [{"contents": [{"parts": [{"text": "hello"}], "role": "user"}]}]
    batch = client.batches.create(model=MODEL, src=inlined, config={"display_name": "d"})
    cache = client.caches.create(model=MODEL, config={"contents": "hello", "ttl": "60s"})
    store = client.file_search_stores.create(config={"display_name": "s"})
    imported = client.file_search_stores.import_file(file_search_store_name=store.name, file_name="files/f1")
    states = [batch.state.value]
    while not batch.done:
        batch = client.batches.get(name=batch.name)
        states.append(batch.state.value)
    polls = 0
    while not imported.done:
        imported, polls = client.operations.get(imported), polls + 1
    client.batches.cancel(name=batch.name)
    client.batches.delete(name=batch.name)
    token = client.auth_tokens.create(config={"uses": 1, "http_options": {"api_version": "v1alpha"}})
    return {
        "models": [model.name for model in client.models.list(config=SIZE)],
        "model": client.models.get(model=MODEL).display_name,
        "tokens": client.models.count_tokens(model=MODEL, contents="hello").total_tokens,
        "embedding": client.models.embed_content(model="e", contents="hello").embeddings[0].values,
        "states": states,
        "batches": [item.name for item in client.batches.list(config=SIZE)],
        "cache": [
            cache.name,
            client.caches.get(name=cache.name).name,
            client.caches.update(name=cache.name, config={"ttl": "90s"}).expire_time.isoformat(),
            [item.name for item in client.caches.list()],
            client.caches.delete(name=cache.name) is not None,
        ],
        "polls": polls,
        "files": [file.name for file in client.files.list(config=SIZE)],
        "file": client.files.get(name="f1").state.value,
        "download": client.files.download(file="files/f1").hex(),
        "deleted": client.files.delete(name="f1") is not None,
        "store": [store.name, client.file_search_stores.delete(name=store.name, config={"force": True})],
        "token": token.name,
        "interactions": interactions(client),
    }


def interactions(client: genai.Client) -> list:
    first = client.interactions.create(model=MODEL, input="hello")
    second = client.interactions.create(model=MODEL, input="go on", previous_interaction_id=first.id)
    stream = client.interactions.create(model=MODEL, input="once more", stream=True)
    types_seen = [event.event_type for event in stream]
    return [
        first.id,
        second.id,
        types_seen,
        client.interactions.get(first.id).status,
        [event.event_type for event in client.interactions.get(second.id, stream=True, last_event_id="e1")],
        client.interactions.cancel(first.id).status,
    ]


def vertex(project: str, location: str) -> dict:
    client = genai.Client(
        vertexai=True,
        project=project,
        location=location,
        credentials=Credentials("ya29.fake-token-of-nobody"),
        http_options=options,
    )
    chunks = client.models.generate_content_stream(model=MODEL, contents="hello")
    cache = client.caches.create(model=MODEL, config={"contents": "hello", "ttl": "60s"})
    video = client.models.generate_videos(model="veo-3", prompt="a cat")
    polls = 0
    while not video.done:
        video, polls = client.operations.get(video), polls + 1
    return {
        "said": client.models.generate_content(model=MODEL, contents="hello").text,
        "streamed": "".join(chunk.text for chunk in chunks),
        "cached": client.models.generate_content(
            model=MODEL, contents="hello", config={"cached_content": cache.name}
        ).text,
        "tokens": client.models.count_tokens(model=MODEL, contents="hello").total_tokens,
        "image": client.models.generate_images(model="imagen", prompt="a")
        .generated_images[0]
        .image.image_bytes.hex(),
        "polls": polls,
        "video": video.response.generated_videos[0].video.video_bytes.hex(),
    }


print(json.dumps(gemini() if kind == "gemini" else vertex(*place)))
