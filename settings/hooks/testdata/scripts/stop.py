import json, os, sys

event = json.load(sys.stdin)
json.dump(event, open(f"{os.environ['RECORD']}/stop-{os.getpid()}.json", "w"))
if not event["stop_hook_active"] and not os.path.exists("tested"):
    print(json.dumps({"decision": "block", "reason": "Run the tests first."}))
