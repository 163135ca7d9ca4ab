package shell

import (
	"bytes"
	"crypto/rand"
	"path/filepath"
)

// A startupDump receives what the script of dumpScript prints.
type startupDump struct {
	mark  []byte // a line that no start-up prints
	whole chan struct{}
	text  []byte
}

func newStartupDump() *startupDump {
	return &startupDump{mark: []byte("pegboard-" + rand.Text()), whole: make(chan struct{})}
}

// write adds a piece of output. What comes after the last mark is of no interest.
func (d *startupDump) write(p []byte) {
	if d.ended() {
		return
	}
	if d.text = append(d.text, p...); d.ended() {
		close(d.whole)
	}
}

func (d *startupDump) ended() bool { return bytes.Count(d.text, append(d.mark, '\n')) == 3 }

// parts returns the functions and aliases and the variables, if all of them were printed.
func (d *startupDump) parts() (script, vars string, ok bool) {
	parts := bytes.Split(d.text, append(d.mark, '\n'))
	if len(parts) != 4 {
		return "", "", false
	}
	return string(parts[1]), string(parts[2]), true
}

// userShell returns the user's shell, or else program, which runs the commands, if it is bash
// or zsh, and "" if neither is. own reports whether program reads the same language.
func userShell(env variables, program string) (shell string, own bool) {
	user, _ := env.get("SHELL")
	for _, shell := range []string{user, program} {
		if name := filepath.Base(shell); name == "bash" || name == "zsh" {
			return shell, name == filepath.Base(program)
		}
	}
	return "", false
}

// dumpScript returns a script that prints, between lines with its first argument, functions
// and aliases, and then the exported variables. bash does not read the file of an
// interactive shell if it is a login shell, whose own file usually does.
func dumpScript(program string) string {
	const (
		bashrc = `[ -f ~/.bashrc ] && . ~/.bashrc </dev/null >/dev/null 2>&1; `
		begin  = forgetBuiltins + `\builtin printf '%s\n' "$1"; `
		rest   = `; \builtin printf '%s\n' "$1"; \command env -0; \builtin printf '%s\n' "$1"; \builtin exit 0`
	)
	if filepath.Base(program) == "zsh" {
		// No function can be defined that has the name of an alias, and zsh comes with some.
		return begin + `\builtin echo 'unalias -a'; \builtin functions; \builtin alias -L` + rest
	}
	return bashrc + begin + `\builtin declare -f; \builtin alias -p; \builtin echo 'shopt -s expand_aliases'` + rest
}

// forgetBuiltins removes functions and aliases with the names of builtins whose meaning the
// decision on a line and the script around it depend on.
const forgetBuiltins = `for name in . : [ alias bg break builtin case cd command continue dirs echo eval exec exit export false fg hash jobs kill let local popd printf pushd pwd read readonly return set shift shopt source test time trap true type typeset ulimit umask unalias unset wait; do \builtin unset -f "$name"; \builtin unalias "$name"; done 2>/dev/null; `
