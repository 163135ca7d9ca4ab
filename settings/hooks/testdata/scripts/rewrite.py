import json, os, sys

event = json.load(sys.stdin)
json.dump(event, open(f"{os.environ['RECORD']}/rewrite-{os.getpid()}.json", "w"))
command = event["tool_input"]["command"]
if command.startswith("echo") and "quietly" not in command:
    changed = {**event["tool_input"], "command": command + " quietly"}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": changed}}))
