#!/usr/bin/env python3
# Sends commands back for which the project has a better one.
import json
import os
import re
import sys

RULES = [
    (r"^\s*grep\b(?!.*\|)", "Search with rg, it is faster and skips ignored files."),
    (r"^\s*find\s+\S+\s+-name\b", "List files with rg --files -g PATTERN."),
]

try:
    event = json.load(sys.stdin)
except json.JSONDecodeError as error:
    print(f"not JSON: {error}", file=sys.stderr)
    sys.exit(1)
with open(f"{os.environ['RECORD']}/validator-{os.getpid()}.json", "w") as record:
    json.dump(event, record)
if event.get("tool_name") != "Bash":
    sys.exit(0)
command = event.get("tool_input", {}).get("command", "")
issues = [advice for pattern, advice in RULES if re.search(pattern, command)]
for issue in issues:
    print(f"- {issue}", file=sys.stderr)
sys.exit(2 if issues else 0)
