package security_test

import (
	"fmt"
	"strings"
)

// A writer writes lines for bash by choosing, again and again, one of a number of
// ways. The first way is always the plainest.
type writer struct {
	pick    func(n int) int // from 0 to n-1
	grammar map[string][]string
	rows    []string // lines of the corpus, from which others come
	left    int      // choices before it writes no more than plain words
}

// line writes one line, in valid UTF-8.
func (w *writer) line() string {
	w.left = 60
	var line string
	switch w.pick(8) {
	case 0, 1, 2, 3:
		line = w.expand("line")
	case 4, 5:
		line = w.expand("list")
	case 6:
		line = w.rewritten()
	default:
		line = w.rewritten() + w.expand("joint") + w.expand("list")
	}
	for w.pick(4) == 3 {
		line = w.damaged(line)
	}
	return strings.ToValidUTF8(line, "\ufffd") // as a call has it
}

// rewritten is a line of the corpus with one of its words replaced.
func (w *writer) rewritten() string {
	if len(w.rows) == 0 {
		return w.expand("line")
	}
	line := w.rows[w.pick(len(w.rows))]
	words := strings.Split(line, " ")
	switch at := w.pick(len(words)); w.pick(4) {
	case 0:
		return line
	case 1:
		words[at] = w.expand("word")
	case 2:
		words[at] += " " + w.expand("flag")
	case 3:
		words[at] += " " + w.expand("redirect")
	}
	return strings.Join(words, " ")
}

// damaged is a line with one character more, less or moved: where parsers and
// shells begin to disagree.
func (w *writer) damaged(line string) string {
	const odd = "'\"`\\$(){}[]<>|&;#!*?~= \n\t-/@+:%^,"
	at := w.pick(len(line) + 1)
	switch c := string(odd[w.pick(len(odd))]); w.pick(4) {
	case 0:
		return line[:at] + c + line[at:]
	case 1:
		return line[:at] + line[min(at+1, len(line)):]
	case 2:
		return line[:at] + c + line[min(at+1, len(line)):]
	default:
		to := min(at+w.pick(12), len(line))
		return line[:to] + line[at:]
	}
}

// expand writes one of the ways of the grammar, in which ‹name› stands for another
// one and ‹'name› for the same in some quotes.
func (w *writer) expand(name string) string {
	ways := w.grammar[name]
	if len(ways) == 0 {
		panic(fmt.Sprintf("the grammar has no %q", name))
	}
	n := 0
	if w.left > 0 {
		w.left--
		n = w.pick(len(ways))
	}
	text, rest, _ := strings.Cut(ways[n], "‹")
	for rest != "" {
		var part, after string
		part, rest, _ = strings.Cut(rest, "›")
		if inner, ok := strings.CutPrefix(part, "'"); ok {
			text += w.quoted(w.expand(inner))
		} else {
			text += w.expand(part)
		}
		after, rest, _ = strings.Cut(rest, "‹")
		text += after
	}
	return text
}

// quoted writes a word in one of the spellings that mean the same to the shell, or
// almost.
func (w *writer) quoted(word string) string {
	if w.left <= 0 || word == "" {
		return "'" + word + "'"
	}
	w.left--
	at := w.pick(len(word))
	head, c, tail := word[:at], word[at:at+1], word[at+1:]
	switch w.pick(16) {
	default:
		return "'" + word + "'"
	case 1:
		return `"` + word + `"`
	case 2:
		return word
	case 3:
		return head + `\` + c + tail
	case 4:
		return head + "''" + c + tail
	case 5:
		return "'" + head + `'"` + c + tail + `"`
	case 6:
		return fmt.Sprintf(`$'%s\x%x%s'`, head, c, tail)
	case 7:
		return fmt.Sprintf(`$'%s\%03o%s'`, head, c[0], tail)
	case 8:
		return `$"` + word + `"`
	case 9:
		return head + "[" + c + "]" + tail
	case 10:
		return head + "?" + tail
	case 11:
		return head + "{" + c + "," + w.expand("plain") + "}" + tail
	case 12:
		return `"` + head + `"` + c + `'` + tail + `'`
	case 13:
		return head + "\\\n" + c + tail
	case 14:
		return "$(echo '" + word + "')"
	case 15:
		return `""` + word
	}
}
