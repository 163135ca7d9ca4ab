package pattern

import "strings"

// A lineRule is what a specifier says of command lines.
type lineRule struct {
	covers  words // of lines as foldBlanks leaves them
	touches words // of lines as foldAllBlanks leaves them
	folded  bool  // letter case does not count
}

// parseLine reads a command pattern of a shell, in PowerShell without regard to
// letter case.
func parseLine(text string, folded bool) *lineRule {
	r := &lineRule{covers: parseWords(foldBlanks(text)), touches: parseWords(foldAllBlanks(text)), folded: folded}
	if folded {
		r.covers = r.covers.fold(foldASCII)
		r.touches = r.touches.fold(foldCase)
	}
	return r
}

func (r *lineRule) covered(line string) bool {
	line = foldBlanks(line)
	if r.folded {
		line = foldASCII.fold(line)
	}
	return r.covers.matches(line)
}

func (r *lineRule) touched(line string) bool {
	if r.covered(line) {
		return true
	}
	line = foldAllBlanks(line)
	if r.folded {
		line = foldCase.fold(line)
	}
	return r.touches.matches(line)
}

// words are a glob, alone or with more words behind it.
type words struct {
	text string
	more string // empty, or the glob of text with words behind it
}

// parseWords reads a glob. A star at the end that stands apart, or ":*", means
// the words before it, alone or with more behind them.
func parseWords(text string) words {
	first, ok := strings.CutSuffix(text, ":*")
	if !ok {
		first, ok = strings.CutSuffix(text, "*")
		ok = ok && strings.TrimRight(first, " \t") != first
	}
	first = strings.TrimRight(first, " \t")
	switch {
	case !ok:
		return words{text: text}
	case first == "":
		return words{text: "*"}
	}
	return words{text: first, more: first + " *"}
}

func (w words) wild() bool { return w.more != "" || strings.Contains(w.text, "*") }

func (w words) matches(s string) bool {
	return Name(w.text, s) || w.more != "" && Name(w.more, s)
}

// fold returns w for lines that are folded by f.
func (w words) fold(f folding) words { return words{f.fold(w.text), f.fold(w.more)} }

// foldBlanks tolerates more than one blank between words. Blanks inside quotes
// belong to a word. A line with substitutions, in which quotes nest, is taken as
// it is.
func foldBlanks(line string) string {
	line = strings.Trim(line, " \t")
	if tidy(line) || strings.ContainsAny(line, "`$\n") {
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

// tidy reports whether a line has one blank between its words and nothing in which
// quotes nest. Most lines are so, and every rule looks at them.
func tidy(line string) bool {
	blank := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\t', '\n', '`', '$':
			return false
		case ' ':
			if blank {
				return false
			}
			blank = true
		default:
			blank = false
		}
	}
	return true
}

// foldAllBlanks is foldBlanks for a deny or ask rule, which had better read one
// blank too few than miss a line because of how it is spaced. Lines that foldBlanks
// folds stay as it left them.
func foldAllBlanks(line string) string {
	if !strings.ContainsAny(line, "`$\n") {
		return foldBlanks(line)
	}
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	return strings.Join(fields, " ")
}
