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
	d, ok := p.idle.Get().(*desk)
	if !ok {
		d = &desk{}
	}
	l := d.line(line, env)
	d.first = walker{} // nothing of which is in l
	p.idle.Put(d)      // unless something panicked: then nobody knows what it is left in
	return l
}

// Parse is [Parser.Parse] for a single line.
func Parse(line string, env Env) Line { return new(desk).line(line, env) }

// A desk is what one line is parsed with, and the scripts in it.
type desk struct {
	left   int           // the number of commands for which there is room
	syntax syntax.Parser // zero, unless it is at work
	text   strings.Reader
	first  walker // of the line itself
}

// line says what a line does.
func (d *desk) line(line string, env Env) Line {
	d.left = maxCommands
	return parse(line, env, 0, d)
}

// walker returns a new walker for the line, or for a script in it.
func (d *desk) walker(scripts int) *walker {
	w := &d.first
	if scripts > 0 {
		w = &walker{}
	}
	w.desk = d
	return w
}

// The limits of a line. A line beyond them is unknown.
const (
	maxCharacters = 10_000 // of a line
	maxNaive      = 50_000 // bytes that are searched for texts in a line that cannot be parsed
	maxDepth      = 100    // of compounds, substitutions and lists in each other
	maxCommands   = 500
	maxScripts    = 5 // texts of commands in texts of commands
)

// parse is Parse at a depth of scripts.
func parse(line string, env Env, scripts int, desk *desk) Line {
	if env.Shell == PowerShell {
		return parsePowerShell(line, env, scripts, desk)
	}
	w := desk.walker(scripts)
	w.src, w.env, w.scripts = line, env, scripts
	w.at, w.homeless = placeOf(env.Dir), assigns(line, "HOME")
	w.spare, w.deeds = w.fewWords[:], w.fewDeeds[:0]
	if why := gate(line); why != "" {
		w.doubt(why)
	}
	if tooLong(line) {
		w.naive(line)
		return w.line
	}
	file, err := desk.tree(line, env.Shell)
	if err != nil {
		w.doubt(err.Error())
	}
	if file == nil {
		w.naive(line)
		return w.line
	}
	w.root = file
	w.comments(file)
	if w.line.Unknown != "" {
		// The shell may read another line than the parser did.
		w.naive(line)
	}
	w.stmts(file.Stmts, w.at)
	w.effects()
	w.swayed()
	return w.line
}

func tooLong(line string) bool {
	return len(line) > maxCharacters && utf8.RuneCountInString(line) > maxCharacters
}

// gate says why a line is not left to the parser alone, or is empty.
func gate(line string) string {
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
