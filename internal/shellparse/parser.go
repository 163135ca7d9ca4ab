package shellparse

import (
	"strings"
	"sync"

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

// variants make a parser one of a shell.
var variants = map[Shell]syntax.ParserOption{Bash: syntax.Variant(syntax.LangBash), Zsh: syntax.Variant(syntax.LangZsh)}

// parse reads a line as a shell does.
func (d *desk) parse(line string, shell Shell) (*syntax.File, error) {
	variants[shell](&d.syntax)
	syntax.KeepComments(mayComment(line))(&d.syntax)
	d.text.Reset(line)
	file, err := d.syntax.Parse(&d.text, "")
	// Parse resets most of it, but that is no promise, and it would keep the line.
	d.syntax = syntax.Parser{}
	d.text.Reset("")
	return file, err
}
