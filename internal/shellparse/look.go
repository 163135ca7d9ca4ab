package shellparse

import (
	"path"
	"strings"
)

// maxInner is how many texts of a command rules that deny look at.
const maxInner = 200

// launchers are programs that run the command that follows their options, with
// the number of words that come between. Only rules that deny see past them, so
// the list may be generous.
var launchers = map[string]int{
	"env": 0, "sudo": 0, "doas": 0, "pkexec": 0, "su": 0, "runuser": 0,
	"watch": 0, "ionice": 0, "setsid": 0, "chrt": 1, "taskset": 1, "flock": 1, "setarch": 0,
	"chroot": 1, "nsenter": 0, "unshare": 0, "bwrap": 0, "firejail": 0, "fakeroot": 0, "systemd-run": 0,
	"xargs": 0, "parallel": 0, "entr": 0, "busybox": 0, "toybox": 0,
	"strace": 0, "ltrace": 0, "gdb": 0, "valgrind": 0, "perf": 1, "unbuffer": 0, "script": 0,
	"timeout": 1, "time": 0, "nice": 0, "nohup": 0, "stdbuf": 0, "command": 0, "builtin": 0, "exec": 0,
	"noglob": 0, "nocorrect": 0, "repeat": 1, "-": 0, "--": 0, "coproc": 0, "ssh": 1,
	"direnv": 2, "devbox": 1, "mise": 1, "npx": 0, "bunx": 0, "pipx": 1, "uv": 1, "uvx": 0, "poetry": 1,
	"pipenv": 1, "bundle": 1, "conda": 1, "xvfb-run": 0, "dbus-run-session": 0,
}

// shells are the commands that take a line of text, and how sure it is that a
// shell of ours reads it.
var shells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true,
	"su": true, "runuser": true, "script": true, "eval": true, "trap": true,
	"flock": false, "watch": false, "ssh": false, "parallel": false, "env": false, "alias": false,
	"compgen": false, "complete": false, "nix-shell": false, "fish": false, "busybox": false,
}

// finders run commands that stand behind an option.
var finders = map[string]bool{"find": true, "gfind": true, "fd": true, "fdfind": true, "bfs": true}

// look adds to a command what rules that deny see in it: its texts, and those of
// the commands that it runs in its turn.
func (w *walker) look(c *Command, args []arg, depth int) {
	if len(args) == 0 {
		return
	}
	if depth > maxScripts || len(c.Inner) > maxInner {
		w.doubt("commands run commands too deeply")
		return
	}
	if depth > 0 {
		c.Inner = append(c.Inner, join(args, source))
	}
	c.spellings(args)
	if !args[0].known {
		return
	}
	name := strings.ToLower(path.Base(args[0].value))
	if depth > 0 || name != args[0].value {
		w.inside(c, args, useOf(name, args[1:]), depth)
	}
	if between, ok := launchers[name]; ok {
		w.launched(c, args[1:], between, depth)
	}
	if finders[name] {
		for i, a := range args {
			if has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", a.value) {
				w.look(c, untilEnd(args[i+1:]), depth+1)
			}
		}
	}
	if ours, ok := shells[name]; ok {
		for _, text := range scriptsOf(name, args[1:]) {
			w.script(c, text, ours)
		}
	}
}

// untilEnd are the arguments before the one that ends a command of find.
func untilEnd(args []arg) []arg {
	for i, a := range args {
		if a.value == ";" || a.value == "+" {
			return args[:i]
		}
	}
	return args
}

// inside adds what a command does that another one runs.
func (w *walker) inside(c *Command, args []arg, u use, depth int) {
	if c.Caution == "" {
		c.Caution = u.caution
	}
	w.critical(c, args, u.files)
	for _, f := range u.files {
		f.maybe = true
		w.files(c, []file{f})
	}
	for _, run := range u.runs {
		w.look(c, run, depth+1)
	}
}

// launched looks at what may be the command of a launcher. A word after an
// option may be its value or the command: both are looked at.
func (w *walker) launched(c *Command, args []arg, between, depth int) {
	option := false
	for i, a := range args {
		switch {
		case a.known && strings.HasPrefix(a.value, "-") && len(a.value) > 1:
			option = a.value != "--"
			continue
		case a.known && isName(strings.SplitN(a.value, "=", 2)[0]) && strings.Contains(a.value, "="):
			continue
		}
		w.look(c, args[i:], depth+1)
		if !option {
			if between == 0 {
				if !a.known {
					w.doubt("the name of a command is computed")
				}
				return
			}
			between--
		}
		option = false
	}
}

// scriptsOf are the arguments of a command that are read as lines of text.
func scriptsOf(name string, args []arg) []arg {
	switch name {
	case "eval":
		return []arg{joined(args)}
	case "watch", "ssh", "parallel":
		var list []arg
		for i, a := range args {
			if a.known && !strings.HasPrefix(a.value, "-") {
				list = append(list, joined(args[i:]))
				if len(list) == 2 {
					break
				}
			}
		}
		return list
	case "trap":
		for _, a := range args {
			if !a.known || a.value == "" || a.value[0] != '-' {
				return []arg{a}
			}
		}
		return nil
	case "alias":
		var list []arg
		for _, a := range args {
			_, text, _ := strings.Cut(a.value, "=")
			list = append(list, arg{value: text, known: a.known})
		}
		return list
	case "env":
		return splitStrings(args)
	}
	return afterC(args)
}

// joined is the line that a command makes of its arguments.
func joined(args []arg) arg {
	out := arg{known: true}
	for i, a := range args {
		if i > 0 {
			out.value += " "
		}
		out.value += a.value
		out.known = out.known && a.known && !a.glob
	}
	return out
}

// splitStrings are the values of env -S.
func splitStrings(args []arg) []arg {
	var list []arg
	for i, a := range args {
		text, ok := strings.CutPrefix(a.value, "--split-string=")
		if !ok && len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			_, text, ok = strings.Cut(a.value, "S")
		}
		if ok && text != "" {
			list = append(list, joined(append([]arg{{value: text, known: true}}, args[i+1:]...)))
		} else if (ok || a.value == "--split-string") && i+1 < len(args) {
			list = append(list, joined(args[i+1:]))
		}
	}
	return list
}

// afterC are the arguments that stand behind -c or one of its like.
func afterC(args []arg) []arg {
	var list []arg
	wanted := false
	for _, a := range args {
		v := a.value
		switch {
		case wanted && (!a.known || !strings.HasPrefix(v, "-")):
			list = append(list, a)
			wanted = strings.HasPrefix(v, "+") // an option of a shell
		case strings.HasPrefix(v, "--command="), strings.HasPrefix(v, "--run="):
			_, text, _ := strings.Cut(v, "=")
			list = append(list, arg{value: text, known: true})
		case v == "--command", v == "--run", v == "-C":
			wanted = true
		case len(v) > 1 && v[0] == '-' && v[1] != '-' && strings.Contains(v, "c"):
			wanted = true
			if _, text, _ := strings.Cut(v, "c"); len(text) > 1 {
				list = append(list, arg{value: text, known: true})
			}
		}
	}
	return list
}

// script adds what a line of text does that a command runs.
func (w *walker) script(c *Command, text arg, ours bool) {
	if !text.known {
		if ours {
			w.doubt("the text that runs is computed")
		}
		return
	}
	if w.scripts >= maxScripts {
		w.doubt("commands run commands too deeply")
		return
	}
	env := w.env
	if len(w.at.dirs) == 1 {
		env.Dir = w.at.dirs[0]
	}
	if w.homeless {
		env.Home = ""
	}
	sub := parse(text.value, env, w.scripts+1, w.left)
	if ours && sub.Unknown != "" {
		w.doubt(sub.Unknown)
	}
	paths := sub.Paths
	for _, inner := range sub.Commands {
		c.Inner = append(append(c.Inner, inner.Text), inner.Inner...)
		if c.Caution == "" {
			c.Caution = inner.Caution
		}
		paths = append(paths, inner.Paths...)
	}
	for _, p := range paths {
		p.Maybe = true
		c.Paths = append(c.Paths, p)
	}
}
