package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A mark says how a byte of a word came about.
type mark byte

const (
	plain  mark = iota // as it stands in the line, without quotes
	quoted             // a byte that has no meaning but itself
	hole               // not a byte: text that is not known
	holes              // not a byte: any number of words that are not known
	opened             // not a byte: the name of a process substitution
)

// A spelling is a word whose bytes are marked.
type spelling struct {
	text  []byte
	marks []mark
}

func (s *spelling) add(text string, m mark) {
	s.text = append(s.text, text...)
	for range len(text) {
		s.marks = append(s.marks, m)
	}
}

func (s *spelling) cut(from, to int) spelling { return spelling{s.text[from:to], s.marks[from:to]} }

// at reports whether an unquoted c stands at i.
func (s *spelling) at(i int, c byte) bool {
	return i >= 0 && i < len(s.text) && s.text[i] == c && s.marks[i] == plain
}

// processName is what stands for the name of a process substitution.
const processName = "/dev/fd/63"

// plainWord reports whether a shell leaves the text as it is.
func plainWord(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '\\', '~', '{', '*', '?', '[', '$', '=', '^', '#':
			return false
		}
	}
	return true
}

// words expands the words of a command.
func (w *walker) words(list []*syntax.Word) []arg {
	args := w.room(len(list))
	for _, word := range list {
		args = w.word(args, word)
	}
	return args
}

// room is an empty list with room for n arguments. The commands of a line share
// what is allocated for them.
func (w *walker) room(n int) []arg {
	if n > len(w.spare) {
		w.spare = make([]arg, max(n, len(w.fewWords)))
	}
	list := w.spare[:0:n]
	w.spare = w.spare[n:]
	return list
}

// expand is words for a word whose value does not matter.
func (w *walker) expand(word *syntax.Word) { w.spell(word.Parts) }

// single is the value of a word that the shell does not split, such as the
// target of a redirection; not known if it has more than its text.
func (w *walker) single(word *syntax.Word) arg {
	args := w.word(nil, word)
	if len(args) != 1 || args[0].cont {
		return arg{source: w.text(word), many: true}
	}
	return args[0]
}

// word appends what a word becomes to args.
func (w *walker) word(args []arg, word *syntax.Word) []arg {
	source := w.text(word)
	if value, ok := w.verbatim(word); ok {
		return append(args, arg{value: value, known: true, source: source})
	}
	spelled, ok := braces(w.spell(word.Parts))
	if !ok {
		return append(args, arg{source: source, many: true, cont: true})
	}
	for _, s := range spelled {
		a := w.arg(s)
		a.source, a.cont = source, len(spelled) != 1
		args = append(args, a)
	}
	return args
}

// verbatim is the value of a word in which nothing is expanded, as most are: plain
// text, or text in quotes.
func (w *walker) verbatim(word *syntax.Word) (value string, ok bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, plainWord(part.Value)
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar && w.env.Shell != Zsh
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 && !part.Dollar && w.env.Shell != Zsh {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return unquote(lit.Value), true
			}
		}
	}
	return "", false
}

// spell marks the bytes of a word, and walks the commands in it.
func (w *walker) spell(parts []syntax.WordPart) spelling {
	var s spelling
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			s.literal(part.Value)
		case *syntax.SglQuoted:
			text, ok := part.Value, true
			if part.Dollar {
				text, ok = unescape(part.Value)
			}
			s.quote(text, ok)
		case *syntax.DblQuoted:
			w.double(&s, part)
		case *syntax.ProcSubst:
			w.substitution(part, part.Stmts)
			if part.Op == syntax.CmdInTemp {
				w.doubt("zsh makes a file for a substitution")
			}
			s.add("/", opened)
		case *syntax.ExtGlob:
			w.doubt("the line holds an extended glob")
			s.add(" ", holes)
		default:
			w.expansion(&s, part, false)
		}
	}
	return s
}

// quote adds text in quotes, even if it is empty: the word then exists.
func (s *spelling) quote(text string, known bool) {
	if !known {
		s.add(" ", hole)
	}
	s.add(text, quoted)
	if s.text == nil {
		s.text, s.marks = []byte{}, []mark{}
	}
}

func (w *walker) double(s *spelling, q *syntax.DblQuoted) {
	s.quote("", !q.Dollar) // $"…" is translated
	for _, part := range q.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			s.quote(unquote(lit.Value), true)
			continue
		}
		w.expansion(s, part, true)
	}
}

// expansion adds what a parameter, substitution or calculation becomes.
func (w *walker) expansion(s *spelling, part syntax.WordPart, quotes bool) {
	what := holes
	if quotes {
		what = hole
	}
	switch part := part.(type) {
	case *syntax.CmdSubst:
		w.substitution(part, part.Stmts)
	case *syntax.ArithmExp:
		if part.Bracket || part.Unsigned {
			w.doubt("the line calculates in an old notation")
		}
		w.arithmetic(part.X)
	case *syntax.ParamExp:
		switch {
		case !w.parameter(part):
		case part.Param.Value == "@":
			what = holes
		default:
			if dir := w.directory(part.Param.Value); dir != "" && (quotes || plainWord(dir) && !strings.ContainsAny(dir, " \t\n")) {
				s.add(dir, quoted)
				return
			}
		}
	default:
		w.doubt("the line holds a construct that is not understood")
		w.hidden(part)
	}
	s.add(" ", what)
}

// parameter reports whether a parameter stands for its value alone; anything
// else makes the line unknown.
func (w *walker) parameter(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Length || p.Width || p.IsSet ||
		p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 || p.NestedParam != nil || p.Index != nil ||
		len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Exp != nil {
		w.doubt("the line holds an expansion with an operator")
		w.hidden(p)
		return false
	}
	if w.env.Shell == Zsh {
		if !isName(p.Param.Value) || p.Short && strings.ContainsRune(":[", w.after(p)) {
			w.doubt("zsh expands a parameter in its own way")
			return false
		}
	}
	return true
}

// directory is the value of a variable that holds a directory, or empty if it is not
// known.
func (w *walker) directory(name string) string {
	switch name {
	case "HOME":
		return w.home()
	case "PWD":
		return w.standing()
	}
	return ""
}

// standing is the directory that the shell is in where the words at hand are
// expanded, or empty if it is not known. It may be spelled in another way than the
// shell does.
func (w *walker) standing() string {
	if len(w.at.dirs) != 1 || assigns(w.src, "PWD") {
		return ""
	}
	return w.at.dirs[0]
}

// home is the home directory, or empty if it is not known.
func (w *walker) home() string {
	if w.homeless {
		return ""
	}
	return w.env.Home
}

// literal adds unquoted text, in which a backslash quotes.
func (s *spelling) literal(text string) {
	if s.text != nil && len(s.text) == 0 && text != "" {
		switch text[0] { // empty quotes stand before it
		case '~':
			s.add("~", quoted)
			text = text[1:]
		case '{':
			s.add(" ", hole)
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
			s.add(text[i:i+1], quoted)
			continue
		}
		s.add(text[i:i+1], plain)
	}
}

// arg makes an argument of a word without braces.
func (w *walker) arg(s spelling) arg {
	a := arg{known: true}
	special := false // a byte that means something in a pattern, but is quoted
	for i, m := range s.marks {
		switch m {
		case hole:
			a.known = false
		case holes:
			a.known, a.many = false, true
		case opened:
			if len(s.marks) > 1 {
				a.known = false
			}
		case quoted:
			special = special || strings.IndexByte(`*?[]\`, s.text[i]) >= 0
		case plain:
			a.glob = a.glob || s.globs(i) || w.env.Shell == Zsh && i > 0 && strings.IndexByte("^#~", s.text[i]) >= 0
			a.known = a.known && !s.tildeAfter(i)
		}
	}
	if w.env.Shell == Zsh {
		w.zshWord(&s)
	}
	if s.at(0, '~') {
		if len(s.text) > 1 && !s.at(1, '/') || w.home() == "" {
			a.known = false
		} else {
			special = special || a.glob && strings.ContainsAny(w.home(), `*?[]\`)
			s.text = append([]byte(w.home()), s.text[1:]...)
		}
	}
	a.known = a.known && (!a.glob || !special)
	if a.known {
		a.value = string(s.text)
	}
	if len(s.marks) == 1 && s.marks[0] == opened {
		a.value = processName
	}
	return a
}

// globs reports whether the byte at i makes the word a pattern.
func (s *spelling) globs(i int) bool {
	switch s.text[i] {
	case '*', '?':
		return true
	case '[':
		for j := i + 1; j < len(s.text); j++ {
			if s.at(j, ']') {
				return true
			}
		}
	}
	return false
}

// tildeAfter reports whether bash expands the tilde at i: in a word like
// dir=~/x, which looks like an assignment.
func (s *spelling) tildeAfter(i int) bool {
	if !s.at(i, '~') || !s.at(i-1, '=') && !s.at(i-1, ':') {
		return false
	}
	name, _, ok := strings.Cut(string(s.text[:i]), "=")
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
