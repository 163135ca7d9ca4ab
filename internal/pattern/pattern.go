// Package pattern matches the specifier of a permission rule, the text in the
// parentheses of "Edit(/src/main.go)", against what a call acts on. It is the
// one place where anything is matched; nothing here does I/O.
package pattern

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is the kind of thing a specifier speaks of.
type Kind int

// The kinds.
const (
	Text Kind = iota // the text itself
	Path
	Host
	Command
)

// Spec is a compiled specifier. The zero Spec matches nothing.
type Spec struct {
	kind  Kind
	text  string // for a path without its anchor
	at    anchor
	write bool // Edit: written paths; otherwise read ones
}

// Subject is one thing a call acts on, with all its names.
type Subject struct {
	Kind  Kind
	Write bool     // a path is written, not read
	Tree  bool     // a path stands for everything below it
	Names []string // absolute and clean for paths
	Inner []string // seen by Touches only
}

// Base is what the anchors of a path specifier stand on.
type Base struct {
	Dir  string // working directory: "a/b", "./a"
	Root string // the directory of the rule's source: "/a"
	Home string // "~/a"
}

type anchor int

const (
	anyDepth anchor = iota // "name": at any depth below Base.Dir
	fromDir
	fromRoot
	fromHome
	fromFS
)

// ErrWildcard refuses what this version cannot match, since a deny rule that
// silently matches less than it says is worse than none.
var ErrWildcard = errors.New("wildcards and parameters are not supported yet; name the command, path or host exactly")

// Parse compiles the specifier text of a rule on tool. Which family of things
// it speaks of follows from the tool's name: Edit and Read speak of paths
// whoever touches them, WebFetch of hosts, Bash of command lines, any other
// tool of the names its targets have.
func Parse(tool, text string) (Spec, error) {
	if strings.TrimSpace(text) == "" {
		return Spec{}, errors.New("the parentheses are empty; leave them out to mean the whole tool")
	}
	switch tool {
	case "Edit", "Read":
		return parsePath(text, tool == "Edit")
	case "WebFetch":
		host, ok := strings.CutPrefix(text, "domain:")
		if !ok || strings.TrimSpace(foldHost(host)) == "" {
			return Spec{}, errors.New(`write WebFetch(domain:example.com)`)
		}
		if strings.ContainsAny(host, "*?") {
			return Spec{}, ErrWildcard
		}
		return Spec{kind: Host, text: foldHost(host)}, nil
	case "Write", "NotebookEdit", "MultiEdit":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Edit(%s), which covers every tool that writes", tool, text)
	case "Glob", "Grep":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Read(%s), which covers every tool that reads", tool, text)
	case "Bash", "PowerShell", "Monitor":
		if strings.Contains(text, "*") || parameter(text) {
			return Spec{}, ErrWildcard
		}
		return Spec{kind: Command, text: foldBlanks(text)}, nil
	}
	if strings.ContainsAny(text, "*?") || parameter(text) {
		return Spec{}, ErrWildcard
	}
	return Spec{kind: Text, text: text}, nil
}

// Family reports whether a rule on tool speaks of a kind of target, whichever
// tool has it, and so may concern any call.
func Family(tool string) bool { return tool == "Edit" || tool == "Read" || tool == "WebFetch" }

// parameter reports whether text reads like "param:value".
func parameter(text string) bool {
	name, _, ok := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

func parsePath(text string, write bool) (Spec, error) {
	if strings.ContainsAny(text, `*?[\!`) {
		return Spec{}, ErrWildcard
	}
	s := Spec{kind: Path, write: write, text: strings.TrimSuffix(text, "/")}
	switch rest := s.text; {
	case text == "/" || text == "//" || rest == "~":
		return Spec{}, fmt.Errorf("%q names a whole tree; name the directory", text)
	case strings.HasPrefix(rest, "//"):
		s.at, s.text = fromFS, rest[1:]
	case strings.HasPrefix(rest, "~/"):
		s.at, s.text = fromHome, rest[2:]
	case strings.HasPrefix(rest, "/"):
		s.at, s.text = fromRoot, rest[1:]
	case strings.HasPrefix(rest, "./"):
		s.at, s.text = fromDir, rest[2:]
	case strings.Contains(rest, "/"):
		s.at = fromDir
	}
	for seg := range strings.SplitSeq(strings.TrimPrefix(s.text, "/"), "/") {
		if seg == "" || seg == "." || seg == ".." {
			return Spec{}, fmt.Errorf("%q has the segment %q; write the path out", text, seg)
		}
	}
	return s, nil
}

// Covers reports whether everything that x stands for, under every name, is
// what the specifier says: the test of an allow rule.
//
// Who may write a path may read it.
//
// Several bases are spellings of one place: a name matches under any of them.
func (s Spec) Covers(x Subject, bs ...Base) bool {
	if !s.speaksOf(x) || len(x.Names) == 0 || (s.kind == Path && x.Write && !s.write) {
		return false
	}
	for _, n := range x.Names {
		if !s.is(n, bs) {
			return false
		}
	}
	return true
}

// Touches reports whether anything that x stands for is what the specifier
// says: the test of a deny or ask rule. Who may not read a path may not write it.
//
// Elsewhere are places that an anchored path leads to.
func (s Spec) Touches(x Subject, elsewhere []string, bs ...Base) bool {
	if !s.speaksOf(x) || (s.kind == Path && s.write && !x.Write) {
		return false
	}
	for _, n := range append(append([]string(nil), x.Names...), x.Inner...) {
		if s.is(n, bs) || (x.Tree && s.below(n, bs)) {
			return true
		}
		for _, place := range elsewhere {
			if x.Kind == Path && (inside(filepath.ToSlash(place), filepath.ToSlash(n)) || (x.Tree && inside(filepath.ToSlash(n), filepath.ToSlash(place)))) {
				return true
			}
		}
	}
	return false
}

func (s Spec) speaksOf(x Subject) bool {
	switch {
	case s.text == "":
		return false
	case s.kind == Text:
		return true // the rule's tool was matched already
	}
	return s.kind == x.Kind
}

// is reports whether name is, or lies below, what the specifier names.
func (s Spec) is(name string, bs []Base) bool {
	switch s.kind {
	case Host:
		return foldHost(name) == s.text
	case Command:
		return foldBlanks(name) == s.text
	case Text:
		return name == s.text
	}
	slashed := filepath.ToSlash(name)
	return slices.ContainsFunc(bs, func(b Base) bool {
		if s.at != anyDepth {
			want, ok := s.path(b)
			return ok && inside(want, slashed)
		}
		rel, ok := relative(filepath.ToSlash(b.Dir), slashed)
		return ok && slices.Contains(strings.Split(rel, "/"), s.text)
	})
}

// below reports whether what the specifier names could lie below the tree name.
func (s Spec) below(name string, bs []Base) bool {
	if s.kind != Path {
		return false
	}
	slashed := filepath.ToSlash(name)
	return slices.ContainsFunc(bs, func(b Base) bool {
		if s.at == anyDepth {
			dir := filepath.ToSlash(b.Dir)
			return inside(dir, slashed) || inside(slashed, dir)
		}
		want, ok := s.path(b)
		return ok && inside(slashed, want)
	})
}

// Place returns the absolute path that an anchored path specifier names.
func (s Spec) Place(b Base) (string, bool) {
	if s.kind != Path || s.at == anyDepth {
		return "", false
	}
	return s.path(b)
}

// path returns the absolute path that an anchored specifier names.
func (s Spec) path(b Base) (string, bool) {
	base := map[anchor]string{fromDir: b.Dir, fromRoot: b.Root, fromHome: b.Home, fromFS: "/"}[s.at]
	if base == "" {
		return "", false
	}
	return strings.TrimSuffix(filepath.ToSlash(base), "/") + "/" + strings.TrimPrefix(s.text, "/"), true
}

func inside(dir, name string) bool {
	_, ok := relative(dir, name)
	return ok || dir == name
}

// relative returns name as seen from dir, if it lies below it.
func relative(dir, name string) (string, bool) {
	return strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

func foldHost(h string) string { return strings.TrimSuffix(strings.ToLower(h), ".") }

// foldBlanks tolerates more than one blank between words. Blanks inside quotes
// belong to a word. A line with substitutions, in which quotes nest, is taken as
// it is.
func foldBlanks(line string) string {
	line = strings.Trim(line, " \t")
	if strings.ContainsAny(line, "`$\n") {
		return line
	}
	var b strings.Builder
	quote, blank := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		if quote == 0 && (c == ' ' || c == '\t') {
			blank = true
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteByte(c)
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return b.String()
}

// Name reports whether glob, in which a star stands for any run of characters,
// is name.
func Name(glob, name string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
