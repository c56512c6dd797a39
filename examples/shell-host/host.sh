#!/bin/sh
# The smallest host: `host.sh PROMPT AGENT [ARGS...]` prints the answer to one prompt. It reads JSON with patterns, so keep it to demonstrations.
set -eu
prompt=$1
shift
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkfifo "$folder/commands" "$folder/events"

"$@" --json-stream <"$folder/commands" >"$folder/events" &
exec 3>"$folder/commands" 4<"$folder/events"
while read -r event <&4; do
    case $event in
    '{"type":"ready"'*)
        printf '{"type":"message","msg_id":"m1","input":"%s"}\n' "$prompt" >&3
        ;;
    '{"type":"text_delta"'*)
        text=${event#*'"text":"'}
        printf '%s' "${text%%'"'*}"
        ;;
    '{"type":"stream_end"'*)
        break
        ;;
    esac
done
echo
exec 3>&-
wait
