package skills

import (
	"slices"
	"strconv"
	"strings"
)

// A text is the body of a skill, divided into parts that stay and parts that are replaced. It is divided
// once: nothing that is put in is looked at again.
type text struct {
	pieces []piece
	// takesArgs says that a piece is replaced by an argument, so that the arguments need not be
	// added at the end.
	takesArgs bool
}

// A piece is a part of a text.
type piece struct {
	kind    pieceKind
	raw     string  // as it is written; a missing argument leaves it unchanged
	name    string  // of a variable
	index   int     // of an argument
	command []piece // of pieceCommand, without further commands
}

// A pieceKind is the treatment of a piece.
type pieceKind int

// The kinds of piece.
const (
	pieceLiteral  pieceKind = iota // stays
	pieceWhole                     // all arguments, as they were written
	pieceIndexed                   // one argument; unchanged if it is missing
	pieceNamed                     // one argument; empty if it is missing
	pieceVariable                  // the value of a variable; unchanged if it is unknown
	pieceCommand                   // the output of a command
)

// wholeName is the name of all arguments.
const wholeName = "ARGUMENTS"

// maxDigits is how many digits the number of an argument has at most.
const maxDigits = 3

// hasCommands reports whether a body has commands.
func hasCommands(body string) bool {
	return slices.ContainsFunc(parseText(body, nil).pieces, func(p piece) bool { return p.kind == pieceCommand })
}

// parseText divides a body. Names are those of its arguments.
func parseText(body string, names []string) text {
	d := divider{names: slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) }), order: names}
	d.divide(body)
	return text{pieces: d.pieces, takesArgs: d.takesArgs}
}

// A divider finds the pieces of a text.
type divider struct {
	names, order []string // of arguments: the longest first, and by their numbers
	pieces       []piece
	takesArgs    bool
	inCommand    bool
}

// divide appends the pieces of a text.
func (d *divider) divide(s string) {
	start := 0 // of the part that is not yet appended
	for at := 0; at < len(s); {
		p, size := d.pieceAt(s, at)
		if size == 0 {
			at++
			continue
		}
		d.add(piece{raw: s[start:at]})
		d.add(p)
		at += size
		start = at
	}
	d.add(piece{raw: s[start:]})
}

// add appends a piece, unless it is empty.
func (d *divider) add(p piece) {
	if p.raw == "" && p.kind == pieceLiteral {
		return
	}
	if p.kind == pieceWhole || p.kind == pieceIndexed || p.kind == pieceNamed {
		d.takesArgs = true
	}
	d.pieces = append(d.pieces, p)
}

// pieceAt returns the piece that begins at a place, and how long it is; 0 if none does.
func (d *divider) pieceAt(s string, at int) (piece, int) {
	switch {
	case s[at] == '$':
		return d.placeholder(s[at:])
	case s[at] == '\\' && (at == 0 || s[at-1] != '\\'):
		if p, size := d.placeholder(s[at+1:]); size > 0 && p.kind != pieceVariable {
			return piece{raw: s[at+1 : at+1+size]}, size + 1
		}
	case d.inCommand:
	case s[at] == '!' && (at == 0 || isBlank(s[at-1])):
		return d.inline(s[at:])
	case strings.HasPrefix(s[at:], "```!") && strings.TrimLeft(lineBefore(s, at), " \t") == "":
		return d.block(s[at:])
	}
	return piece{}, 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// lineBefore returns the part of a line before a place.
func lineBefore(s string, at int) string { return s[strings.LastIndexByte(s[:at], '\n')+1 : at] }

// placeholder returns the placeholder that a text begins with, and how long it is.
func (d *divider) placeholder(s string) (piece, int) {
	if len(s) < 2 || s[0] != '$' {
		return piece{}, 0
	}
	rest := s[1:]
	if after, ok := strings.CutPrefix(rest, wholeName); ok {
		if digits, ok := strings.CutPrefix(after, "["); ok {
			if n := countDigits(digits); n > 0 && strings.HasPrefix(digits[n:], "]") {
				return d.indexed(s[:len("$["+wholeName+"]")+n], digits[:n])
			}
		}
		if endsWord(after) {
			return piece{kind: pieceWhole, raw: "$" + wholeName}, 1 + len(wholeName)
		}
	}
	if n := countDigits(rest); n > 0 {
		return d.indexed(s[:1+n], rest[:n])
	}
	if name, ok := strings.CutPrefix(rest, "{"); ok {
		if end := strings.IndexByte(name, '}'); end > 0 && !strings.ContainsFunc(name[:end], func(c rune) bool { return !isWordRune(c) }) {
			return piece{kind: pieceVariable, raw: s[:end+3], name: name[:end]}, end + 3
		}
		return piece{}, 0
	}
	for _, name := range d.names {
		if after, ok := strings.CutPrefix(rest, name); ok && endsWord(after) {
			return piece{kind: pieceNamed, raw: s[:1+len(name)], index: slices.Index(d.order, name)}, 1 + len(name)
		}
	}
	return piece{}, 0
}

// indexed returns the piece of an argument.
func (d *divider) indexed(raw, digits string) (piece, int) {
	index, err := strconv.Atoi(digits)
	if err != nil || len(digits) > maxDigits {
		return piece{}, 0
	}
	return piece{kind: pieceIndexed, raw: raw, index: index}, len(raw)
}

func countDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// endsWord reports whether a word that stands before s ends there.
func endsWord(s string) bool { return s == "" || !isWordRune(rune(s[0])) }

// inline returns the command that a text begins with, which is in backquotes behind an
// exclamation mark, on one line.
func (d *divider) inline(s string) (piece, int) {
	rest, ok := strings.CutPrefix(s, "!`")
	if !ok {
		return piece{}, 0
	}
	end := strings.IndexAny(rest, "`\n")
	if end < 0 || rest[end] != '`' || strings.TrimSpace(rest[:end]) == "" {
		return piece{}, 0
	}
	return d.commandPiece(s[:end+3], rest[:end]), end + 3
}

// block returns the command that a text begins with: the lines of a code block whose fence ends
// in an exclamation mark.
func (d *divider) block(s string) (piece, int) {
	first, rest, ok := strings.Cut(s, "\n")
	if !ok || strings.TrimSpace(strings.TrimPrefix(first, "```!")) != "" {
		return piece{}, 0
	}
	size := len(first) + 1
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) != "```" {
			size += len(line)
			continue
		}
		lines := s[len(first)+1 : size]
		size += len(strings.TrimRight(line, "\r\n"))
		if strings.TrimSpace(lines) == "" {
			return piece{}, 0
		}
		return d.commandPiece(s[:size], strings.TrimRight(lines, "\r\n")), size
	}
	return piece{}, 0
}

// commandPiece returns the piece of a command, whose arguments are found, too.
func (d *divider) commandPiece(raw, line string) piece {
	inner := divider{names: d.names, order: d.order, inCommand: true}
	inner.divide(line)
	d.takesArgs = d.takesArgs || inner.takesArgs
	return piece{kind: pieceCommand, raw: raw, command: inner.pieces}
}
