#!/bin/sh
# A test of a host: `test.sh HOST [ARGS...]`. Needs `mock-agent` and `conform` on the PATH.
set -eu
folder=$(mktemp -d)
host=
trap '[ -z "$host" ] || kill "$host"; rm -r "$folder"' EXIT

# A script: what the agent says.
cat >"$folder/script.yaml" <<'SCRIPT'
- content: [{ text: "The answer is " }, { gate: half }, { text: "42." }]
SCRIPT
export MOCK_AGENT_SCRIPT="$folder/script.yaml"
export MOCK_AGENT_CONTROL="$folder/control"
export MOCK_AGENT_JUDGE="$folder/mistakes.txt"

"$@" >"$folder/screen.txt" &
host=$!

# A gate: the answer is held in the middle, for as long as the test looks at the host.
conform ctl "$folder/control" wait-agent >"$folder/agent.json"
conform ctl "$folder/control" wait-gate half >"$folder/gate.json"
until grep -q 'The answer is' "$folder/screen.txt"; do sleep 0.05; done
echo "held:     '$(cat "$folder/screen.txt")'"
conform ctl "$folder/control" release half >"$folder/gate.json"
wait "$host"
host=
echo "released: '$(cat "$folder/screen.txt")'"

# A judge: what the host did wrong.
cat "$folder/mistakes.txt"
test ! -s "$folder/mistakes.txt"
