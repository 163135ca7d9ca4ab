package shellparse

import (
	"strings"

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
	values []arg       // what the part that is not known stands for; see addValue
	names  *foundNames // what the last part stands for, if a loop has read it
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
