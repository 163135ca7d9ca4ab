package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// DefaultStartupTimeout is how long the user's shell may take to start. Shells with a
// version manager take one or two seconds.
const DefaultStartupTimeout = 10 * time.Second

// maxStartup is the number of bytes that a user's shell may print while it starts and lists its
// state. The functions that complete words are a few hundred kilobytes.
const maxStartup = 8 << 20

// A startup is the state of the user's own shell after its start. It is determined once for all
// agents of a conversation.
type startup struct {
	mu     sync.Mutex // held while it is found out
	done   bool
	script string   // functions and aliases; empty if the user's shell is of another kind
	vars   []string // exported variables
	note   string   // why there is nothing, until the model was told
}

// startups are the start-ups of a conversation by the program that runs its commands.
type startups struct {
	mu  sync.Mutex
	all map[string]*startup
}

var startupsKey = pegboard.NewKey[*startups]("start-up of the user's shell")

// startupOf returns the start-up for commands that r runs in s, which may have to be found
// out yet. It is nil if the host has not turned it on.
func (r *runner) startupOf(s *pegboard.Session) *startup {
	if !r.options.Startup || !r.takesScript() || runtime.GOOS == "windows" {
		return nil
	}
	all := startupsKey.GetOrInitRoot(s, func() *startups { return &startups{all: map[string]*startup{}} })
	all.mu.Lock()
	defer all.mu.Unlock()
	program := r.options.Shell[0]
	if all.all[program] == nil {
		all.all[program] = &startup{}
	}
	return all.all[program]
}

// find starts the user's shell, unless that was done before. The shell starts in the home
// directory, so that no file of a project has a part in it.
func (u *startup) find(ctx context.Context, r *runner, s *pegboard.Session) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.done {
		return
	}
	env := inherited(r.options.Env, r.options.Withheld, r.options.Vars)
	if err := u.capture(ctx, r, s, env); err != nil {
		if ctx.Err() != nil {
			return // the next command finds it out
		}
		u.note = fmt.Sprintf("The start-up of the user's shell is missing, with its PATH, functions and aliases: %v.", err)
	}
	u.done = true
}

func (u *startup) capture(ctx context.Context, r *runner, s *pegboard.Session, env variables) error {
	program, own := userShell(env, r.options.Shell[0])
	home := s.Home()
	switch {
	case program == "":
		return errors.New("that shell is neither bash nor zsh")
	case home == "":
		return errors.New("the session has no home directory")
	}
	env.set("HOME", home)
	dump := newStartupDump()
	ctx, cancel := context.WithTimeoutCause(ctx, r.options.StartupTimeout, fmt.Errorf("it took longer than %v", r.options.StartupTimeout))
	defer cancel()
	process, err := r.table.Start(ctx, proc.Command{
		Args: []string{program, "-l", "-i", "-c", dumpScript(program), program, string(dump.mark)}, Dir: home, Env: env.pairs,
		Keep: 1, Output: dump.write, MaxOutput: maxStartup,
	})
	if err != nil {
		return err
	}
	select {
	case <-process.Done():
	case <-dump.whole:
		process.Stop(errStartupKnown) // a process that it leaves running may hold the output
	}
	exit := process.Exit()
	script, vars, ok := dump.parts()
	switch {
	case exit.Err != nil && !errors.Is(exit.Err, errStartupKnown): // anything that it does later is not its start-up
		return exit.Err
	case !ok:
		return errors.New("it does not come to its end")
	}
	if own {
		u.script = script
	}
	u.vars = newVariables(env, strings.Split(vars, "\x00"), r.options)
	return nil
}

// errStartupKnown ends a shell that has told all.
var errStartupKnown = errors.New("the start-up is known")

// takeNote returns why there is no start-up, once.
func (u *startup) takeNote() (note string) {
	if u == nil {
		return ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	note, u.note = u.note, ""
	return note
}

// addTo adds the variables to the environment of a command. One that was decided as
// read-only gets PATH alone, and only if that is known by then.
func (u *startup) addTo(env *variables, readOnly bool) {
	switch {
	case u == nil:
		return
	case !readOnly:
		u.mu.Lock()
	case !u.mu.TryLock():
		return
	}
	defer u.mu.Unlock()
	for _, pair := range u.vars {
		if !readOnly || nameOf(pair) == "PATH" {
			env.setAll([]string{pair})
		}
	}
}

// mayExport reports whether the start-up exports a variable, or may do so as far as is known.
func (u *startup) mayExport(name string) bool {
	if u == nil {
		return false
	}
	if !u.mu.TryLock() {
		return true
	}
	defer u.mu.Unlock()
	found := variables{pairs: u.vars}
	_, ok := found.get(name)
	return ok || !u.done
}

// write writes the functions and aliases to a file, and reports whether there are any. What
// cannot be written is missing, as if the start-up had not been found out.
func (u *startup) write(file string) bool {
	if u == nil || u.script == "" {
		return false
	}
	return os.WriteFile(file, []byte(u.script), 0o600) == nil
}

// ownVariables are variables that the start-up of a shell must not change: they belong to
// one process, to the session, or to the settings that keep programs from waiting.
var ownVariables = map[string]bool{
	"_": true, "PWD": true, "OLDPWD": true, "SHLVL": true, "HOME": true, "CDPATH": true, "IFS": true, "SHELL": true,
	"LINES": true, "COLUMNS": true, "TERM": true, "PROMPT_COMMAND": true, "PS4": true, "LD_PRELOAD": true,
}

// newVariables returns the variables that are not in env with the same value, and that a
// command may have.
func newVariables(env variables, pairs []string, o Options) (added []string) {
	quiet := variables{pairs: proc.QuietSettings()}
	for _, pair := range pairs {
		name := nameOf(pair)
		value, inherited := env.get(name)
		_, isQuiet := quiet.get(name)
		switch {
		case name == pair || name == "" || inherited && name+"="+value == pair:
		case ownVariables[name] || misleadingVars[name] || isQuiet || isWithheld(o.Withheld, name):
		case strings.HasPrefix(name, "BASH_FUNC_"):
		default:
			added = append(added, pair)
		}
	}
	return added
}

// A startupDump receives the output of the script of dumpScript.
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
