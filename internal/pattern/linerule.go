package pattern

import (
	"regexp"
	"strings"
)

// A lineRule is a specifier of command lines.
type lineRule struct {
	covers     wordGlob  // for lines after normalizeBlanks
	plain      *wordGlob // covers without plain quotes; nil if it has none
	touches    wordGlob  // for lines after normalizeAllBlanks
	ignoreCase bool
}

// parseLine parses a command pattern of a shell. PowerShell ignores letter case.
func parseLine(text string, folded bool) *lineRule {
	r := &lineRule{covers: parseWords(normalizeBlanks(text)), touches: parseWords(normalizeAllBlanks(text)), ignoreCase: folded}
	if plain, ok := withoutPlainQuotes(normalizeBlanks(text)); ok {
		words := parseWords(plain)
		r.plain = &words
	}
	if folded {
		r.covers = r.covers.fold(foldASCII)
		if r.plain != nil {
			*r.plain = r.plain.fold(foldASCII)
		}
		r.touches = r.touches.fold(foldCase)
	}
	return r
}

// coversLine reports whether r covers a line as it is written, or without the quotes that
// mean nothing.
func (r *lineRule) coversLine(line string) bool {
	if r.coversWords(line) {
		return true
	}
	plain, ok := withoutPlainQuotes(normalizeBlanks(line))
	return (ok || r.plain != nil) && r.coversWords(plain)
}

func (r *lineRule) coversWords(line string) bool {
	line = normalizeBlanks(line)
	if r.ignoreCase {
		line = foldASCII.fold(line)
	}
	if r.plain != nil && r.plain.matches(line) && !strings.HasPrefix(r.covers.text, "*") {
		return true
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

// plainWord matches a word in quotes that is the same word without them in every shell: it
// is no option, which PowerShell would take for a text, and has no comma, which joins there.
var plainWord = regexp.MustCompile(`^("[A-Za-z0-9_./+:][A-Za-z0-9_./+:-]*"|'[A-Za-z0-9_./+:][A-Za-z0-9_./+:-]*')$`)

// withoutPlainQuotes returns a line without the quotes around words that are the same
// without them. The first word stays, which may be an alias without its quotes. It
// reports false if there are no such words, or if it is not plain where quotes begin and
// end.
func withoutPlainQuotes(line string) (plain string, ok bool) {
	if !strings.ContainsAny(line, `'"`) || strings.ContainsFunc(line, func(r rune) bool { return r > '~' || strings.ContainsRune("`$\\\n\r", r) }) {
		return line, false
	}
	var words []string
	quote, start := byte(0), 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || quote == 0 && (line[i] == ' ' || line[i] == '\t'):
			word := line[start:i]
			if len(words) > 0 && plainWord.MatchString(word) {
				word, ok = word[1:len(word)-1], true
			}
			words = append(words, word)
			start = i + 1
		case quote == 0 && (line[i] == '\'' || line[i] == '"'):
			quote = line[i]
		case line[i] == quote:
			quote = 0
		}
	}
	if !ok || quote != 0 {
		return line, false
	}
	return strings.Join(words, " "), true
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
