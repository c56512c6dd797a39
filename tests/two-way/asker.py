#!/usr/bin/env python3
"""An agent with tools of its own names, and requests of its own to its model. The first word of a prompt says when: before, beside, behind, next."""
import json
import os
import subprocess
import sys
import threading
import urllib.request

TOOLS = ["run", "peek"]
URL = os.environ.get("BENCH_URL") or os.environ["OPENAI_BASE_URL"]
messages, mode, asked = [{"role": "system", "content": "You help."}], "free", 0


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def model(messages, tools=True, name="m"):
    body = {"model": name, "messages": messages}
    if tools:
        body["tools"] = [{"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}} for name in TOOLS]
    request = urllib.request.Request(URL + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


def title():
    return model([{"role": "system", "content": "You name sessions."}, messages[1]], tools=False, name="small")["content"]


def suggest():
    """Looks like the conversation but for its last message."""
    own = [*messages, {"role": "user", "content": "[NEXT] What comes next?"}]
    reply = model(own)
    while reply.get("tool_calls"):
        own += [reply, *({"role": "tool", "tool_call_id": call["id"], "content": "seen"} for call in reply["tool_calls"])]
        reply = model(own)


def allowed(call):
    global asked
    if mode != "ask":
        return True
    asked += 1
    send(id=asked, method="may", params={"call": "c-" + call["id"]})
    return json.loads(sys.stdin.readline()).get("result", {}).get("yes", False)


def turn(id, text):
    messages.append({"role": "user", "content": text})
    when = text.split()[0]
    if when == "before":
        title()
    beside = threading.Thread(target=title) if when == "beside" else None
    if beside:
        beside.start()
    reply = model(messages)
    while reply.get("tool_calls"):
        messages.append(reply)
        for call in reply["tool_calls"]:
            name, args = call["function"]["name"], json.loads(call["function"]["arguments"])
            send(method="call", params={"call": "c-" + call["id"], "tool": name, "args": args})
            ran = allowed(call)
            out = subprocess.run(args["cmd"], shell=True, capture_output=True, text=True).stdout if ran else "denied"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": out})
        reply = model(messages)
    if beside:
        beside.join()
    messages.append(reply)
    send(id=id, result={"text": reply["content"]})
    if when == "behind":
        title()
    if when == "next":
        suggest()


for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "open":
        send(id=id, result={"session": "s1", "agent": os.environ.get("BENCH_NAME", "asker"), "notes": True})
    elif method == "mode":
        mode = params["mode"]
        send(id=id, result={})
    elif method == "ask":
        turn(id, params["text"])
    elif method:
        send(id=id, error={"code": -32601, "message": f"no method {method}"})
