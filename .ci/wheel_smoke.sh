#!/usr/bin/env bash
# Builds the package and tries it as users have it: without extras and with them, away from the checkout.
#
#   .ci/wheel_smoke.sh            uses .venv, made by any target of the Makefile
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)
bin="$checkout/.venv/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() {
  printf -- '-- %s\n' "$1"
}

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  exit 1
}

# make_env FOLDER REQUIREMENT
make_env() {
  "$bin/python" -m venv "$1"
  "$bin/uv" pip install --quiet --python "$1/bin/python" "$2" || "$1/bin/python" -m pip install --quiet "$2"
}

# refuses WORD COMMAND...: the command exits 2 with a single line that holds the word
refuses() {
  local word=$1 code=0 said
  shift
  said=$("$@" 2>&1) || code=$?
  printf '%s\n' "$said"
  [ "$code" = 2 ] || fail "exit code $code instead of 2: $*"
  [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] || fail "more than one line: $*"
  case $said in *"$word"*) ;; *) fail "no word of $word: $*" ;; esac
}

say "build: the source distribution, and the wheel from it"
(cd "$checkout" && "$bin/python" -m build --outdir "$work/dist" . >"$work/build.log" 2>&1) \
  || { cat "$work/build.log"; fail "build"; }
"$bin/python" "$checkout/.ci/dist_contents.py" "$checkout" "$work"/dist/*.whl "$work"/dist/*.tar.gz
wheel=$(echo "$work"/dist/*.whl)

cd "$work"

say "without extras"
make_env "$work/plain" "$wheel"
! "$work/plain/bin/python" -c 'import mitmproxy' 2>/dev/null || fail "mitmproxy came along"
"$work/plain/bin/gemtape" --help
"$work/plain/bin/python" "$checkout/.ci/replay_smoke.py"
"$bin/uv" pip install --quiet --python "$work/plain/bin/python" pytest \
  || "$work/plain/bin/python" -m pip install --quiet pytest
cp -r "$checkout/examples/pytest-project" "$work/project"
(cd "$work/project" && "$work/plain/bin/pytest")
refuses 'gemtape[proxy]' "$work/plain/bin/gemtape" record "$work/never.db"
refuses 'gemtape[proxy]' "$work/plain/bin/gemtape" demo
[ ! -e "$work/never.db" ] || fail "a refused recording left a file"

say "with the proxy"
make_env "$work/proxy" "gemtape[proxy] @ file://$wheel"
"$work/proxy/bin/python" "$checkout/.ci/replay_smoke.py"
"$work/proxy/bin/gemtape" demo
