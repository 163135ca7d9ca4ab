package shell

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// silentPrograms print nothing when they succeed.
var silentPrograms = map[string]bool{
	"cd": true, "chgrp": true, "chmod": true, "chown": true, "cp": true, "export": true, "ln": true, "mkdir": true, "mv": true,
	"rm": true, "rmdir": true, "set": true, "sleep": true, "touch": true, "true": true, "unset": true, "wait": true,
	":": true,
}

// printsNothing reports whether every command of the line is expected to print
// nothing.
func printsNothing(line *lines.Line) bool {
	for i := range line.Commands {
		if !silentPrograms[shellparse.ProgramOf(line.Commands[i].Text)] {
			return false
		}
	}
	return line.Unknown == "" && len(line.Commands) > 0
}

// namesGit reports whether any word of a command is git: many commands run another
// command that is given as an argument.
func namesGit(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"();|&`", r) }) {
		if name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe"); name == "git" {
			return true
		}
	}
	return false
}

// A programCheck determines whether the commands of a line would start the programs that the
// tables describe. It looks when it is first asked, which is when the call is decided, and then
// keeps its answer. The line does not find programs that are put into a directory of PATH later,
// see runner.environment.
type programCheck struct {
	find func(*pegboard.Call) *searchPath
	call *pegboard.Call
	from string // where the line starts

	once     sync.Once
	path     *searchPath
	mixed    bool           // a command of the line is not known, so that it runs with the whole PATH
	commands []commandCheck // of the line
}

// of returns the check of the command at a place of the line.
func (p *programCheck) of(line *lines.Line, k int) func() error {
	if p.commands == nil {
		p.mixed, p.commands = !line.SelfContained(), make([]commandCheck, len(line.Commands))
	}
	check := &p.commands[k]
	check.line, check.command = p, &line.Commands[k]
	return check.verify
}

// A commandCheck is the programCheck of one command.
type commandCheck struct {
	line    *programCheck
	command *lines.Command

	once sync.Once
	err  error
}

// verify returns an error that says which program of the project would be started.
func (k *commandCheck) verify() error {
	k.once.Do(func() {
		k.line.once.Do(func() { k.line.path = k.line.find(k.line.call) })
		if k.line.path.trusted {
			return
		}
		for _, name := range programsOf(k.command) {
			if file, open := k.line.path.find(name, k.line.from); open {
				k.err = fmt.Errorf("%s would be the program %s, which lies where files are made without a question", name, file)
				return
			}
		}
		if dir := k.fills(); k.line.mixed && dir != "" {
			k.err = fmt.Errorf("it writes to %s, where the other commands of the line find their programs", dir)
		}
	})
	return k.err
}

// fills returns an open directory of PATH in which the command writes, or "".
func (k *commandCheck) fills() string {
	for _, t := range k.command.Targets {
		if t.Kind != policy.Path || t.Access != policy.Write {
			continue
		}
		name := realpath.Resolve(t.Value)
		for i, dir := range k.line.path.dirs {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(k.line.from, dir)
			}
			real := realpath.Resolve(filepath.Clean(dir))
			if k.line.path.open[i] && (realpath.Contains(real, name) || t.Tree && realpath.Contains(name, real)) {
				return dir
			}
		}
	}
	return ""
}

// programsOf returns the names of programs that a command may start: its own and those of
// the commands that it runs in turn. The shell itself runs its builtins, unless a program
// starts them.
func programsOf(c *lines.Command) (names []string) {
	if len(c.Starts) > 0 {
		names = []string{shellparse.ProgramOf(c.Text)}
		for _, text := range c.Starts {
			if name := shellparse.ProgramOf(text); !lines.BringsProgram(name) {
				names = append(names, name)
			}
		}
		return names
	}
	started := false
	for i := range len(c.Nested) + 1 {
		text := c.Text
		if i > 0 {
			text = c.Nested[i-1]
		}
		name, _, _ := strings.Cut(text, " ")
		name = strings.Trim(name, `'"\`)
		if name == "" || strings.ContainsAny(name, "/=") || slices.Contains(names, name) {
			continue
		}
		names, started = append(names, name), started || !shellparse.IsBuiltin(name)
	}
	if !started {
		return nil
	}
	return names
}
