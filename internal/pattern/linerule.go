package pattern

import "strings"

// A lineRule is a specifier of command lines.
type lineRule struct {
	covers     wordGlob // for lines after normalizeBlanks
	touches    wordGlob // for lines after normalizeAllBlanks
	ignoreCase bool
}

// parseLine parses a command pattern of a shell. PowerShell ignores letter case.
func parseLine(text string, folded bool) *lineRule {
	r := &lineRule{covers: parseWords(normalizeBlanks(text)), touches: parseWords(normalizeAllBlanks(text)), ignoreCase: folded}
	if folded {
		r.covers = r.covers.fold(foldASCII)
		r.touches = r.touches.fold(foldCase)
	}
	return r
}

func (r *lineRule) coversLine(line string) bool {
	line = normalizeBlanks(line)
	if r.ignoreCase {
		line = foldASCII.fold(line)
	}
	return r.covers.matches(line) && (!strings.HasPrefix(r.covers.text, "*") || r.coversProgram(line))
}

// coversProgram reports whether a rule that begins with a star covers a line whose program
// may run another: then the star stands for the name of the program, and for none of its
// arguments.
func (r *lineRule) coversProgram(line string) bool {
	first, _, _ := strings.Cut(line, " ")
	if !carries(first) {
		return true
	}
	rest := wordGlob{text: strings.TrimPrefix(r.covers.text, "*")}
	if r.covers.withArgs != "" {
		rest.withArgs = strings.TrimPrefix(r.covers.withArgs, "*")
	}
	for k := range len(first) + 1 {
		if rest.matches(line[k:]) {
			return true
		}
	}
	return false
}

func (r *lineRule) touchesLine(line string) bool {
	if r.coversLine(line) {
		return true
	}
	line = normalizeAllBlanks(line)
	if r.ignoreCase {
		line = foldCase.fold(line)
	}
	return r.touches.matches(line)
}

// maxInside limits how many bytes are compared in the search for commands in a line.
const maxInside = 8 << 20

// touchesInside reports whether a line that was not parsed may run a command that r
// matches: whether r matches the line from one of its words on, up to the end or to a
// character that ends a command. It is true if the search would be too much work.
func (r *lineRule) touchesInside(line string) bool {
	const ends, quotes = "\n;&|(){}<>`", "\"'\\"
	first, _ := firstWords(r.touches.text)
	first, _, _ = strings.Cut(first, "*")
	between := ends + quotes + " \t\r$/="
	if first == "" { // the star at the beginning matches the words before
		between = ends
	}
	work := 0
	for i := 0; i < len(line); i++ {
		if i > 0 && (strings.IndexByte(between, line[i-1]) < 0 || strings.IndexByte(between, line[i]) >= 0) {
			continue
		}
		rest := line[i:]
		if len(rest) < len(first) || !strings.EqualFold(rest[:len(first)], first) {
			continue
		}
		for _, stop := range []string{"", ends, ends + quotes} {
			command := rest
			if end := strings.IndexAny(rest, stop); end >= 0 {
				command = rest[:end]
			}
			if work += len(command); work > maxInside || r.touchesLine(strings.Trim(command, " \t\r\n")) {
				return true
			}
		}
	}
	return false
}

// normalizeBlanks replaces runs of blanks between words by one blank. Blanks inside quotes
// belong to a word. It returns a line with substitutions, in which quotes nest, unchanged.
func normalizeBlanks(line string) string {
	line = strings.Trim(line, " \t")
	if isNormal(line) || strings.ContainsAny(line, "`$\n") {
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

// isNormal reports whether a line has single blanks between its words and no substitutions,
// as most lines do. It is fast, since every rule calls it.
func isNormal(line string) bool {
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

// normalizeAllBlanks is normalizeBlanks for deny and ask rules. It also replaces blanks in a
// line with substitutions, even inside quotes: such a rule should rather match too much
// than miss a line because of its blanks.
func normalizeAllBlanks(line string) string {
	if !strings.ContainsAny(line, "`$\n") {
		return normalizeBlanks(line)
	}
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	return strings.Join(fields, " ")
}
