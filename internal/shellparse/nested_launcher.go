package shellparse

import (
	"path"
	"strings"
)

// The limits of what is looked at inside one command.
const (
	maxInner  = 400 // texts
	freeInner = 24  // texts that cost nothing of what a line may hold
	maxWords  = 12  // words at which another command may begin
)

// fed stands for the words that a program such as xargs adds.
var fed = arg{many: true}

func (a arg) isFed() bool { return !a.known && a.source == "" }

// isHole reports whether the program that starts a command says what a word of it
// is, or a part of the word.
func (a arg) isHole() bool { return a.hole || a.source == found || a.isFed() }

// found is what find puts the names of files in place of.
const found = "{}"

// stands reports whether an argument is a tree that stands for what find finds
// in it.
func (a arg) stands() bool { return a.source == found && a.value != found }

// launchers are programs that run the command that follows their options, with
// the number of words that come between. Only rules that deny see past them, so
// the list may be generous.
var launchers = map[string]int{
	"env": 0, "sudo": 0, "doas": 0, "pkexec": 0, "su": 0, "runuser": 0, "gosu": 1, "su-exec": 1, "setpriv": 0, "sg": 1,
	"watch": 0, "ionice": 0, "setsid": 0, "chrt": 1, "taskset": 1, "flock": 1, "setarch": 1, "linux64": 0, "linux32": 0,
	"prlimit": 0, "choom": 0, "tini": 0, "dumb-init": 0, "eatmydata": 0, "chronic": 0, "cross-env": 0, "ld.so": 0,
	"chroot": 1, "nsenter": 0, "unshare": 0, "bwrap": 0, "firejail": 0, "fakeroot": 0, "systemd-run": 0, "capsh": 0,
	"xargs": 0, "parallel": 0, "entr": 0, "busybox": 0, "toybox": 0,
	"strace": 0, "ltrace": 0, "gdb": 0, "valgrind": 0, "perf": 1, "unbuffer": 0, "script": 0,
	"timeout": 1, "time": 0, "nice": 0, "nohup": 0, "stdbuf": 0, "command": 0, "builtin": 0, "exec": 0,
	"noglob": 0, "nocorrect": 0, "repeat": 1, "-": 0, "--": 0, "coproc": 0, "ssh": 1, "tmux": 1, "screen": 0,
	"direnv": 2, "devbox": 1, "mise": 1, "npx": 0, "bunx": 0, "pipx": 1, "uv": 1, "uvx": 0, "poetry": 1,
	"pipenv": 1, "bundle": 1, "conda": 1, "xvfb-run": 0, "dbus-run-session": 0,
}

// sublaunchers are the programs of which some subcommands are launchers.
var sublaunchers = map[string]map[string]int{
	"npm": {"exec": 0, "x": 0}, "pnpm": {"exec": 0, "dlx": 0}, "yarn": {"exec": 0, "dlx": 0}, "bun": {"x": 0},
	"docker": {"exec": 1, "run": 1}, "podman": {"exec": 1, "run": 1}, "kubectl": {"exec": 1},
	"git": {"foreach": 0, "run": 0}, // behind submodule and bisect
}

// launches is the number of words between the name of a launcher and its command.
func launches(name string) (between int, ok bool) {
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		name = "ld.so"
	}
	between, ok = launchers[name]
	return between, ok
}

// shells are the commands that take a line of text, and how sure it is that a
// shell of ours reads it.
var shells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true, "rbash": true,
	"su": true, "runuser": true, "script": true, "eval": true, "trap": true, "capsh": true, "sg": true,
	"flock": false, "watch": false, "ssh": false, "parallel": false, "env": false, "alias": false, "tmux": false, "screen": false,
	"compgen": false, "complete": false, "nix-shell": false, "fish": false, "busybox": false, "pwsh": false, "npm": false, "npx": false,
}

// finds reports whether a program runs commands that stand behind an option.
func finds(name string) bool {
	switch name {
	case "find", "gfind", "fd", "fdfind", "bfs":
		return true
	}
	return false
}

// changers are the options by which a program goes to another directory before
// it works.
var changers = map[string]string{
	"env": "-C --chdir", "sudo": "-D --chdir", "systemd-run": "--working-directory", "bwrap": "--chdir",
	"unshare": "--wd", "nsenter": "--wd", "make": "-C --directory", "gmake": "-C --directory", "ninja": "-C",
	"git": "-C", "go": "-C", "cargo": "-C", "npm": "-C --prefix", "pnpm": "-C --dir", "yarn": "--cwd", "uv": "--directory",
	"poetry": "-C --directory", "just": "-d --working-directory",
}

// sent is where a program and what it starts may be: here, or where one of its
// options leads.
func (w *walker) sent(name string, args []arg) place {
	at, out := w.at, w.at
	options := changers[name]
	if options == "" {
		return out
	}
	for i, a := range args {
		text := unquoted(a)
		if !strings.HasPrefix(text, "-") {
			continue
		}
		for option := range strings.SplitSeq(options, " ") {
			rest, ok := optionValue(text, option, name != "git")
			if !ok {
				continue
			}
			dir := arg{value: rest, known: a.known && !a.glob}
			if rest == "" {
				if i+1 == len(args) {
					continue
				}
				dir = args[i+1]
			}
			if !dir.exact() {
				w.doubt("a program works in a directory that is not known")
				continue
			}
			at = at.enter(dir.value)
			out = out.or(at)
		}
	}
	return out
}

// optionValue is what is glued to an option, which may stand in a bundle. It
// reports false if the word is another option.
func optionValue(text, option string, bundles bool) (value string, ok bool) {
	if strings.HasPrefix(option, "--") {
		name, value, _ := strings.Cut(text, "=")
		return value, name == option
	}
	if value, ok := strings.CutPrefix(text, option); ok {
		return strings.TrimPrefix(value, "="), true
	}
	if !bundles || !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "--") {
		return "", false
	}
	_, value, ok = strings.Cut(text, option[1:])
	return value, ok
}

// program is the name of a program as rules know it.
func program(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
}

// anything reports whether any word of a command may begin another: nobody knows
// what the program does, or it is known to do anything.
func anything(name string) bool {
	_, known := lookup(name)
	if _, ok := versions[name]; known && !ok && name != "docker" && name != "podman" {
		return false
	}
	_, launcher := launches(name)
	_, shell := shells[name]
	return !launcher && (!shell || name == "npm")
}

// isStranger reports whether nothing at all is known of a program, so that it may
// write any file it is given. What may be written may be read.
func isStranger(name string) bool {
	if _, known := lookup(name); known || routines[name] != nil || isBuiltin(name) {
		return false
	}
	_, launcher := launches(name)
	_, shell := shells[name]
	return !launcher && !shell
}

// suffixes adds the texts that begin at a later word.
func (c *Command) suffixes(args []arg) {
	for i := 1; i < min(len(args), maxWords); i++ {
		a := args[i]
		if !a.exact() || a.value == "" || strings.HasPrefix(a.value, "-") {
			continue
		}
		c.Inner = append(c.Inner, endOf(c.Text, args[i:]))
		c.spellings(args[i:], program(a.value))
	}
}
