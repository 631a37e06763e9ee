# curl, with the key in the query. Python takes JSON apart and puts it together.
#
# The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY.

set -eu
flow=$1
models="$GOOGLE_GEMINI_BASE_URL/v1beta/models"
model="$models/gemini-3-pro-preview"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# post URL: sends what comes in, prints the answer
post() {
    curl --silent --show-error --fail-with-body --no-buffer --json @- "$1"
}

user() {
    printf '{"contents": [{"role": "user", "parts": [{"text": "%s"}]}]}' "$1"
}

# python EXPRESSION: prints as JSON what it makes of the JSON that comes in, called `it`
python() {
    python3 -c 'import json, sys
it = json.load(sys.stdin)
print(json.dumps(eval(sys.argv[1])))' "$1"
}

# Prints what is in the answers of a stream, a list, without thoughts.
joined='{"text": "".join(part["text"] for event in it for part in event["candidates"][0]["content"]["parts"] if not part.get("thought"))}'

# The conversation's next request: the answer's content goes back as it came, and the results of its calls after it.
cat >"$folder/step.py" <<'PYTHON'
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
state = json.loads((folder / "state.json").read_text())
content = json.loads((folder / "answer.json").read_text())["candidates"][0]["content"]
contents = state["request"]["contents"]
contents.append(content)
results = []
for part in content["parts"]:
    if "functionCall" in part:
        call = part["functionCall"]
        state["result"]["calls"].append(" ".join([call["name"], *call["args"].values()]))
        response = {"get_weather": {"celsius": 31}, "get_time": {"result": "12:00"}}[call["name"]]
        results.append({"functionResponse": {"name": call["name"], "id": call["id"], "response": response}})
if results:
    contents.append({"role": "user", "parts": results})
else:
    state["result"]["texts"].append("".join(part["text"] for part in content["parts"] if not part.get("thought")))
    if state["messages"]:
        contents.append({"role": "user", "parts": [{"text": state["messages"].pop(0)}]})
    else:
        state["request"] = None
(folder / "state.json").write_text(json.dumps(state))
PYTHON

talk() {
    cat >"$folder/state.json" <<'JSON'
{"messages": ["Thank you."], "result": {"texts": [], "calls": []}, "request": {
  "contents": [{"role": "user", "parts": [{"text": "Weather and time in Pune?"}]}],
  "tools": [{"functionDeclarations": [
    {"name": "get_weather", "description": "Get the weather of a city.",
     "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}},
    {"name": "get_time", "description": "Get the time in a time zone.",
     "parameters": {"type": "OBJECT", "properties": {"tz": {"type": "STRING"}}, "required": ["tz"]}}]}]}}
JSON
    while python 'it["request"]' <"$folder/state.json" >"$folder/request.json" && [ "$(cat "$folder/request.json")" != null ]; do
        post "$model:generateContent?key=$GEMINI_API_KEY" <"$folder/request.json" >"$folder/answer.json"
        python3 "$folder/step.py" "$folder"
    done
    python 'it["result"]' <"$folder/state.json"
}

# The resumable protocol: the first answer says where the bytes go.
upload() {
    printf 'Bhima, Krishna, Godavari\n' >"$folder/rivers.txt"
    printf '{"file": {"mimeType": "text/plain"}}' | curl --silent --show-error --fail-with-body --json @- \
        --dump-header "$folder/headers" --output /dev/null \
        -H "X-Goog-Upload-Protocol: resumable" -H "X-Goog-Upload-Command: start" \
        -H "X-Goog-Upload-Header-Content-Length: 25" -H "X-Goog-Upload-Header-Content-Type: text/plain" \
        "$GOOGLE_GEMINI_BASE_URL/upload/v1beta/files?key=$GEMINI_API_KEY"
    target=$(sed -n 's/^x-goog-upload-url: *//Ip' "$folder/headers" | tr -d '\r')
    curl --silent --show-error --fail-with-body --data-binary @"$folder/rivers.txt" -H "X-Goog-Upload-Offset: 0" \
        -H "X-Goog-Upload-Command: upload, finalize" "$target"
}

case $flow in
unary)
    result=$(user "Name a river in one word." | post "$model:generateContent?key=$GEMINI_API_KEY" | python "(lambda it: $joined)([it])")
    ;;
stream)
    result=$(user "Count to five." | post "$model:streamGenerateContent?alt=sse&key=$GEMINI_API_KEY" |
        sed -n 's/^data: //p' | python3 -c 'import json, sys
print(json.dumps([json.loads(line) for line in sys.stdin if line.strip()]))' | python "$joined")
    ;;
array)
    result=$(user "Count to five." | post "$model:streamGenerateContent?key=$GEMINI_API_KEY" | python "$joined")
    ;;
files)
    upload >"$folder/file.json"
    uri=$(python 'it["file"]["uri"]' <"$folder/file.json")
    part="{\"fileData\": {\"mimeType\": \"text/plain\", \"fileUri\": $uri}}"
    printf '{"contents": [{"role": "user", "parts": [%s, {"text": "Which river comes first?"}]}]}' "$part" |
        post "$model:generateContent?key=$GEMINI_API_KEY" | python "(lambda it: $joined)([it])" >"$folder/answer.json"
    name=$(python 'it["file"]["name"]' <"$folder/file.json")
    result=$(python "{'name': $name, **it}" <"$folder/answer.json")
    ;;
embeddings)
    one='{"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "%s"}]}}'
    result=$(printf "{\"requests\": [$one, $one]}" Bhima Krishna |
        post "$models/gemini-embedding-001:batchEmbedContents?key=$GEMINI_API_KEY" |
        python '{"values": [embedding["values"] for embedding in it["embeddings"]]}')
    ;;
count)
    result=$(user "How long am I?" | post "$model:countTokens?key=$GEMINI_API_KEY" | python '{"tokens": it["totalTokens"]}')
    ;;
models)
    curl --silent --show-error --fail-with-body "$models?pageSize=2&key=$GEMINI_API_KEY" >"$folder/1.json"
    token=$(python 'it["nextPageToken"]' <"$folder/1.json" | tr -d '"')
    curl --silent --show-error --fail-with-body --get "$models" -d pageSize=2 -d key="$GEMINI_API_KEY" \
        --data-urlencode pageToken="$token" >"$folder/2.json"
    result=$(cat "$folder/1.json" "$folder/2.json" | python3 -c 'import json, re, sys
names = re.findall(r"\"name\": \"models/(.*?)\"", sys.stdin.read())
print(json.dumps({"names": names}))')
    ;;
chat | parallel)
    result=$(talk)
    ;;
esac
version=$(curl --version | sed -n '1s/^curl \([^ ]*\).*/\1/p')
printf '{"version": "%s", "result": %s}\n' "$version" "$result"
