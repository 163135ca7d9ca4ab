package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// addGlobs adds the patterns among the words of a command: to expand them the shell
// reads directories, whatever the command does with the names.
func (w *walker) addGlobs(c *Command, args []arg) {
	for _, a := range args {
		switch {
		case !a.glob, strings.HasPrefix(a.value, "-") && !strings.Contains(a.value, "/"):
		case !a.known:
			w.markUnknown("a pattern cannot be known")
		default:
			for _, p := range w.appendPaths(nil, a.value, Path{Glob: true}) {
				same := func(q Path) bool { return q.Glob && !q.Guess && q.Name == p.Name }
				if !slices.ContainsFunc(c.Paths, same) {
					c.Paths = append(c.Paths, p)
				}
			}
		}
	}
}

// walkListWord walks a word of a list, adds the patterns it may become, and returns what it
// stands for.
func (w *walker) walkListWord(word *syntax.Word) []arg {
	args := w.expandWord(nil, word)
	for _, a := range args {
		if a.glob && !a.known {
			w.markUnknown("a pattern cannot be known")
		}
		w.addStoredGlobs(a)
	}
	return args
}

// addStoredGlobs adds the patterns in the value of a variable. The shell expands them
// where the variable is used without quotes.
func (w *walker) addStoredGlobs(a arg) {
	if !a.known {
		return
	}
	for name := range strings.FieldsSeq(a.value) {
		if strings.ContainsAny(name, "*?[") && (a.glob || strings.Contains(name, "/")) {
			w.line.Paths = w.appendPaths(w.line.Paths, name, Path{Glob: true})
		}
	}
}

// checkProcessPath marks the line unknown if a path depends on the process that opens
// it, because it names another file for the process that checks it.
func (w *walker) checkProcessPath(p Path) {
	if !p.Guess && (strings.HasPrefix(p.Name, "/") && isProcessPath(p.Name)) {
		w.markUnknown("the path depends on the process")
	}
}

func isProcessPath(name string) bool {
	for _, name := range lexicalSteps(name) {
		parts := strings.SplitN(name, "/", 4)
		if len(parts) < 3 {
			continue
		}
		top, sub := strings.ToLower(parts[1]), strings.ToLower(parts[2])
		switch {
		case top == "dev" && (sub == "fd" || strings.HasPrefix(sub, "std")):
			return true
		case top == "proc" && (sub == "self" || sub == "thread-self" || isDigits(sub)):
			return true
		case strings.ContainsAny(top, "*?["):
			return true
		case (top == "dev" || top == "proc") && len(parts) > 3 && strings.ContainsAny(sub, "*?["):
			return true
		}
	}
	return false
}

// escapeGlob returns a pattern that matches only name.
func escapeGlob(name string) string { return globEscaper.Replace(name) }

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
