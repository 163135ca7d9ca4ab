package shellparse

import (
	"cmp"
	"strings"
)

// What a command runs may be words of the line, a text in it, or either of them, and may run
// something in turn. Without a memory and a limit, each level would multiply the work.

// What it costs to read a text, however short it is, and each of the words of a possible
// command, in bytes of a text.
const (
	readPrice = 64
	wordPrice = 16
)

// pay takes the price of a text of n bytes from the budget of the line. If it does not
// suffice, the line is unknown, and pay reports false.
func (b *lineBuilder) pay(n int) bool {
	if b.state.workLeft -= n + readPrice; b.state.workLeft < 0 {
		b.state.giveUp("the line runs too many commands in others")
		return false
	}
	return true
}

// giveUp makes the line unknown, in whichever script of it this is called.
func (s *parserState) giveUp(reason string) {
	if s.gaveUp == "" {
		s.gaveUp = reason
	}
}

const tooDeep = "commands run commands too deeply"

// A scriptKey is a text that a command of the line runs, itself or by way of others.
type scriptKey struct {
	command         int // index of the command
	text, dir, home string
	shell           Shell
}

// A scriptRead is what remains of a script that was read.
type scriptRead struct {
	depth   int // number of scripts it was nested in
	unknown string
}

// readScript returns the effects of a script of a command, and why the script cannot be fully
// understood. If it was read for the same command already, its effects are among those of the
// command and are not returned again.
func (b *lineBuilder) readScript(text string, env Env) (sub Line, unknown string) {
	if b.scriptDepth >= maxScriptDepth {
		b.state.giveUp(tooDeep)
		return sub, tooDeep
	}
	if b.scriptDepth == 0 {
		b.state.command = len(b.line.Commands)
	}
	if !b.pay(len(text)) {
		return sub, b.state.gaveUp
	}
	key := scriptKey{command: b.state.command, text: text, dir: env.Dir, home: env.Home, shell: env.Shell}
	before, again := b.state.scripts[key]
	if again && before.depth <= b.scriptDepth {
		return sub, before.unknown
	}
	if b.state.scripts == nil {
		b.state.scripts = map[scriptKey]scriptRead{}
	}
	b.state.scripts[key] = scriptRead{depth: b.scriptDepth}
	sub = parse(text, env, b.scriptDepth+1, b.state)
	b.state.scripts[key] = scriptRead{depth: b.scriptDepth, unknown: sub.Unknown}
	return sub, sub.Unknown
}

// A candidate is the words of a possible command.
type candidate struct {
	command     int // index of the command of the line that runs it
	words, dirs string
	maybe       bool // it may be something else
}

// A candidateRead is what remains of a candidate that was inspected.
type candidateRead struct {
	depth   int
	unknown string
}

// inspectOnce calls inspect for the words of a possible command, unless that was done already
// for the same command of the line.
func (w *walker) inspectOnce(c *Command, args []arg, depth int, maybe bool, inspect func()) {
	switch {
	case len(args) == 0:
		return
	case depth > maxScriptDepth, len(c.Nested) > maxNested:
		w.state.giveUp(tooDeep)
		return
	case depth == 0:
		inspect()
		return
	case !w.pay(len(args) * wordPrice):
		return
	}
	key := candidate{command: len(w.line.Commands), words: exactText(args), dirs: strings.Join(w.place.dirs, "\x00"), maybe: maybe}
	before, again := w.candidates[key]
	if again && before.depth <= depth {
		if before.unknown != "" {
			w.markUnknown(before.unknown)
		}
		return
	}
	reason := w.line.Unknown
	w.line.Unknown = ""
	inspect()
	if w.candidates == nil {
		w.candidates = map[candidate]candidateRead{}
	}
	w.candidates[key] = candidateRead{depth: depth, unknown: w.line.Unknown}
	w.line.Unknown = cmp.Or(reason, w.line.Unknown)
}

// exactText is a text that only the same words have.
func exactText(args []arg) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(a.source)
		b.WriteByte(0)
		if a.value != a.source {
			b.WriteString(a.value)
		}
		b.WriteByte(0)
		for _, is := range []bool{a.known, a.glob, a.anyNumber, a.placeholder, a.found != nil} {
			if is {
				b.WriteByte('1')
			} else {
				b.WriteByte('0')
			}
		}
	}
	return b.String()
}
