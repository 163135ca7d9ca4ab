import json, os, re, sys

event = json.load(sys.stdin)
json.dump(event, open(f"{os.environ['RECORD']}/prompt-{os.getpid()}.json", "w"))
if re.search(r"(?i)\b(password|secret)\s*[:=]", event["prompt"]):
    print(json.dumps({"decision": "block", "reason": "the prompt holds a secret"}))
else:
    print("The time is noon.")
