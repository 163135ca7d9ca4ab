package shellparse

import (
	"slices"
	"strings"
)

// scriptsOf returns the arguments of a command that are run as a line.
func scriptsOf(name string, args []arg) []arg {
	switch name {
	case "eval":
		return []arg{joinedArg(args)}
	case "watch", "ssh", "parallel", "tmux", "screen":
		var list []arg
		for i, a := range args {
			if a.known && !strings.HasPrefix(a.value, "-") {
				list = append(list, joinedArg(args[i:]))
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
		return envSplitStrings(args)
	}
	return scriptsAfterC(args)
}

// joinedArg returns the line that a command makes of its arguments.
func joinedArg(args []arg) arg {
	return arg{value: joinValues(args), known: !slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() })}
}

// envSplitStrings returns the values of env -S. Those behind the first two are options of
// what the first runs.
func envSplitStrings(args []arg) []arg {
	var list []arg
	for i, a := range args {
		if len(list) == 2 {
			break
		}
		text, ok := strings.CutPrefix(a.value, "--split-string=")
		if !ok && len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			_, text, ok = strings.Cut(a.value, "S")
		}
		if ok && text != "" {
			list = append(list, joinedArg(append([]arg{{value: text, known: true}}, args[i+1:]...)))
		} else if (ok || a.value == "--split-string") && i+1 < len(args) {
			list = append(list, joinedArg(args[i+1:]))
		}
	}
	return list
}

// scriptsAfterC returns the arguments that follow -c or a similar option.
func scriptsAfterC(args []arg) []arg {
	var list []arg
	wanted := false
	for _, a := range args {
		v := a.value
		switch {
		case wanted && !a.isAdded() && (!a.known || !strings.HasPrefix(v, "-")):
			list = append(list, a)
			wanted = strings.HasPrefix(v, "+") // an option of the shell follows
		case a.isAdded():
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

// addScript adds the effects of a script that a command runs. certain is set if a shell
// whose language the package reads surely runs it: then unknown parts of the script
// make the line unknown.
func (w *walker) addScript(c *Command, text arg, certain bool) {
	if !text.known {
		if certain {
			w.markUnknown("the text that runs is computed")
		}
		return
	}
	dirs := w.place.dirs
	if len(dirs) == 0 {
		dirs = []string{w.env.Dir}
	}
	for _, dir := range dirs {
		w.addScriptIn(c, text.value, dir, certain)
	}
}

// addScriptIn is addScript in one directory.
func (w *walker) addScriptIn(c *Command, text, dir string, certain bool) {
	env := w.env
	env.Dir = dir
	if w.homeUnknown {
		env.Home = ""
	}
	sub, unknown := w.readScript(text, env)
	if unknown != "" && certain {
		w.markUnknown(unknown)
	}
	first := len(c.Paths)
	c.addLine(sub)
	for i := first; i < len(c.Paths); i++ {
		c.Paths[i].MayWrite = c.Paths[i].MayWrite && certain
	}
	for _, inner := range sub.Commands {
		c.Hosts = append(c.Hosts, inner.Hosts...)
		c.mention(inner.Mentioned...)
	}
}

// stdinShells are the shells that run their standard input if they have no operand.
var stdinShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true, "rbash": true,
	"fish": true, "pwsh": true,
}

// readsScriptFromInput reports whether a shell runs commands from its input, or from a
// file that is not known.
func readsScriptFromInput(name string, args []arg) bool {
	if !stdinShells[name] {
		return false
	}
	for i := 0; i < len(args); i++ {
		switch v := args[i].value; {
		case !args[i].known, v == "-", v == "-s", strings.HasPrefix(v, "/dev/"), strings.HasPrefix(v, "/proc/"):
			return true
		case v == "--version", v == "--help", strings.EqualFold(v, "-command"), strings.EqualFold(v, "-file"):
			return false
		case has("-o +o -O +O --rcfile --init-file", v):
			if i++; v[0] == '-' && len(v) > 2 && i < len(args) && (!args[i].known || (file{arg: args[i]}).isProcessSubst()) {
				return true
			}
		case strings.HasPrefix(v, "--"), strings.HasPrefix(v, "+"):
		case !strings.HasPrefix(v, "-"), strings.Contains(v, "c"):
			return false
		case strings.Contains(v, "s"):
			return true
		}
	}
	return true
}

// embeddedScripts returns the commands in programs of sed and awk and in options of pwsh.
func embeddedScripts(c *Command, name string, args []arg) []arg {
	var list []arg
	for i, a := range args {
		if !a.known {
			continue
		}
		var texts []string
		switch name {
		case "sed", "gsed":
			texts = sedScripts(a.value)
		case "awk", "gawk", "mawk", "nawk":
			texts = awkScripts(a.value)
			c.RunsUnseen = c.RunsUnseen || awkRuns.MatchString(a.value) && !awkOnlyReads(a.value)
		case "pwsh":
			if strings.EqualFold(a.value, "-command") && i+1 < len(args) {
				texts = []string{joinedArg(args[i+1:]).value}
			}
		}
		for _, text := range texts {
			list = append(list, literalArg(text))
		}
	}
	return list
}

// sedScripts returns the commands after every letter e that may be the e command of
// sed.
func sedScripts(program string) []string {
	var list []string
	for i := 0; i < len(program) && len(list) < maxCommandWords; i++ {
		if program[i] != 'e' || i > 0 && !strings.ContainsRune("0123456789$/;{}! \t\n", rune(program[i-1])) {
			continue
		}
		text, _, _ := strings.Cut(program[i+1:], "\n")
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// awkScripts returns the strings of a program of awk that may run something.
func awkScripts(program string) []string {
	if !strings.Contains(program, "system") && !strings.Contains(program, "|") {
		return nil
	}
	var list []string
	for len(list) < maxCommandWords {
		_, rest, ok := strings.Cut(program, `"`)
		if !ok {
			return list
		}
		body, rest, ok := cutDelimited(rest, '"')
		if !ok {
			return list
		}
		list = append(list, strings.ReplaceAll(body, `\"`, `"`))
		program = rest
	}
	return list
}
