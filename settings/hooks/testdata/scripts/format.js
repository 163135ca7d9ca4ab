#!/usr/bin/env node
// Ends each written file with one line end.
const fs = require("fs");
const event = JSON.parse(fs.readFileSync(0, "utf8"));
fs.writeFileSync(`${process.env.RECORD}/format-${process.pid}.json`, JSON.stringify(event));
const file = event.tool_input.file_path;
const before = fs.readFileSync(file, "utf8");
const after = before.trimEnd() + "\n";
if (after !== before) {
  fs.writeFileSync(file, after);
  console.log(JSON.stringify({
    hookSpecificOutput: { hookEventName: event.hook_event_name, additionalContext: `formatted ${typeof event.tool_response}` },
  }));
}
