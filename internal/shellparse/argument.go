package shellparse

import (
	"slices"
	"strings"
)

// An arg is one word of a command, as the command receives it.
type arg struct {
	value       string      // the text after expansion; the pattern if glob is set
	source      string      // the word as written in the line
	known       bool        // value is exact, or is the exact pattern if glob is set
	glob        bool        // the shell replaces it by file names
	anyNumber   bool        // not known, and may be any number of arguments
	expands     bool        // not known, and without quotes it may be a pattern for names anywhere
	reach       reach       // of the text that is not known; see holds
	fromBraces  bool        // one of several that a brace expansion produced; they share their source
	placeholder bool        // the program that starts the command replaces the word or a part of it
	found       *foundNames // the files that a word stands for if it is not known
	withID      string      // the word with objectName for each part that is not known; see withObjectNames
}

// literalArg returns an argument for a word without quotes and expansions.
func literalArg(text string) arg { return arg{value: text, known: true, source: text} }

// is reports whether an argument is exactly one of the words.
func (a arg) is(words ...string) bool { return a.isLiteral() && slices.Contains(words, a.value) }

// isLiteral reports whether an argument is exactly one word whose text is known.
func (a arg) isLiteral() bool { return a.known && !a.glob }

// mayBeSeveral reports whether an argument may be none or several arguments.
func (a arg) mayBeSeveral() bool { return a.anyNumber || a.glob }

// mayBeFlag reports whether an argument that is not literal may begin with a dash.
func (a arg) mayBeFlag() bool {
	if a.isLiteral() || a.found != nil && a.found.plain {
		return false
	}
	first := a.value
	if !a.known {
		if a.anyNumber {
			return true
		}
		first = strings.TrimPrefix(a.source, `"`)
	}
	return first == "" || strings.Contains("-*?[{(!@\\\"'$`~<>=", first[:1])
}

// isNamePattern reports whether an argument is a pattern for names in the working directory,
// of which some may begin with a dash. If it is the pattern of a file that is read, that is
// asked about where the pattern is expanded.
func (a arg) isNamePattern() bool {
	return a.known && a.glob && a.value != "" && strings.IndexByte("*?[", a.value[0]) >= 0 && !strings.Contains(a.value, "/")
}

// mayStartWith reports whether an argument may begin with c.
func (a arg) mayStartWith(c byte) bool {
	if !a.known {
		return a.mayBeFlag() || a.standsForNames() || strings.HasPrefix(strings.TrimPrefix(a.source, `"`), string(c))
	}
	return strings.HasPrefix(a.value, string(c)) || a.glob && a.mayBeFlag()
}

// withValue returns the argument with another value, such as a part of its own.
func (a arg) withValue(part string) arg {
	a.value = part
	return a
}

// withSuffix returns the argument with suffix appended.
func (a arg) withSuffix(suffix string) arg {
	if a.known {
		a.value += suffix
	}
	a.source += suffix
	return a
}

// inDir returns the name of a file relative to dir. It is known only if dir is literal.
func (a arg) inDir(dir arg) arg {
	a.value = strings.TrimSuffix(dir.value, "/") + "/" + a.value
	a.known = a.known && dir.isLiteral()
	return a
}

// namesOutput reports whether an argument holds an output option with the name of a
// file.
func (a arg) namesOutput() bool {
	return strings.HasPrefix(a.value, "--output=") || strings.HasPrefix(a.value, "--out=") ||
		strings.HasPrefix(a.value, "-o") && !strings.HasPrefix(a.value, "--")
}

// addedArgs stands for the arguments that a program such as xargs adds.
var addedArgs = arg{anyNumber: true}

func (a arg) isAdded() bool { return !a.known && a.source == "" }

// findPlaceholder is the word that find replaces by the names of files.
const findPlaceholder = "{}"

// isPlaceholder reports whether the program that starts the command replaces the word
// or a part of it.
func (a arg) isPlaceholder() bool { return a.placeholder || a.source == findPlaceholder || a.isAdded() }

// isFoundTree reports whether an argument is a directory that stands for the files that
// find finds in it.
func (a arg) isFoundTree() bool { return a.source == findPlaceholder && a.value != findPlaceholder }

// foundNames are the names of files that a word which is not known may stand for: those
// that find replaces it by, or the values of a variable.
type foundNames struct {
	values  []arg    // the names or patterns
	trees   []arg    // directories below which the names lie
	starts  []arg    // directories, if a program starts a command once with names below them
	dirs    []string // where they were found
	nul     bool     // each name ends in a zero byte, and not in a line feed
	bare    bool     // the names begin below the trees, and not with the name of a tree
	plain   bool     // none begins like an option or another word with a meaning
	regular bool     // they are no links, or links that no command follows
	read    bool     // a loop reads them, one a line, so that a name must hold no blank or line feed
	filter  *NameFilter
}

// isPlainName reports whether an argument, or every name that a pattern stands for, begins
// like the name of a file. A name that a pattern in a directory stands for and that begins
// with a dash is asked about where the pattern is expanded.
func isPlainName(a arg) bool {
	if !a.known || a.value == "" {
		return false
	}
	return startsWithPlainByte(a.value) || a.isNamePattern()
}

// standsForNames reports whether an argument is a pattern for names, or has one as a value.
func (a arg) standsForNames() bool {
	return a.isNamePattern() || a.found != nil && slices.ContainsFunc(a.found.values, arg.isNamePattern)
}

// readsFoundNames reports whether a program with arguments that stand for files only
// reads, whatever the files are called. The files are the others that it reads.
func readsFoundNames(args []arg) (others []file, ok bool) {
	if len(args) == 0 || !args[0].isLiteral() || strings.Contains(args[0].value, "/") {
		return nil, false
	}
	if slices.ContainsFunc(args, arg.standsForNames) { // nothing looks at the names here
		return nil, false
	}
	if args[0].value == "watch" || isFindProgram(args[0].value) && slices.ContainsFunc(args, func(a arg) bool { return has(findRuns, a.value) }) {
		return nil, false // it runs another in turn
	}
	var e effect
	if b, ok := builtins[args[0].value]; ok {
		of := b.effect(args[1:])
		if e = of.effect; !b.isProgram || of.changesShell {
			return nil, false
		}
	} else {
		e = effectOf(args[0].value, args[1:])
	}
	for _, f := range e.files {
		if f.found == nil {
			others = append(others, f)
		}
	}
	return others, e.class == ReadOnly && e.git == nil && e.lineUnknown == "" && e.askReason == "" && len(e.runs) == 0 && len(e.hosts) == 0
}

// addValue adds the value of a variable that the line has set, or notes its values if there
// are several, and reports whether the part of the word is known.
func (w *walker) addValue(m *markedWord, values []arg, quotes bool) bool {
	if len(values) == 0 {
		return false
	}
	if !quotes { // the shell splits it, and expands patterns
		for _, v := range values {
			if v.glob || v.value == "" || !expandsToItself(v.value) || holdsPattern(v.value) || strings.ContainsAny(v.value, " \t\n{}") || mayAssign(w.src, "IFS") {
				return false
			}
		}
	}
	if len(values) == 1 && !values[0].glob {
		m.add(values[0].value, markQuoted)
		if m.text == nil {
			m.text, m.marks = []byte{}, []mark{}
		}
		return true
	}
	if m.values == nil {
		m.values = values
	} else {
		m.values = []arg{} // several parts are not known
	}
	return false
}

// found returns the names that a word stands for of which one part is not known, or nil.
func (m *markedWord) found() *foundNames {
	at := -1
	for i, kind := range m.marks {
		switch {
		case kind == markUnknownText || kind == markUnknownWords:
			if at >= 0 {
				return nil
			}
			at = i
		case kind == markProcessSubst, kind == markPlain && strings.IndexByte("~{}", m.text[i]) >= 0:
			return nil
		}
	}
	if at < 0 {
		return nil
	}
	before, after := string(m.text[:at]), string(m.text[at+1:])
	f := &foundNames{plain: true}
	for _, v := range m.values {
		if v.glob && strings.ContainsAny(before+after, `*?[]\`) {
			return nil
		}
		v.value = before + v.value + after
		v.glob = v.glob && v.known
		f.values = append(f.values, v)
		f.plain = f.plain && isPlainName(v)
	}
	return f
}

// sourceText and unquotedText return an argument as written and without its quotes.
// They are passed to joinArgs.
func sourceText(a arg) string { return a.source }

func unquotedText(a arg) string {
	if a.known {
		return a.value
	}
	return a.source
}

// joinArgs writes arguments separated by one blank. Arguments that one brace expansion
// produced are written once.
func joinArgs(args []arg, as func(arg) string) string {
	if len(args) == 1 && !args[0].fromBraces {
		return as(args[0])
	}
	var b strings.Builder
	size := 0
	for _, a := range args {
		size += 1 + len(a.source)
	}
	b.Grow(size)
	for i, a := range args {
		if i > 0 {
			if a.fromBraces && args[i-1].fromBraces && a.source == args[i-1].source {
				continue
			}
			if a.isAdded() {
				continue
			}
			b.WriteByte(' ')
		}
		if a.fromBraces {
			b.WriteString(a.source)
			continue
		}
		b.WriteString(as(a))
	}
	return b.String()
}

// joinSources is joinArgs with sourceText. It returns a substring of text if text ends
// with the result.
func joinSources(text string, args []arg) string {
	rest := text
	for i, a := range slices.Backward(args) {
		before, ok := strings.CutSuffix(rest, a.source)
		if ok && i > 0 {
			before, ok = strings.CutSuffix(before, " ")
		}
		if !ok || a.fromBraces || a.isAdded() {
			return joinArgs(args, sourceText)
		}
		rest = before
	}
	return text[len(rest):]
}

// joinWithAssignments writes a command with the assignments before it.
func joinWithAssignments(assigns []assignment, args []arg) string {
	texts := make([]string, 0, len(assigns)+1)
	for _, a := range assigns {
		texts = append(texts, a.source)
	}
	if len(args) > 0 {
		texts = append(texts, joinArgs(args, sourceText))
	}
	return strings.Join(texts, " ")
}

// joinValues writes arguments without quotes, including each that a brace expansion
// produced.
func joinValues(args []arg) string {
	values := make([]string, 0, len(args))
	for _, a := range args {
		if !a.isAdded() {
			values = append(values, unquotedText(a))
		}
	}
	return strings.Join(values, " ")
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
