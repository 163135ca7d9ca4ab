package shellparse

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A Parser parses lines, and keeps the memory that one takes for the next. Its zero
// value is ready. It may be used by several goroutines, and must not be copied.
type Parser struct {
	idle sync.Pool // of *desk
}

// Parse says what a line does. It never fails: what cannot be understood sets
// Unknown, and what could be found all the same stays in the Line. What it says does
// not depend on the lines before.
func (p *Parser) Parse(line string, env Env) Line {
	s, ok := p.idle.Get().(*parserState)
	if !ok {
		s = &parserState{}
	}
	l := s.parseLine(line, env)
	s.lineWalker = walker{} // nothing of which is in l
	p.idle.Put(s)           // unless something panicked: then nobody knows what it is left in
	return l
}

// Parse is [Parser.Parse] for a single line.
func Parse(line string, env Env) Line { return new(parserState).parseLine(line, env) }

// A parserState is what one line is parsed with, and the scripts in it.
type parserState struct {
	commandsLeft int           // the number of commands for which there is room
	syntax       syntax.Parser // zero, unless it is at work
	input        strings.Reader
	lineWalker   walker // of the line itself
}

// parseLine says what a line does.
func (s *parserState) parseLine(line string, env Env) Line {
	s.commandsLeft = maxCommands
	return parse(line, env, 0, s)
}

// newWalker returns a new walker for the line, or for a script in it.
func (s *parserState) newWalker(scripts int) *walker {
	w := &s.lineWalker
	if scripts > 0 {
		w = &walker{}
	}
	w.state = s
	return w
}

// The limits of a line. A line beyond them is unknown.
const (
	maxCharacters  = 10_000 // of a line
	maxUnparsed    = 50_000 // bytes that are searched for texts in a line that cannot be parsed
	maxDepth       = 100    // of compounds, substitutions and lists in each other
	maxCommands    = 500
	maxScriptDepth = 5 // texts of commands in texts of commands
)

// parse is Parse at a depth of scripts.
func parse(line string, env Env, scripts int, state *parserState) Line {
	if env.Shell == PowerShell {
		return parsePowerShell(line, env, scripts, state)
	}
	w := state.newWalker(scripts)
	w.src, w.env, w.scriptDepth = line, env, scripts
	w.place, w.homeUnknown = newPlace(env.Dir), mayAssign(line, "HOME")
	w.spareArgs, w.accesses = w.argBuffer[:], w.accessBuffer[:0]
	if reason := textProblem(line); reason != "" {
		w.markUnknown(reason)
	}
	if tooLong(line) {
		w.listUnparsed(line)
		return w.line
	}
	file, err := state.syntaxTree(line, env.Shell)
	if err != nil {
		w.markUnknown(err.Error())
	}
	if file == nil {
		w.listUnparsed(line)
		return w.line
	}
	w.file = file
	w.checkComments(file)
	if w.line.Unknown != "" {
		// The shell may read another line than the parser did.
		w.listUnparsed(line)
	}
	w.stmts(file.Stmts, w.place)
	w.checkAccesses()
	w.applyEnvAssignment()
	return w.line
}

func tooLong(line string) bool {
	return len(line) > maxCharacters && utf8.RuneCountInString(line) > maxCharacters
}

// textProblem says why a line is not left to the parser alone, or is empty.
func textProblem(line string) string {
	if tooLong(line) {
		return "the line is longer than 10,000 characters"
	}
	if !utf8.ValidString(line) {
		return "the line is not valid UTF-8"
	}
	for _, r := range line {
		if r == '\r' {
			return "the line holds a carriage return"
		}
		if r != '\t' && r != '\n' && unicode.IsControl(r) {
			return "the line holds a control character"
		}
	}
	for at := 0; ; {
		n := strings.Index(line[at:], "\\\n")
		if n < 0 {
			return ""
		}
		at += n
		// After a blank the two halves are words of their own. Elsewhere they
		// may be the halves of an operator or an expansion.
		if at > 0 && !strings.ContainsRune(" \t\n", rune(line[at-1])) {
			return "a word goes on in the next line"
		}
		at += 2
	}
}
