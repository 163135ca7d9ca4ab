import json, os, sys

json.dump(json.load(sys.stdin), open(f"{os.environ['RECORD']}/argv-{os.getpid()}.json", "w"))
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "|".join(sys.argv[1:])}}))
