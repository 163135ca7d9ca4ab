"""Runs the code of the REPL tool. Requests are lines of JSON on the original
standard input. Replies are frames in the standard output, to which code also
prints."""

import _thread
import ast
import inspect
import io
import json
import linecache
import os
import queue
import signal
import sys
import threading
import traceback
import types

MAX_MESSAGE = 16 << 20  # bytes of one request of a script
# The system does not mix a frame of this size with the output of other processes.
ROOM = (4096 if sys.platform == "linux" else 512) - 64

HOME = os.getpid()  # a fork has another id and must not send replies


class ToolError(Exception):
    """A call of a tool failed or was refused. It has the tool, the kind, such as
    "denied", "invalid_input", "timeout" or "failed", and as value what the tool could
    do, or None."""

    def __init__(self, text, tool=None, kind="failed", value=None):
        super().__init__(text)
        self.tool, self.kind, self.value = tool, kind, value


class ToolFile:
    """A part of a result that is in a file, because it is long or because it is no text."""

    def __init__(self, path, size, mime=""):
        self.path, self.size, self.mime = path, size, mime

    def __repr__(self):
        return "ToolFile(path=%r, size=%r, mime=%r)" % (self.path, self.size, self.mime)

    def __fspath__(self):
        return self.path

    def read(self):
        """Returns all of it: a str, or what JSON says, or bytes if it is neither."""
        with open(self.path, "rb") as file:
            data = file.read()
        if self.mime == "application/json":
            return json.loads(data)
        return data.decode("utf-8", "replace") if self.mime.startswith("text/") else data

    def lines(self):
        """Returns the lines one by one, without their ends."""
        with open(self.path, encoding="utf-8", errors="replace", newline="\n") as file:
            for line in file:
                yield line.rstrip("\r\n")

    __iter__ = lines

    def __getattr__(self, name):
        raise AttributeError("%r has no %s: %s" % (self, name, self._HELP))

    def __getitem__(self, key):
        raise TypeError("%r has no items: %s" % (self, self._HELP))

    _HELP = "this part of the result is in a file. Take all of it with .read(), its lines with .lines(), or open(.path)"


def with_files(value, files):
    """Returns value with a ToolFile in each of the places."""
    for keys in files or ():
        if not keys:
            return ToolFile(**value)
        at = value
        for key in keys[:-1]:
            at = at[int(key) if isinstance(at, list) else key]
        key = int(keys[-1]) if isinstance(at, list) else keys[-1]
        at[key] = ToolFile(**at[key])
    return value


class Unbuffered(io.BufferedWriter):
    """Flushes every write, so that the output of child processes stays in order."""

    def write(self, data):
        size = super().write(data)
        self.flush()
        return size


class Link:
    """The connection to the host."""

    def __init__(self):
        # Code and its child processes get an empty standard input.
        self.requests, self.replies = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self.lock = threading.Lock()
        self.lines = self.read()
        self.token = json.loads(next(self.lines))["token"]

    def read(self):
        pieces = []
        while data := os.read(self.requests, 1 << 16):
            *lines, rest = data.split(b"\n")
            for line in lines:
                yield b"".join(pieces) + line
                pieces = []
            pieces.append(rest)

    def send(self, message):
        text = json.dumps(message, allow_nan=False)
        if len(text) > MAX_MESSAGE:
            raise ValueError("the input of the tool is larger than %d bytes" % MAX_MESSAGE)
        with self.lock:
            for at in range(0, len(text), ROOM):
                mark = "." if at + ROOM >= len(text) else "+"
                frame = (self.token + mark + text[at : at + ROOM] + "\n").encode("ascii")
                while frame:  # one write is enough where writes are atomic
                    frame = frame[os.write(self.replies, frame) :]


class Tools:
    """The tools of the host, by name: tools.Read({...}) or tools["Read"]({...})."""

    def __init__(self, link):
        self._link, self._waiting, self._lock, self._last = link, {}, threading.Lock(), 0

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name):
        def tool(input=None, /, **properties):
            return self._call(name, {**(input or {}), **properties})

        tool.__name__ = name
        return tool

    def _call(self, name, input):
        if os.getpid() != HOME:
            raise ToolError("a child process cannot call tools; call them in the process that runs the code")
        answer = queue.SimpleQueue()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = answer
        try:
            self._link.send({"call": number, "name": name, "input": input})
            result = answer.get()
        finally:
            self._waiting.pop(number, None)
        value = with_files(result["value"], result.get("files"))
        if error := result.get("error"):
            raise ToolError(error["text"], error["tool"], error["kind"], value)
        return value

    def _answer(self, message):
        if answer := self._waiting.get(message["result"]):
            answer.put(message)


def outer_frames(tb):
    """Returns a traceback without the frames of this file, and without those of the
    event loop that lead to the code."""
    frames, rest = [], None
    while tb:
        if tb.tb_frame.f_globals is not globals():
            frames.append(tb)
        tb = tb.tb_next
    starts = [i for i, tb in enumerate(frames) if tb.tb_frame.f_code.co_filename.startswith("<REPL ")]
    frames = frames[starts[0] if starts else 0 :]
    for tb in reversed(frames):
        rest = types.TracebackType(rest, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return rest


class Code:
    """Runs the codes of the calls, one after another."""

    def __init__(self, scope):
        self.scope, self.running, self.loop = scope, False, None
        signal.signal(signal.SIGINT, self.interrupt)

    def interrupt(self, *_):
        if self.running:
            raise KeyboardInterrupt

    def evaluate(self, code):
        """Evaluates compiled code, which has an await outside of functions or not."""
        value = eval(code, self.scope)
        return self.wait(value) if code.co_flags & inspect.CO_COROUTINE else value

    def wait(self, awaitable):
        """Returns the result of an awaitable. The event loop is kept between calls, and
        stands still then."""
        import asyncio

        async def result():
            return await awaitable

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(result())
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise

    def execute(self, code, name):
        """Runs code and prints the value of an expression at its end."""
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree, last = compile(code, name, "exec", ast.PyCF_ONLY_AST | flags, dont_inherit=True), None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body.pop().value), name, "eval", flags, dont_inherit=True)
        self.evaluate(compile(tree, name, "exec", flags, dont_inherit=True))
        if last:
            value = self.evaluate(last)
            if inspect.isawaitable(value):
                value = self.wait(value)
            sys.displayhook(value)

    def run(self, code, name):
        """Runs code and returns whether it failed. Ending the interpreter is not a failure."""
        failed = False
        try:
            try:
                self.running = True
                self.execute(code, name)
            finally:
                self.running = False
        except SystemExit:
            raise
        except BaseException as error:
            self.running = False
            traceback.print_exception(type(error), error, outer_frames(error.__traceback__))
            failed = True
        if os.getpid() != HOME:
            os._exit(failed)  # a fork must not wait for requests
        return failed


def listen(link, tools, todo):
    """Handles requests until the host closes the connection."""
    for line in link.lines:
        message = json.loads(line)
        if "result" in message:
            tools._answer(message)
        elif "interrupt" in message:
            _thread.interrupt_main()
        else:
            todo.put(message)
    os._exit(0)


def main():
    link = Link()
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = io.FileIO(number, "w", closefd=False)
        stream = io.TextIOWrapper(Unbuffered(raw), "utf-8", "backslashreplace", write_through=True)
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)
    tools, todo = Tools(link), queue.SimpleQueue()
    user = types.ModuleType("__main__")
    vars(user).update(tools=tools, ToolError=ToolError, ToolFile=ToolFile)
    sys.modules["__main__"] = user  # pickle looks there for the classes of the code
    sys.argv = [""]
    code = Code(vars(user))
    threading.Thread(target=listen, args=(link, tools, todo), daemon=True).start()
    while True:
        request = todo.get()
        link.send({"begun": request["run"]})
        failed = code.run(request["code"], "<REPL %d>" % request["run"])
        link.send({"done": request["run"], "error": failed})


main()
