package tooltest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A soakOp is a call and what it does to the model.
type soakOp struct {
	tool   string
	input  map[string]any
	writes bool // may be refused because the file was not seen
	alone  bool // is the only call of its message
	// apply says whether the call can succeed now. If do is true it also changes the model.
	apply func(do bool) bool
	check func(text string) error // of a result; nil for none
}

// operation makes a call at random. It goes by what the model has now: a call before it in
// the message may be denied.
func (a *soakAgent) operation() soakOp {
	made := []func() soakOp{
		a.read, a.read, a.read, a.glob, a.grep, a.write, a.write, a.edit, a.edit, a.multiEdit, a.patch,
		a.appendLine, a.copyFile, a.moveFile, a.removeFile, a.substitute, a.script, a.background,
		a.readShared, a.editShared, a.editShared, a.appendShared, a.overwriteShared,
	}
	return made[a.random.IntN(len(made))]()
}

func (a *soakAgent) path(name string) string { return filepath.Join(a.dir, a.name, name) }

// name returns the name of a file that may exist.
func (a *soakAgent) file() string {
	names := []string{"a.txt", "b.txt", "c.txt", "d.txt", "sub/a.txt", "sub/b.txt"}
	return names[a.random.IntN(len(names))]
}

// line returns a line that no other call makes.
func (a *soakAgent) line() string {
	a.lines++
	return fmt.Sprintf("line %s.%d of the soak\n", a.name, a.lines)
}

// lineOf returns a line of a file, or one that it does not have.
func (a *soakAgent) lineOf(name string) string {
	lines := strings.SplitAfter(a.tree[name], "\n")
	if line := lines[a.random.IntN(len(lines))]; line != "" {
		return line
	}
	return a.line()
}

func (a *soakAgent) exists(name string) bool {
	_, ok := a.tree[name]
	return ok
}

// set changes a file of the model if do is true.
func (a *soakAgent) set(do bool, name, content string) bool {
	if do {
		a.tree[name] = content
	}
	return true
}

func (a *soakAgent) read() soakOp {
	name := a.file()
	return soakOp{
		tool: "Read", input: map[string]any{"file_path": a.path(name)},
		apply: func(bool) bool { return a.exists(name) },
		check: func(text string) error {
			if strings.HasPrefix(text, "[") { // it has not changed, or it is empty
				return nil
			}
			return equal(a.tree[name], unnumbered(text))
		},
	}
}

// unnumbered returns the content that Read shows.
func unnumbered(text string) string {
	var content strings.Builder
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, "\t"); ok {
			content.WriteString(rest)
		}
	}
	if content.Len() > 0 && !strings.HasSuffix(content.String(), "\n") {
		content.WriteString("\n")
	}
	return content.String()
}

func equal(want, got string) error {
	if want != got {
		return fmt.Errorf("want %q, got %q", want, got)
	}
	return nil
}

func (a *soakAgent) glob() soakOp {
	return soakOp{
		tool: "Glob", input: map[string]any{"pattern": "**", "path": a.path("")},
		apply: func(bool) bool { return true },
		check: func(text string) error {
			return equal(fmt.Sprint(slices.Sorted(maps.Keys(a.tree))), fmt.Sprint(a.shown(text)))
		},
	}
}

// shown returns the files that a result lists, sorted. Their names start from where the last
// command has ended.
func (a *soakAgent) shown(text string) (names []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ".txt") {
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(line, a.dir+"/"), a.name+"/"))
		}
	}
	slices.Sort(names)
	return names
}

func (a *soakAgent) grep() soakOp {
	line := strings.TrimSpace(a.lineOf(a.file()))
	return soakOp{
		tool: "Grep", input: map[string]any{"pattern": line, "fixed_strings": true, "path": a.path("")},
		apply: func(bool) bool { return true },
		check: func(text string) error {
			for name, content := range a.tree {
				if strings.Contains(content, line) != slices.Contains(a.shown(text), name) {
					return fmt.Errorf("%s: %q", name, content)
				}
			}
			return nil
		},
	}
}

func (a *soakAgent) write() soakOp {
	name, content := a.file(), a.line()+a.line()+a.line()
	return soakOp{
		tool: "Write", input: map[string]any{"file_path": a.path(name), "content": content}, writes: true,
		apply: func(do bool) bool { return a.set(do, name, content) },
	}
}

func (a *soakAgent) edit() soakOp {
	name := a.file()
	old, with := a.lineOf(name), a.line()+a.line()
	return soakOp{
		tool: "Edit", input: map[string]any{"file_path": a.path(name), "old_string": old, "new_string": with}, writes: true,
		apply: func(do bool) bool { return a.replace(do, name, old, with) },
	}
}

// replace replaces a text that a file of the model has once.
func (a *soakAgent) replace(do bool, name, old, with string) bool {
	return strings.Count(a.tree[name], old) == 1 && a.set(do, name, strings.Replace(a.tree[name], old, with, 1))
}

func (a *soakAgent) multiEdit() soakOp {
	name := a.file()
	old, with, last := a.lineOf(name), a.line(), a.line()+a.line()
	return soakOp{
		tool: "MultiEdit", writes: true, input: map[string]any{"file_path": a.path(name), "edits": []map[string]any{
			{"old_string": old, "new_string": with}, {"old_string": with, "new_string": last},
		}},
		apply: func(do bool) bool { return a.replace(do, name, old, last) },
	}
}

// patch changes one file and creates another, in place of one that was seen if there is one.
func (a *soakAgent) patch() soakOp {
	name, added := a.file(), a.file()
	old, with, first := a.lineOf(name), a.line(), a.line()
	text := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s+%s*** Add File: %s\n+%s*** End Patch", a.path(name), old, with, a.path(added), first)
	return soakOp{
		tool: "apply_patch", input: map[string]any{"input": text}, writes: true,
		apply: func(do bool) bool {
			return name != added && a.replace(do, name, old, with) && a.set(do, added, first)
		},
	}
}

// bash runs a line in the directory of the agent.
func (a *soakAgent) bash(apply func(do bool) bool, format string, args ...any) soakOp {
	line := fmt.Sprintf("cd '%s' && %s", a.path(""), fmt.Sprintf(format, args...))
	return soakOp{tool: "Bash", input: map[string]any{"command": line}, apply: apply}
}

// hadDir reports whether the directory of a file was there when an operation ran, which has
// succeeded if did is set. If another operation of the message made the directory, it may
// have been there or not.
func (a *soakAgent) hadDir(name string, did bool) bool {
	return filepath.Dir(name) == "." || a.hadSub || did && a.hasSub()
}

// hasSub reports whether the directory is there, which is not in the model if it is empty.
func (a *soakAgent) hasSub() bool {
	_, err := os.Stat(a.path("sub"))
	return err == nil
}

func (a *soakAgent) appendLine() soakOp {
	name, line := a.file(), a.line()
	return a.bash(func(do bool) bool { return a.set(do, name, a.tree[name]+line) },
		"mkdir -p sub && printf '%%s\\n' '%s' >> %s", strings.TrimSpace(line), name)
}

func (a *soakAgent) copyFile() soakOp {
	from, to := a.file(), a.file()
	return a.bash(func(do bool) bool {
		return a.exists(from) && from != to && a.hadDir(to, do) && a.set(do, to, a.tree[from])
	}, "cp %s %s", from, to)
}

func (a *soakAgent) moveFile() soakOp {
	from, to := a.file(), a.file()
	return a.bash(func(do bool) bool {
		if !a.exists(from) || from == to || !a.hadDir(to, do) {
			return false
		}
		a.set(do, to, a.tree[from])
		if do {
			delete(a.tree, from)
		}
		return true
	}, "mv %s %s", from, to)
}

func (a *soakAgent) removeFile() soakOp {
	name := a.file()
	return a.bash(func(do bool) bool {
		there := a.exists(name)
		if do {
			delete(a.tree, name)
		}
		return there
	}, "rm %s", name)
}

func (a *soakAgent) substitute() soakOp {
	name := a.file()
	old, with := a.lineOf(name), a.line()
	return a.bash(func(do bool) bool {
		if do {
			a.set(a.exists(name), name, strings.ReplaceAll(a.tree[name], old, with))
		}
		return a.exists(name)
	}, "sed -i 's/^%s$/%s/' %s", strings.TrimSpace(old), strings.TrimSpace(with), name)
}

// script writes from the interpreter, which lives as long as the agent.
func (a *soakAgent) script() soakOp {
	name, line := "a.txt", a.line()
	code := fmt.Sprintf("with open(%q, 'a') as f: _ = f.write(%q)", a.path(name), line)
	return soakOp{
		tool: "REPL", input: map[string]any{"code": code, "language": "python"},
		apply: func(do bool) bool { return a.set(do, name, a.tree[name]+line) },
	}
}

// background writes a file after the call has returned. The line waits for it, so that the
// model knows when.
func (a *soakAgent) background() soakOp {
	name, line := "task.txt", a.line()
	op := a.bash(func(do bool) bool {
		if do {
			a.wait(name, line)
		}
		return a.set(do, name, line)
	}, "sleep 0.02; printf '%%s\\n' '%s' > %s.new && mv %s.new %s", strings.TrimSpace(line), name, name, name)
	op.input["run_in_background"], op.alone = true, true // what runs beside it would see its file or not
	return op
}

// wait waits until a file has the content. If it never does, the comparison of the directory
// says so.
func (a *soakAgent) wait(name, content string) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if got, err := os.ReadFile(a.path(name)); err == nil && string(got) == content {
			return
		}
	}
}

func (a *soakAgent) sharedPath() string { return filepath.Join(a.dir, "shared.txt") }

// share notes a line of the common file when it has been written.
func (a *soakAgent) share(line string) func(do bool) bool {
	return func(do bool) bool {
		a.shared[line] = a.shared[line] || do
		return do
	}
}

func (a *soakAgent) readShared() soakOp {
	return soakOp{tool: "Read", input: map[string]any{"file_path": a.sharedPath()}, apply: func(bool) bool { return true }}
}

func (a *soakAgent) editShared() soakOp {
	line := "edit " + a.line()
	return soakOp{
		tool: "Edit", input: map[string]any{"file_path": a.sharedPath(), "old_string": sharedHead, "new_string": sharedHead + line},
		writes: true, apply: a.share(line),
	}
}

func (a *soakAgent) appendShared() soakOp {
	line := "append " + a.line()
	return a.bash(a.share(line), "printf '%%s\\n' '%s' >> ../shared.txt", strings.TrimSpace(line))
}

// overwriteShared writes what the file has now and one line more. It must be refused if the
// agent has not seen just that. A call before it in the message could change the file and know
// what it became.
func (a *soakAgent) overwriteShared() soakOp {
	line := "overwrite " + a.line()
	content, _ := os.ReadFile(a.sharedPath())
	return soakOp{
		tool: "Write", input: map[string]any{"file_path": a.sharedPath(), "content": string(content) + line},
		writes: true, alone: true, apply: a.share(line),
	}
}
