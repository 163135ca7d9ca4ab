// Answers for the person where the command is known.
const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
require("fs").writeFileSync(`${process.env.RECORD}/answer-${process.pid}.json`, JSON.stringify(event));
if (/^mkfifo \w+$/.test(event.tool_input.command || "")) {
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } }));
} else if (/curl/.test(event.tool_input.command || "")) {
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no network here" } } }));
}
