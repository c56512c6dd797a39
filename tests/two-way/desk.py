"""An agent that does what `do` lists, mostly requests to its client, and gives back the answers."""
import json
import os
import sys
import threading
import time

asked, waiting = 0, []


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive(is_wanted):
    """The first message that is wanted. Others wait."""
    for message in waiting:
        if is_wanted(message):
            waiting.remove(message)
            return message
    for line in sys.stdin:
        message = json.loads(line)
        if is_wanted(message):
            return message
        waiting.append(message)
    sys.exit(0)


def filled(value, answers):
    """`$2.shell` is a member of the third answer."""
    if isinstance(value, dict):
        return {key: filled(one, answers) for key, one in value.items()}
    if isinstance(value, str) and value.startswith("$"):
        number, member = value[1:].split(".")
        return answers[int(number)]["result"][member]
    return value


def swap(link, targets):
    while True:
        for target in targets:
            os.symlink(target, link + ".new")
            os.rename(link + ".new", link)


def request(action, answers):
    global asked
    asked += 1
    id = action.get("id", asked)
    send(id=id, method=action["ask"], params=filled(action.get("params", {}), answers))
    return id


def answer_to(id):
    message = receive(lambda one: "method" not in one and json.dumps(one.get("id")) == json.dumps(id))
    return {key: message[key] for key in ("result", "error") if key in message}


def do(actions):
    answers, later = [], []
    for action in actions:
        if "ask" in action:
            id = request(action, answers)
            answers.append(None if action.get("later") else answer_to(id))
            later.append(id)
        elif "early" in action:
            answers.append(answer_to("early"))
            later.append("early")
        elif "tell" in action:
            send(method=action["tell"], params=action["params"])
        elif "nap" in action:
            time.sleep(action["nap"])
        elif "swap" in action:
            threading.Thread(target=swap, args=action["swap"], daemon=True).start()
        elif "big" in action:
            send(method="note", params={"text": "x" * action["big"]})
        elif "exit" in action:
            os._exit(action["exit"])
    return [answer or answer_to(id) for answer, id in zip(answers, later)]


early = os.environ.get("ASKS_FIRST")
if early:
    print(json.dumps({"jsonrpc": "2.0", "id": "early", "method": early, "params": {"path": "a.txt"}}), flush=True)
while True:
    message = receive(lambda one: "method" in one)
    if message["method"] == "open":
        can = message["params"]["can"]
        send(id=message["id"], result={"protocol": "desk", "session": "s1", "can": {"nap": {}, "sing": False, "you": can}})
        send(method="note", params={"text": "ready"})
    elif message["method"] == "do":
        send(id=message["id"], result={"answers": do(message["params"]["actions"])})
