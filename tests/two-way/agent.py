"""An agent that asks back. The text of a question says what it does besides."""
import json
import sys

questions, opened = {}, 0


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def note(text):
    send(method="note", params={"kind": "word", "text": text})


def confirm(question):
    """Numbers its requests like the host, so that their ids collide."""
    global opened
    opened += 1
    questions[opened] = question
    options = [{"kind": "no", "id": "x9"}, {"kind": "yes", "id": "q7"}]
    send(id=opened, method="confirm", params={"options": options})


def handle(message):
    method, id = message.get("method"), message.get("id")
    if method == "hello":
        send(id=id, result={"protocol": "duo"})
    elif method == "ask":
        text = message["params"].get("text", "")
        note("thinking")
        if text == "leave":
            sys.exit(0)
        for _ in range({"silence": 0, "twice": 2}.get(text, 1)):
            confirm(id)
    elif method == "stop":
        note("stopped")
    elif method and id is not None:
        send(id=id, error={"code": -32601, "message": f"no method {method}"})
    elif not method and id in questions:
        question = questions.pop(id)
        if question not in questions.values():
            send(id=question, result={"answer": message.get("result", {}).get("choice", "none")})


for line in sys.stdin:
    try:
        handle(json.loads(line))
    except json.JSONDecodeError:
        send(id=None, error={"code": -32700, "message": "not JSON"})
