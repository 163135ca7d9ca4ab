// Runs the code of the REPL tool. Requests are lines of JSON on the original standard
// input. Replies are frames in the standard output, to which code also prints.
(() => {
  'use strict';
  const fs = require('node:fs');
  const inspector = require('node:inspector');
  const path = require('node:path');
  const readline = require('node:readline');
  const util = require('node:util');
  const { createRequire } = require('node:module');
  const { pathToFileURL } = require('node:url');
  const { Worker } = require('node:worker_threads');

  const maxMessage = 16 << 20; // bytes of one request of a script
  // The system does not mix a frame of this size with the output of other processes.
  const room = (process.platform === 'linux' ? 4096 : 512) - 64;

  // Code and its child processes get an empty standard input, on systems that can
  // open a descriptor again.
  let requests = 0;
  let replies = 1;
  if (process.platform !== 'win32') {
    const folder = process.platform === 'linux' ? '/proc/self/fd/' : '/dev/fd/';
    requests = fs.openSync(folder + '0', 'r');
    replies = fs.openSync(folder + '1', 'w');
    fs.closeSync(0);
    fs.openSync('/dev/null', 'r'); // gets the lowest free number, 0
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream._handle?.setBlocking?.(true); // so that printed text precedes the reply
  }

  let token;
  const pause = new Int32Array(new SharedArrayBuffer(4));

  function write(frame) {
    for (let data = Buffer.from(frame, 'latin1'); data.length > 0;) {
      try {
        data = data.subarray(fs.writeSync(replies, data));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  }

  function send(message) {
    const text = JSON.stringify(message).replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
    if (text.length > maxMessage) throw new RangeError(`the input of the tool is larger than ${maxMessage} bytes`);
    for (let at = 0; at < text.length; at += room) {
      write(token + (at + room >= text.length ? '.' : '+') + text.slice(at, at + room) + '\n');
    }
  }

  // A ToolError says that a call failed or was refused: which tool, the kind, such as
  // 'denied', 'invalid_input', 'timeout' or 'failed', and as value what the tool could do.
  class ToolError extends Error {
    constructor(text, tool, kind = 'failed', value = null) {
      super(text);
      Object.assign(this, { tool, kind, value });
    }

    get name() { return 'ToolError'; }
  }

  // A ToolFile is a part of a result that is in a file, because it is long or no text.
  class ToolFile {
    constructor({ path, size, mime = '' }) { Object.assign(this, { path, size, mime }); }

    // read returns all of it: a string, or what JSON says, or a Buffer if it is neither.
    async read() {
      const data = await fs.promises.readFile(this.path);
      if (this.mime === 'application/json') return JSON.parse(data);
      return this.mime.startsWith('text/') ? data.toString() : data;
    }

    // lines returns the lines one by one, without their ends.
    lines() { return readline.createInterface({ input: fs.createReadStream(this.path), crlfDelay: Infinity })[Symbol.asyncIterator](); }

    [Symbol.asyncIterator]() { return this.lines(); }
  }

  function withFiles(value, files = []) {
    for (const keys of files) {
      if (keys.length === 0) return new ToolFile(value);
      const owner = keys.slice(0, -1).reduce((at, key) => at[key], value);
      owner[keys.at(-1)] = new ToolFile(owner[keys.at(-1)]);
    }
    return value;
  }

  const waiting = new Map();
  let last = 0;

  async function call(name, input = {}) {
    const number = ++last;
    send({ call: number, name, input });
    const answer = await new Promise((resolve) => waiting.set(number, resolve));
    const value = withFiles(answer.value, answer.files);
    if (answer.error) throw new ToolError(answer.error.text, answer.error.tool, answer.error.kind, value);
    return value;
  }

  const tools = new Proxy({}, {
    get: (_, name) => (typeof name === 'string' && name !== 'then' && name !== 'toJSON' ? (input) => call(name, input) : undefined),
  });

  // Only the debugger's evaluation supports await at the top level and a second
  // declaration of a constant. It does not support import, so that is replaced here.
  const session = new inspector.Session();
  session.connect();
  const post = (method, params) => new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result)));
  });
  const words = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|`(?:\\[^]|[^`\\$])*`|(?<![.\w$#])import(?=\s*\()/g;
  const withImports = (code) => code.replace(words, (word) => (word === 'import' ? '__import' : word));

  let value;
  Object.defineProperty(globalThis, '__keep', { value: (v) => { value = v; } });
  Object.defineProperty(globalThis, '__import', { value: (name) => import(resolved(name)) });
  Object.assign(globalThis, { tools, ToolError, ToolFile, require: createRequire(path.join(process.cwd(), 'REPL')) });

  function resolved(name) {
    return /^\.{0,2}\//.test(name) ? pathToFileURL(path.resolve(name)).href : name;
  }

  // evaluate returns the value of code, or the exception. The engine returns an id for
  // either; a function that it calls gets the object itself.
  async function evaluate(code, name) {
    const objectGroup = 'evaluation';
    const { result, exceptionDetails } = await post('Runtime.evaluate', {
      expression: `${withImports(code)}\n//# sourceURL=${name}`, replMode: true, objectGroup,
    });
    const { objectId, unserializableValue, value: plain } = exceptionDetails?.exception ?? result;
    const global = await post('Runtime.evaluate', { expression: 'globalThis', objectGroup });
    await post('Runtime.callFunctionOn', {
      functionDeclaration: 'function (v) { __keep(v); }',
      objectId: global.result.objectId,
      arguments: [objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value: plain }],
    });
    const kept = value;
    value = undefined;
    await post('Runtime.releaseObjectGroup', { objectGroup });
    return { thrown: exceptionDetails !== undefined, value: kept };
  }

  const inside = /\n +at Session\.post \(node:inspector[^\n]*(?:\n +at [^\n]*)*/g;

  function describe(thrown) {
    try {
      return `Uncaught ${util.inspect(thrown)}`.replace(inside, '');
    } catch {
      return 'Uncaught value that cannot be shown';
    }
  }

  let running; // the code that runs, or undefined

  // end ends the code that runs, once. A code that is interrupted may end again later.
  function end(code, error) {
    if (running !== code) return;
    running = undefined;
    send({ done: code.number, error });
  }

  async function run({ run: number, code: text }) {
    const code = { number };
    running = code;
    Atomics.store(taken, 0, 0);
    send({ begun: number });
    try {
      let { thrown, value: got } = await evaluate(text, `REPL${number}`);
      if (!thrown && util.types.isPromise(got)) {
        try {
          got = await got;
        } catch (error) {
          [thrown, got] = [true, error];
        }
      }
      if (running !== code) return;
      if (thrown) process.stderr.write(describe(got) + '\n');
      else if (got !== undefined) process.stdout.write(util.inspect(got) + '\n');
      end(code, thrown);
    } catch (failure) {
      if (Atomics.load(taken, 0) === 2) return interrupt();
      if (running === code) process.stderr.write(describe(failure) + '\n');
      end(code, true);
    }
  }

  // interrupt ends the code that runs. What it waits for goes on.
  function interrupt() {
    if (!running) return;
    process.stderr.write('Interrupted\n');
    end(running, true);
  }

  function take(message) {
    if ('result' in message) {
      waiting.get(message.result)?.(message);
      waiting.delete(message.result);
    } else if ('interrupt' in message) {
      Atomics.store(taken, 0, 1);
      interrupt();
    } else {
      run(message);
    }
  }

  // An error outside a call must not end the process, which holds the state.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error) => process.stderr.write(describe(error) + '\n'));
  }
  process.on('SIGINT', () => {}); // it is for the processes that code has started

  // A thread reads the requests, so that it can stop code that never gives up control.
  const taken = new Int32Array(new SharedArrayBuffer(4)); // 1: an interrupt was taken; 2: the code was stopped instead
  const listener = new Worker(`(${listen})()`, { eval: true, workerData: { requests, taken } });
  listener.once('message', (message) => {
    token = message.token;
    listener.on('message', take);
  });
  listener.on('exit', () => process.exit(0));

  function listen() {
    const { Session } = require('node:inspector');
    const { Socket } = require('node:net');
    const { parentPort, workerData: { requests, taken } } = require('node:worker_threads');
    const patience = 300; // milliseconds in which code that waits has given up control

    // stop stops the code in the main thread. A session that stays connected would make the
    // process wait for it at its end.
    function stop() {
      const session = new Session();
      session.connectToMainThread();
      session.post('Runtime.terminateExecution', () => session.disconnect());
    }

    function pass(message) {
      if (!message.interrupt) return parentPort.postMessage(message);
      if (Atomics.compareExchange(taken, 0, 1, 0) === 2) return; // on a busy machine the code has not stopped yet
      parentPort.postMessage(message);
      for (let waited = 0; waited < patience && Atomics.load(taken, 0) === 0; waited += 10) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
      if (Atomics.compareExchange(taken, 0, 0, 2) === 0) stop();
    }

    const input = new Socket({ fd: requests, readable: true, writable: false });
    let pieces = [];
    input.on('data', (data) => {
      for (let end; (end = data.indexOf(10)) >= 0; data = data.subarray(end + 1)) {
        const line = Buffer.concat([...pieces, data.subarray(0, end)]).toString();
        pieces = [];
        pass(JSON.parse(line));
      }
      pieces.push(data);
    });
    input.on('close', () => process.exit(0)); // of the thread
  }
})();
