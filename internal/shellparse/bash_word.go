package shellparse

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A mark says how a byte of a word was written.
type mark byte

const (
	markPlain        mark = iota // without quotes
	markQuoted                   // quoted: the byte has no special meaning
	markUnknownText              // no byte: stands for text that is not known
	markUnknownWords             // no byte: stands for any number of words that are not known
	markProcessSubst             // no byte: stands for the path of a process substitution
)

// A markedWord is a word with a mark for each byte.
type markedWord struct {
	text   []byte
	marks  []mark
	values []arg       // the values of the part that is not known; see addValue
	names  *foundNames // the names that the last part stands for, if a loop has read it
	ids    int         // parts that are not known and are names of objects of git
}

func (m *markedWord) add(text string, kind mark) {
	m.text = append(m.text, text...)
	for range len(text) {
		m.marks = append(m.marks, kind)
	}
}

func (m *markedWord) slice(from, to int) markedWord {
	return markedWord{text: m.text[from:to], marks: m.marks[from:to]}
}

// plainAt reports whether an unquoted c stands at index i.
func (m *markedWord) plainAt(i int, c byte) bool {
	return i >= 0 && i < len(m.text) && m.text[i] == c && m.marks[i] == markPlain
}

// processSubstPath stands for the path of a process substitution.
const processSubstPath = "/dev/fd/63"

// expandsToItself reports whether no shell changes the unquoted text.
func expandsToItself(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '\\', '~', '{', '*', '?', '[', '$', '=', '^', '#':
			return false
		}
	}
	return true
}

// expandWords expands the words of a command.
func (w *walker) expandWords(list []*syntax.Word) []arg {
	args := w.newArgs(len(list))
	for _, word := range list {
		args = w.expandWord(args, word)
	}
	return args
}

// newArgs returns an empty list with capacity for n arguments. The commands of a line
// share one allocation.
func (w *walker) newArgs(n int) []arg {
	if n > len(w.spareArgs) {
		w.spareArgs = make([]arg, max(n, len(w.argBuffer)))
	}
	list := w.spareArgs[:0:n]
	w.spareArgs = w.spareArgs[n:]
	return list
}

// walkWord walks the commands in a word whose value is not needed.
func (w *walker) walkWord(word *syntax.Word) { w.markParts(word.Parts) }

// singleWord returns the value of a word that the shell does not split, such as the
// target of a redirection. It is unknown if the word expands to more or less than one
// argument.
func (w *walker) singleWord(word *syntax.Word) arg {
	args := w.expandWord(nil, word)
	if len(args) != 1 || args[0].fromBraces {
		return arg{source: w.sourceOf(word), anyNumber: true}
	}
	return args[0]
}

// expandWord appends the arguments that a word expands to.
func (w *walker) expandWord(args []arg, word *syntax.Word) []arg {
	source := w.sourceOf(word)
	if value, ok := w.verbatim(word); ok {
		return append(args, arg{value: value, known: true, source: source})
	}
	m := w.markParts(word.Parts)
	words, ok := expandBraces(m)
	if !ok {
		a := arg{source: source, anyNumber: true, fromBraces: true}
		a.reach, a.expands = m.reach()
		a.expands = a.expands || a.reach != nowhere
		return append(args, a)
	}
	for _, m := range words {
		a := w.newArg(m)
		a.source, a.fromBraces = source, len(words) != 1
		args = append(args, a)
	}
	return args
}

// verbatim returns the value of a word without expansions, as most words are: plain
// text, or text in quotes.
func (w *walker) verbatim(word *syntax.Word) (value string, ok bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, expandsToItself(part.Value)
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar && w.env.Shell != Zsh
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 && !part.Dollar && w.env.Shell != Zsh {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return unquoteDouble(lit.Value), true
			}
		}
	}
	return "", false
}

// markParts marks the bytes of a word and walks the commands in it.
func (w *walker) markParts(parts []syntax.WordPart) markedWord {
	var m markedWord
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			m.addLiteral(part.Value)
		case *syntax.SglQuoted:
			text, ok := part.Value, true
			if part.Dollar {
				text, ok = unquoteDollar(part.Value)
			}
			m.addQuoted(text, ok)
		case *syntax.DblQuoted:
			w.addDoubleQuoted(&m, part)
		case *syntax.ProcSubst:
			w.substitution(part, part.Stmts)
			if part.Op == syntax.CmdInTemp {
				w.markUnknown("zsh makes a file for a substitution")
			}
			m.add("/", markProcessSubst)
		case *syntax.ExtGlob:
			w.markUnknown("the line holds an extended glob")
			m.add(" ", markUnknownWords)
		default:
			w.addExpansion(&m, part, false)
		}
	}
	return m
}

// addQuoted adds text in quotes. Even empty text makes the word exist.
func (m *markedWord) addQuoted(text string, known bool) {
	if !known {
		m.add(" ", markUnknownText)
	}
	m.add(text, markQuoted)
	if m.text == nil {
		m.text, m.marks = []byte{}, []mark{}
	}
}

func (w *walker) addDoubleQuoted(m *markedWord, q *syntax.DblQuoted) {
	m.addQuoted("", !q.Dollar) // $"…" is translated
	for _, part := range q.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			m.addQuoted(unquoteDouble(lit.Value), true)
			continue
		}
		w.addExpansion(m, part, true)
	}
}

// addExpansion adds the result of a parameter, command or arithmetic expansion.
func (w *walker) addExpansion(m *markedWord, part syntax.WordPart, quotes bool) {
	what, r := markUnknownWords, anywhere
	if quotes {
		what = markUnknownText
	}
	switch part := part.(type) {
	case *syntax.CmdSubst:
		r = w.substitution(part, part.Stmts)
		if w.printsObjectName(part) {
			m.ids++
		}
	case *syntax.ArithmExp:
		if part.Bracket || part.Unsigned {
			w.markUnknown("the line calculates in an old notation")
		}
		w.arithmExpr(part.X)
		r = nowhere
	case *syntax.ParamExp:
		switch {
		case w.isHarmlessOperator(part):
			if w.addValue(m, w.operatorValues(part), quotes) {
				return
			}
			r = w.operatorReach(part)
		case !w.isPlainParameter(part):
		case part.Param.Value == "@":
			what, r = markUnknownWords, w.parameterReach("@")
		default:
			if dir := w.directoryVariable(part.Param.Value); dir != "" && (quotes || expandsToItself(dir) && !strings.ContainsAny(dir, " \t\n")) {
				m.add(dir, markQuoted)
				return
			}
			r = w.parameterReach(part.Param.Value)
			w.noteVariable(part.Param.Value)
			if quotes {
				m.names = w.namesIn(part.Param.Value)
			}
			if w.variable(part.Param.Value).object {
				m.ids++
			}
			if w.addValue(m, w.variable(part.Param.Value).values, quotes) {
				return
			}
		}
	default:
		w.markUnknown("the line holds a construct that is not understood")
		w.substitutionsIn(part)
	}
	if r == nearby && mayAssign(strings.ReplaceAll(w.src, "IFS= ", ""), "IFS") {
		r = anywhere
	}
	m.addUnknown(what, r, quotes)
}

// isPlainParameter reports whether an expansion is just the value of a parameter.
// Anything else marks the line unknown.
func (w *walker) isPlainParameter(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Length || p.Width || p.IsSet ||
		p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 || p.NestedParam != nil || p.Index != nil ||
		len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Exp != nil {
		w.markUnknown("the line holds an expansion with an operator")
		w.substitutionsIn(p)
		return false
	}
	if w.env.Shell == Zsh {
		if !isName(p.Param.Value) || p.Short && strings.ContainsRune(":[", w.byteAfter(p)) {
			w.markUnknown("zsh expands a parameter in its own way")
			return false
		}
	}
	return true
}

// directoryVariable returns the value of HOME or PWD, or an empty string if it is not
// known.
func (w *walker) directoryVariable(name string) string {
	switch name {
	case "HOME":
		return w.homeDir()
	case "PWD":
		return w.currentDir()
	}
	return ""
}

// currentDir returns the directory in which the current words are expanded, or an empty
// string if it is not known. The shell may spell the same directory differently.
func (w *walker) currentDir() string {
	if len(w.place.dirs) != 1 || w.physical || mayAssign(w.src, "PWD") {
		return ""
	}
	return w.place.dirs[0]
}

// homeDir returns the home directory, or an empty string if it is not known.
func (w *walker) homeDir() string {
	if w.homeUnknown {
		return ""
	}
	return w.env.Home
}

// addLiteral adds unquoted text, in which a backslash quotes the next byte.
func (m *markedWord) addLiteral(text string) {
	if m.text != nil && len(m.text) == 0 && text != "" {
		switch text[0] { // empty quotes precede the text
		case '~':
			m.add("~", markQuoted)
			text = text[1:]
		case '{':
			m.add(" ", markUnknownText)
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
			m.add(text[i:i+1], markQuoted)
			continue
		}
		m.add(text[i:i+1], markPlain)
	}
}

// newArg returns the argument for a word without braces.
func (w *walker) newArg(m markedWord) arg {
	a := arg{known: true}
	special := false // a quoted byte would have a meaning in a pattern
	for i, kind := range m.marks {
		switch kind {
		case markUnknownText:
			a.known = false
		case markUnknownWords:
			a.known, a.anyNumber = false, true
		case markProcessSubst:
			if len(m.marks) > 1 {
				a.known = false
			}
		case markQuoted:
			special = special || strings.IndexByte(`*?[]\`, m.text[i]) >= 0
		case markPlain:
			a.glob = a.glob || m.isGlobAt(i) || w.env.Shell == Zsh && i > 0 && strings.IndexByte("^#~", m.text[i]) >= 0
			a.known = a.known && !m.isTildeValueAt(i)
		}
	}
	if w.env.Shell == Zsh {
		w.checkZshWord(&m)
	}
	if !a.known {
		a.reach, a.expands = m.reach()
	}
	if m.plainAt(0, '~') {
		if len(m.text) > 1 && !m.plainAt(1, '/') || w.homeDir() == "" {
			a.known = false
		} else {
			special = special || a.glob && strings.ContainsAny(w.homeDir(), `*?[]\`)
			m.text = append([]byte(w.homeDir()), m.text[1:]...)
		}
	}
	if !a.known && !a.glob {
		if len(m.values) > 0 {
			a.found = m.found()
		}
		if m.names != nil && len(m.marks) == 1 && m.marks[0] == markUnknownText {
			a.found = m.names
		}
		a.withID = m.withObjectNames()
	}
	a.known = a.known && (!a.glob || !special)
	if a.known {
		a.value = string(m.text)
	}
	if len(m.marks) == 1 && m.marks[0] == markProcessSubst {
		a.value = processSubstPath
	}
	return a
}

// isGlobAt reports whether the byte at index i makes the word a pattern.
func (m *markedWord) isGlobAt(i int) bool {
	switch m.text[i] {
	case '*', '?':
		return true
	case '[':
		for j := i + 1; j < len(m.text); j++ {
			if m.plainAt(j, ']') {
				return true
			}
		}
	}
	return false
}

// isTildeValueAt reports whether bash expands the tilde at index i: in a word such as
// dir=~/x, which looks like an assignment.
func (m *markedWord) isTildeValueAt(i int) bool {
	if !m.plainAt(i, '~') || !m.plainAt(i-1, '=') && !m.plainAt(i-1, ':') {
		return false
	}
	name, _, ok := strings.Cut(string(m.text[:i]), "=")
	return ok && isName(strings.TrimSuffix(name, "+"))
}

// isName reports whether text can be the name of a variable.
func isName(text string) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// unquoteDouble returns the text between double quotes without its backslashes.
func unquoteDouble(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// singleEscapes maps the letters that stand for one byte after a backslash in $'…'.
var singleEscapes = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// unquoteDollar returns the text of $'…'. It reports false if shells decode an escape
// differently.
func unquoteDollar(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		if c, ok := singleEscapes[text[i]]; ok {
			b.WriteByte(c)
			continue
		}
		n, ok := decodeEscape(&b, text[i:])
		if !ok {
			return "", false
		}
		i += n - 1
	}
	// A shell cannot hold a zero byte: bash ends the word there.
	return b.String(), !strings.Contains(b.String(), "\x00") && utf8.ValidString(b.String())
}

// decodeEscape writes the character of a numeric escape and returns the length of the
// escape.
func decodeEscape(b *strings.Builder, text string) (int, bool) {
	switch c := text[0]; {
	case '0' <= c && c <= '7':
		v, n := readDigits(text, 8, 3)
		if v > 0xff {
			return 0, false
		}
		b.WriteByte(byte(v))
		return n, true
	case c == 'x':
		v, n := readDigits(text[1:], 16, 2)
		b.WriteByte(byte(v))
		return 1 + n, n > 0
	case c == 'u' || c == 'U':
		limit := 4
		if c == 'U' {
			limit = 8
		}
		v, n := readDigits(text[1:], 16, limit)
		// The locale decides about characters beyond ASCII.
		if n == 0 || v >= utf8.RuneSelf {
			return 0, false
		}
		b.WriteByte(byte(v))
		return 1 + n, true
	}
	return 0, false
}

// readDigits reads at most limit digits and returns their value and number.
func readDigits(text string, base, limit int) (value int64, n int) {
	for n < len(text) && n < limit {
		d := int64(strings.IndexByte("0123456789abcdef", lowerByte(text[n])))
		if d < 0 || d >= int64(base) {
			break
		}
		value = value*int64(base) + d
		n++
	}
	return value, n
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// maxBraceWords limits the words that one word expands to.
const maxBraceWords = 64

// expandBraces expands the braces of a word. It reports false if shells disagree about
// the word or if it expands to too many words.
func expandBraces(m markedWord) ([]markedWord, bool) {
	if !bytes.ContainsRune(m.text, '{') {
		if m.text == nil {
			return nil, true
		}
		return []markedWord{m}, true
	}
	list, ok := expandBracesFrom(m, 0, maxBraceWords)
	if !ok {
		return nil, false
	}
	// An empty word without quotes disappears, with quotes it stays.
	return list, !slices.ContainsFunc(list, func(m markedWord) bool { return len(m.text) == 0 })
}

// expandBracesFrom expands the braces at or after index from.
func expandBracesFrom(m markedWord, from, limit int) ([]markedWord, bool) {
	for i := from; i < len(m.text); i++ {
		if !m.plainAt(i, '{') {
			continue
		}
		g, ok := m.braceGroup(i)
		if !ok || i > 0 && m.text[i-1] == '$' {
			return nil, false
		}
		if g.words == nil {
			continue // braces without alternatives are plain text
		}
		var list []markedWord
		for _, word := range g.words {
			var n markedWord
			n.append(m.slice(0, i))
			n.append(word)
			n.append(m.slice(g.end+1, len(m.text)))
			more, ok := expandBracesFrom(n, i, limit-len(list))
			if !ok || len(list)+len(more) > limit {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	}
	return []markedWord{m}, true
}

func (m *markedWord) append(n markedWord) {
	m.text = append(m.text, n.text...)
	m.marks = append(m.marks, n.marks...)
}

// A braceGroup is the content of a pair of braces.
type braceGroup struct {
	end   int          // index of the right brace
	words []markedWord // the alternatives
}

// braceGroup reads the group whose left brace is at index i. It reports false for an
// unclosed group that shells may read differently.
func (m *markedWord) braceGroup(i int) (braceGroup, bool) {
	depth, start, dots, commas := 0, i+1, false, false
	var words []markedWord
	for j := i + 1; j < len(m.text); j++ {
		switch {
		case m.plainAt(j, '{'):
			depth++
		case m.plainAt(j, ',') && depth == 0:
			words = append(words, m.slice(start, j))
			start, commas = j+1, true
		case m.plainAt(j, ',') || m.plainAt(j, '.') && m.plainAt(j+1, '.'):
			dots = dots || m.plainAt(j, '.') && depth == 0
			commas = commas || m.plainAt(j, ',')
		case m.plainAt(j, '}') && depth > 0:
			depth--
		case m.plainAt(j, '}') && words != nil:
			return braceGroup{j, append(words, m.slice(start, j))}, true
		case m.plainAt(j, '}') && dots:
			words, ok := braceSequence(m.slice(i+1, j))
			return braceGroup{j, words}, ok
		case m.plainAt(j, '}'):
			return braceGroup{end: j}, true
		}
	}
	return braceGroup{}, !dots && !commas
}

// braceSequence returns the words of a sequence such as 1..3, the only kind that all
// shells agree on.
func braceSequence(m markedWord) ([]markedWord, bool) {
	first, last, ok := strings.Cut(string(m.text), "..")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || strconv.Itoa(from) != first || strconv.Itoa(to) != last ||
		max(from, to)-min(from, to) >= maxBraceWords || slices.Contains(m.marks, markQuoted) {
		return nil, false
	}
	step := 1
	if to < from {
		step = -1
	}
	var words []markedWord
	for n := from; ; n += step {
		var w markedWord
		w.add(strconv.Itoa(n), markPlain)
		words = append(words, w)
		if n == to {
			return words, true
		}
	}
}
