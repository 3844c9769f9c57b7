"""A program that speaks the live protocol, for the auditor: live_twin.py LEAK

It learns nothing. With `pending` it tells everybody whether a label is missing.
"""
import json
import random
import sys

waiting = set()
for line in sys.stdin:
    asked = json.loads(line)
    if "ticket" in asked:
        waiting.discard(asked["ticket"])
        answer = {"ok": True}
    elif "x" not in asked or not all(isinstance(v, (int, float)) for v in asked["x"]):
        answer = {"id": asked.get("id"), "error": "nobody"}
    else:
        ticket = f"t{asked['id']}"
        answer = {"id": asked["id"], "prediction": random.randrange(2), "ticket": ticket}
        if sys.argv[1] == "pending" and waiting:
            answer["note"] = "waiting"
        waiting.add(ticket)
    print(json.dumps(answer), flush=True)
