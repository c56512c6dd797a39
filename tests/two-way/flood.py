"""An agent that asks as often as it was asked, when so many requests are open. It answers when it has all its answers, the newest request first."""
import json
import os
import sys

held, answers = [], []


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message["id"]
    if method == "open":
        send(id=id, result={"protocol": "desk", "session": "s1"})
        send(method="note", params={"text": "ready"})
    elif method == "do":
        held.append((id, message["params"]["actions"]))
        if len(held) == int(os.environ["OPEN"]):
            for n in range(1, len(held) + 1):
                options = [{"id": n, "kind": "once"}]
                send(id=n, method="permit", params={"session": "s1", "options": options})
    else:
        answers.append((id, message["result"]["chosen"]))
        if len(answers) == len(held):
            is_own = all(id == chosen for id, chosen in answers)
            for id, actions in reversed(held):
                send(id=id, result={"answers": actions if is_own else []})
