"""Edits a notebook the way Jupyter does: parse all, change a cell, write all anew.

Reads {"notebook": text, "op": ..., ...} from stdin and writes the new text.
"""
import json
import sys

ask = json.load(sys.stdin)
notebook = json.loads(ask["notebook"])
cells = notebook["cells"]
lines = ask["source"].splitlines(True)
index = ask["index"]

if ask["op"] == "delete":
    del cells[index]
elif ask["op"] == "insert":
    cell = {"cell_type": ask["type"], "id": ask["id"], "metadata": {}, "source": lines}
    if ask["type"] == "code":
        cell.update(execution_count=None, outputs=[])
    cells.insert(index, cell)
else:
    cell = cells[index]
    cell["source"] = lines
    cell["cell_type"] = ask["type"]
    for key in ("execution_count", "outputs"):
        cell.pop(key, None)
    if ask["type"] == "code":
        cell.update(execution_count=None, outputs=[])

text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=ask["ascii"]) + "\n"
sys.stdout.buffer.write(text.encode("utf-8"))
