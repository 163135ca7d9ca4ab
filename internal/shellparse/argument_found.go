package shellparse

import (
	"slices"
	"strings"
)

// foundNames are the names of files that a word which is not known may stand for: those
// that find replaces it by, or the values of a variable.
type foundNames struct {
	values  []arg    // the names or patterns
	trees   []arg    // directories; the names are those of what is below them
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
