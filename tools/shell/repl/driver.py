"""Runs the code of the REPL tool. Requests are lines of JSON on the original
standard input. Replies are frames in the standard output, to which code also
prints."""

import ast
import io
import json
import linecache
import os
import queue
import sys
import threading
import traceback
import types

MAX_MESSAGE = 16 << 20  # bytes of one request of a script
# The system does not mix a frame of this size with the output of other processes.
ROOM = (4096 if sys.platform == "linux" else 512) - 64

HOME = os.getpid()  # a fork has another id and must not send replies


class ToolError(Exception):
    """A call of a tool failed or was refused."""


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
        if result["error"]:
            raise ToolError(result["text"])
        return result["text"]

    def _answer(self, message):
        if answer := self._waiting.get(message["result"]):
            answer.put(message)


def outer_frames(tb):
    """Returns a traceback without the frames of this file."""
    frames, rest = [], None
    while tb:
        if tb.tb_frame.f_globals is not globals():
            frames.append(tb)
        tb = tb.tb_next
    for tb in reversed(frames):
        rest = types.TracebackType(rest, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return rest


def execute(code, name, scope):
    """Runs code and prints the value of an expression at its end."""
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree, last = compile(code, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), name, "eval", dont_inherit=True)
    exec(compile(tree, name, "exec", dont_inherit=True), scope)
    if last:
        sys.displayhook(eval(last, scope))


def run(code, name, scope):
    """Runs code and returns whether it failed. Ending the interpreter is not a failure."""
    failed = False
    try:
        execute(code, name, scope)
    except SystemExit:
        raise
    except BaseException as error:
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
    vars(user).update(tools=tools, ToolError=ToolError)
    sys.modules["__main__"] = user  # pickle looks there for the classes of the code
    sys.argv = [""]
    threading.Thread(target=listen, args=(link, tools, todo), daemon=True).start()
    while True:
        request = todo.get()
        link.send({"begun": request["run"]})
        failed = run(request["code"], "<REPL %d>" % request["run"], vars(user))
        link.send({"done": request["run"], "error": failed})


main()
