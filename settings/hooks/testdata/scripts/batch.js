const fs = require("fs");
const event = JSON.parse(fs.readFileSync(0, "utf8"));
fs.writeFileSync(`${process.env.RECORD}/batch-${process.pid}.json`, JSON.stringify(event));
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: `${event.tool_calls.length} calls` } }));
