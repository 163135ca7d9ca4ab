// The verbs of a script, on top of the host's functions, which take and return texts.
// It is evaluated in a new runtime before the script, and returns the verbs.
(function (host, argsText) {
  "use strict";
  const { parse, stringify } = JSON;
  const then = Promise.prototype.then;

  // What a workflow does not have.
  const refuse = (what, advice) => function () {
    throw new Error(what + " is not available in a workflow script: " + advice);
  };
  const noCode = refuse("making code of text", "write the code in the script");
  for (const f of [function () {}, async function () {}, function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(f), "constructor", { value: noCode });
  }
  noCode.prototype = Function.prototype;
  Object.defineProperty(globalThis, "Function", { value: noCode, writable: true, configurable: true });
  Object.defineProperty(globalThis, "eval", { value: noCode, writable: true, configurable: true });
  Math.random = refuse("Math.random", "a run is replayed when it is resumed; vary by index, or pass values in args");

  // What recurs in the engine, and not in functions of the script, has no limit of its depth:
  // a list in itself, and a proxy as the prototype of its target.
  const { apply } = Reflect, { min } = Math, wholeFlat = Array.prototype.flat;
  const flat = function flat(depth = 1) { return apply(wholeFlat, this, [min(depth, 1000)]); };
  Object.defineProperty(Array.prototype, "flat", { value: flat, writable: true, configurable: true });
  delete globalThis.Proxy;

  // One call of these could make a text that ends the process for want of memory.
  const maxText = 2 ** 26, { String: textOf, Number: numberOf } = globalThis;
  for (const name of ["repeat", "padStart", "padEnd"]) {
    const whole = textOf.prototype[name];
    const limited = function (count, fill) {
      const text = this == null ? this : textOf(this), n = numberOf(count);
      if ((name === "repeat" && text != null ? n * text.length : n) > maxText) {
        throw new RangeError(name + " makes at most " + maxText + " characters in a workflow");
      }
      return apply(whole, text, [n, fill]);
    };
    Object.defineProperty(limited, "name", { value: name });
    Object.defineProperty(textOf.prototype, name, { value: limited, writable: true, configurable: true });
  }

  // Dates have no clock and no time zone of the machine.
  const RealDate = Date;
  const noClock = refuse("the time of day", "a run is replayed when it is resumed; pass the time in args");
  const parseDate = (text) => {
    if (!/^\d{4}-\d\d-\d\d$|(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
      throw new RangeError("a workflow has no time zone: write the date as 2006-01-02 or 2006-01-02T15:04:05Z");
    }
    return RealDate.parse(text);
  };
  const WorkflowDate = function Date(...a) {
    if (!new.target || a.length === 0) noClock();
    let time;
    if (a.length > 1) time = RealDate.UTC(...a);
    else if (a[0] instanceof RealDate) time = a[0].getTime();
    else time = typeof a[0] === "string" ? parseDate(a[0]) : Number(a[0]);
    return Reflect.construct(RealDate, [time], new.target);
  };
  WorkflowDate.prototype = RealDate.prototype;
  WorkflowDate.UTC = RealDate.UTC;
  WorkflowDate.now = noClock;
  WorkflowDate.parse = parseDate;
  const define = (name, value) => Object.defineProperty(RealDate.prototype, name, { value, writable: true, configurable: true });
  define("constructor", WorkflowDate);
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"]) {
    define("get" + part, RealDate.prototype["getUTC" + part]);
    if (part !== "Day") define("set" + part, RealDate.prototype["setUTC" + part]);
  }
  define("getTimezoneOffset", function getTimezoneOffset() { return 0; });
  for (const form of ["toString", "toLocaleString"]) define(form, RealDate.prototype.toUTCString);
  const day = function () { return this.toISOString().slice(0, 10); };
  const time = function () { return this.toISOString().slice(11, 19); };
  for (const form of ["toDateString", "toLocaleDateString"]) define(form, day);
  for (const form of ["toTimeString", "toLocaleTimeString"]) define(form, time);
  Object.defineProperty(globalThis, "Date", { value: WorkflowDate, writable: true, configurable: true });

  class AgentError extends Error {
    get name() { return "AgentError"; }
  }
  host.AgentError = AgentError;
  const fail = (text) => {
    const e = parse(text);
    throw e.agent ? new AgentError(e.message) : new Error(e.message);
  };
  const settled = (promise) => then.call(promise, parse, fail);

  const agent = async (prompt, options) => {
    if (typeof prompt !== "string" || prompt.trim() === "") {
      throw new TypeError("agent(prompt, options) needs a prompt that is a text and not empty");
    }
    return settled(host.agent(prompt, stringify(options ?? {})));
  };

  // orNull gives null in the place of what an agent that failed should have made.
  const orNull = async (f) => {
    try {
      return await f();
    } catch (e) {
      if (!(e instanceof AgentError)) throw e;
      host.failed(e.message);
      return null;
    }
  };

  // A sparse array of any length would be made whole.
  const checkLength = (array) => {
    if (array.length > 10000) throw new RangeError(`an array of ${array.length} entries is too long: at most 10000; split the work`);
  };

  const parallel = async (branches) => {
    if (!Array.isArray(branches)) {
      throw new TypeError("parallel takes an array of functions, such as parallel([() => agent(a), () => agent(b)])");
    }
    checkLength(branches);
    return Promise.all(branches.map((b) => orNull(typeof b === "function" ? b : () => b)));
  };

  const pipeline = async (items, ...stages) => {
    if (!Array.isArray(items)) throw new TypeError("pipeline(items, ...stages) takes an array of items");
    checkLength(items);
    if (!stages.every((s) => typeof s === "function")) {
      throw new TypeError("pipeline(items, ...stages) takes functions (previous, item, index) as stages");
    }
    return Promise.all(items.map((item, index) => orNull(async () => {
      let value = item;
      for (const stage of stages) value = await stage(value, item, index);
      return value;
    })));
  };

  const workflow = async (name, args) => {
    if (typeof name !== "string") throw new TypeError("workflow(name, args) needs the name of a workflow");
    return settled(host.workflow(name, stringify(args) ?? ""));
  };

  const shown = (v) => {
    if (typeof v === "string") return v;
    try {
      return v instanceof Error ? String(v) : stringify(v) ?? String(v);
    } catch {
      return String(v);
    }
  };
  const log = (...values) => host.log(values.map(shown).join(" "));
  const phase = (title) => host.phase(shown(title));
  const console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
  const args = argsText === "" ? undefined : parse(argsText);

  return (body) => {
    const main = body(agent, pipeline, parallel, phase, log, args, workflow, console, AgentError);
    return (async () => stringify(await main()) ?? "null")();
  };
})
