package shellparse

import (
	"slices"
	"strings"
)

// An arg is one word after the name of a command, as the command gets it.
type arg struct {
	value  string // what the shell makes of it; of a glob the pattern
	source string // as it stands in the line
	known  bool   // value is exactly what the command gets, or the pattern if glob is set
	glob   bool   // the shell replaces it by the names of files
	many   bool   // not known, and perhaps several arguments or none
	cont   bool   // one of several that the same braces make; they share their source
	hole   bool   // the program that starts the command puts something in place of it or of a part
}

// word is an argument that stands in the line as it is.
func word(text string) arg { return arg{value: text, known: true, source: text} }

// is reports whether an argument is exactly one of the words.
func (a arg) is(words ...string) bool { return a.exact() && slices.Contains(words, a.value) }

// exact reports whether an argument is one word whose text is known.
func (a arg) exact() bool { return a.known && !a.glob }

// loose reports whether an argument may be none or several.
func (a arg) loose() bool { return a.many || a.glob }

// mayBeFlag reports whether an argument may begin with a dash although it is not
// known to.
func (a arg) mayBeFlag() bool {
	if a.exact() {
		return false
	}
	first := a.value
	if !a.known {
		if a.many {
			return true
		}
		first = strings.TrimPrefix(a.source, `"`)
	}
	return first == "" || strings.Contains("-*?[{(!@\\\"'$`~<>=", first[:1])
}

// starts reports whether an argument may begin with a byte, as far as is known.
func (a arg) starts(c byte) bool {
	if !a.known {
		return a.mayBeFlag() || strings.HasPrefix(strings.TrimPrefix(a.source, `"`), string(c))
	}
	return strings.HasPrefix(a.value, string(c)) || a.glob && a.mayBeFlag()
}

// as is a part of an argument.
func (a arg) as(part string) arg {
	a.value = part
	return a
}

// with is an argument with more text at its end.
func (a arg) with(suffix string) arg {
	if a.known {
		a.value += suffix
	}
	a.source += suffix
	return a
}

// output reports whether an argument holds the name of a file to write.
func (a arg) output() bool {
	return strings.HasPrefix(a.value, "--output=") || strings.HasPrefix(a.value, "--out=") ||
		strings.HasPrefix(a.value, "-o") && !strings.HasPrefix(a.value, "--")
}

// fed stands for the words that a program such as xargs adds.
var fed = arg{many: true}

func (a arg) isFed() bool { return !a.known && a.source == "" }

// found is what find puts the names of files in place of.
const found = "{}"

// isHole reports whether the program that starts a command says what a word of it
// is, or a part of the word.
func (a arg) isHole() bool { return a.hole || a.source == found || a.isFed() }

// stands reports whether an argument is a tree that stands for what find finds
// in it.
func (a arg) stands() bool { return a.source == found && a.value != found }
