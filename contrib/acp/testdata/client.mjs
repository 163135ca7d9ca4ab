// An editor made of the protocol's own SDK. It starts an agent, plays a script, and prints what
// it has seen as one line of JSON.
//
//   node client.mjs SDK DIR AGENT...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [sdk, dir, program, ...args] = process.argv.slice(2);
const acp = await import(pathToFileURL(sdk).href);
const { agent, client } = acp.methods;
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.on("exit", resolve));
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

const seen = { updates: [], asked: [], withdrawn: 0, stops: {}, errors: {} };
let onUpdate = () => {};
let answer = () => {};
const option = (kind) => ({ params }) => ({
  outcome: { outcome: "selected", optionId: params.options.find((o) => o.kind === kind).optionId },
});

const app = acp
  .client({ name: "test" })
  .onRequest(client.session.requestPermission, (context) => {
    seen.asked.push(context.params);
    context.signal.addEventListener("abort", () => seen.withdrawn++);
    return answer(context);
  })
  .onNotification(client.session.update, ({ params }) => {
    seen.updates.push(params.update);
    onUpdate(params.update);
  });

await app.connectWith(stream, async (context) => {
  seen.initialize = await context.request(agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
    clientInfo: { name: "test", version: "1" },
  });
  seen.session = await context.request(agent.session.new, { cwd: dir, mcpServers: [] });
  const { sessionId } = seen.session;
  const prompt = async (text) => {
    const { stopReason } = await context.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    seen.stops[text] = stopReason;
  };

  answer = option("allow_once");
  await prompt("edit");
  answer = option("reject_once");
  await prompt("edit and be refused");

  // The user cancels while a question is shown.
  answer = async () => {
    await context.notify(agent.session.cancel, { sessionId });
    return { outcome: { outcome: "cancelled" } };
  };
  await prompt("edit and be cancelled");

  // And while a call runs.
  onUpdate = (update) => {
    if (update.status === "in_progress") context.notify(agent.session.cancel, { sessionId });
  };
  await prompt("wait");
  onUpdate = () => {};

  // And by the signal of the request.
  const controller = new AbortController();
  onUpdate = (update) => update.status === "in_progress" && controller.abort();
  const request = context.request(
    agent.session.prompt,
    { sessionId, prompt: [{ type: "text", text: "wait" }] },
    { cancellationSignal: controller.signal },
  );
  seen.stops["wait again"] = (await request).stopReason;
  onUpdate = () => {};

  await context.request(agent.session.setMode, { sessionId, modeId: "acceptEdits" });
  answer = () => {
    throw new Error("asked although the mode allows it");
  };
  await prompt("edit without a question");

  for (const [name, method, params] of [
    ["unknown session", agent.session.prompt, { sessionId: "other", prompt: [] }],
    ["unknown mode", agent.session.setMode, { sessionId, modeId: "yolo" }],
    ["unknown method", agent.session.load, { sessionId, cwd: dir, mcpServers: [] }],
  ]) {
    await context.request(method, params).catch((error) => (seen.errors[name] = error.code));
  }
  seen.closed = await context.request(agent.session.close, { sessionId });
});
child.stdin.end();
seen.exit = await ended;
console.log(JSON.stringify(seen));
