// Lets servers read and not write.
const fs = require("fs");
const event = JSON.parse(fs.readFileSync(0, "utf8"));
fs.writeFileSync(`${process.env.RECORD}/servers-${process.pid}.json`, JSON.stringify(event));
if (/__(write|delete)/i.test(event.tool_name)) {
  process.stderr.write(`${event.mcp_server.name} may only read`);
  process.exitCode = 2;
}
