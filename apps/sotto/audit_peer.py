"""A program that takes part in the auditor's games: audit_peer.py ROLE [FAULT]

ROLE: `release` tells the input with two-sided geometric noise of rate 1, once;
`leaky` with noise of rate 4; `counter` a running count without any; `parking`
and `users` are adversaries, `sessions` one against whole models. FAULT: what goes wrong in round 3.
"""
import json
import random
import sys
import time

role = sys.argv[1]
fault = sys.argv[2] if len(sys.argv) > 2 else ""
noise = random.Random()
count = 0


def geometric(rate):
    value = 0
    while noise.random() < 2.718281828459045**-rate:
        value += 1
    return value


def release(request, rate):
    return {"answer": request["x"] + geometric(rate) - geometric(rate), "halted": not fault}


def running(request):
    global count
    count += request["x"] if isinstance(request["x"], int) else request["x"]["n"]
    return {"answer": count}


def parking(request):
    return {"zero": 0, "one": 1} if fault != "rules" or request["round"] != 3 else {"zero": 0, "one": 2}


def users(request):
    """Somebody whose two versions are any JSON."""
    if request["round"] == 1:
        return {"zero": {"n": 0}, "one": {"n": 1}, "challenge": True}
    return {"end": True} if request["round"] == 4 else {"x": {"n": 0}}


def sessions(request):
    taught = {"x": 1, "y": 1}
    if request["round"] == 3:
        return {"zero": taught, "one": {"absent": True}, "challenge": True}
    return {"x": {"x": 0, "y": "opposite", "delay": 2} if request.get("hidden") else taught}


def broken(answer):
    if fault == "crash":
        sys.exit(3)
    if fault == "hang":
        time.sleep(60)
    if fault == "garbage":
        print("hello", flush=True)
        return None
    if fault == "range":
        return {"answer": 1000000}
    if fault == "word":
        return {"answer": "one"}
    if fault == "halted":
        return {"answer": 0, "halted": "yes"}
    if fault == "more":
        return {"answer": 0, "more": "\n{}"}
    return answer


ANSWERS = {"release": lambda request: release(request, 1), "leaky": lambda request: release(request, 4),
           "counter": running, "parking": parking, "users": users, "sessions": sessions}
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "begin":
        noise.seed(request["seed"])
        count = 0
        answer = {"ok": True}
    else:
        answer = ANSWERS[role](request)
        if request["round"] == 3:
            answer = broken(answer)
    if answer is not None:
        print(json.dumps(answer).replace(', "more": "\\n{}"', "") + ("\n{}" if "more" in answer else ""), flush=True)
