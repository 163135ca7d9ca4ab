// Runs the code of the REPL tool. Requests are lines of JSON on the original standard
// input. Replies are frames in the standard output, to which code also prints.
(() => {
  'use strict';
  const fs = require('node:fs');
  const inspector = require('node:inspector');
  const net = require('node:net');
  const path = require('node:path');
  const util = require('node:util');
  const { createRequire } = require('node:module');
  const { pathToFileURL } = require('node:url');

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

  class ToolError extends Error {
    get name() { return 'ToolError'; }
  }

  const waiting = new Map();
  let last = 0;

  async function call(name, input = {}) {
    const number = ++last;
    send({ call: number, name, input });
    const answer = await new Promise((resolve) => waiting.set(number, resolve));
    if (answer.error) throw new ToolError(answer.text);
    return answer.text;
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
  Object.assign(globalThis, { tools, ToolError, require: createRequire(path.join(process.cwd(), 'REPL')) });

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

  async function run({ run: number, code }) {
    send({ begun: number });
    let error = false;
    try {
      const got = await evaluate(code, `REPL${number}`);
      error = got.thrown;
      if (error) process.stderr.write(describe(got.value) + '\n');
      else if (got.value !== undefined) process.stdout.write(util.inspect(got.value) + '\n');
    } catch (failure) {
      error = true;
      process.stderr.write(describe(failure) + '\n');
    }
    send({ done: number, error });
  }

  function take(line) {
    const message = JSON.parse(line);
    if ('token' in message) {
      token = message.token;
    } else if ('result' in message) {
      waiting.get(message.result)?.(message);
      waiting.delete(message.result);
    } else {
      run(message);
    }
  }

  // An error outside a call must not end the process, which holds the state.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error) => process.stderr.write(describe(error) + '\n'));
  }

  const input = process.platform === 'win32' ? process.stdin : new net.Socket({ fd: requests, readable: true, writable: false });
  let pieces = [];
  input.on('data', (data) => {
    for (let end; (end = data.indexOf(10)) >= 0; data = data.subarray(end + 1)) {
      const line = Buffer.concat([...pieces, data.subarray(0, end)]).toString();
      pieces = [];
      take(line);
    }
    pieces.push(data);
  });
  input.on('close', () => process.exit(0));
})();
