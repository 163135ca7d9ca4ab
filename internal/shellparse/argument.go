package shellparse

import (
	"slices"
	"strings"
)

// An arg is one word after the name of a command, as the command gets it.
type arg struct {
	value        string // what the shell makes of it; of a glob the pattern
	source       string // as it stands in the line
	known        bool   // value is exactly what the command gets, or the pattern if glob is set
	glob         bool   // the shell replaces it by the names of files
	maybeSeveral bool   // not known, and perhaps several arguments or none
	fromBraces   bool   // one of several that the same braces make; they share their source
	placeholder  bool   // the program that starts the command puts something in place of it or of a part
}

// literalArg is an argument that stands in the line as it is.
func literalArg(text string) arg { return arg{value: text, known: true, source: text} }

// is reports whether an argument is exactly one of the words.
func (a arg) is(words ...string) bool { return a.isLiteral() && slices.Contains(words, a.value) }

// isLiteral reports whether an argument is one word whose text is known.
func (a arg) isLiteral() bool { return a.known && !a.glob }

// mayBeSeveral reports whether an argument may be none or several.
func (a arg) mayBeSeveral() bool { return a.maybeSeveral || a.glob }

// mayBeFlag reports whether an argument may begin with a dash although it is not
// known to.
func (a arg) mayBeFlag() bool {
	if a.isLiteral() {
		return false
	}
	first := a.value
	if !a.known {
		if a.maybeSeveral {
			return true
		}
		first = strings.TrimPrefix(a.source, `"`)
	}
	return first == "" || strings.Contains("-*?[{(!@\\\"'$`~<>=", first[:1])
}

// mayStartWith reports whether an argument may begin with a byte, as far as is known.
func (a arg) mayStartWith(c byte) bool {
	if !a.known {
		return a.mayBeFlag() || strings.HasPrefix(strings.TrimPrefix(a.source, `"`), string(c))
	}
	return strings.HasPrefix(a.value, string(c)) || a.glob && a.mayBeFlag()
}

// withValue is a part of an argument.
func (a arg) withValue(part string) arg {
	a.value = part
	return a
}

// withSuffix is an argument with more text at its end.
func (a arg) withSuffix(suffix string) arg {
	if a.known {
		a.value += suffix
	}
	a.source += suffix
	return a
}

// namesOutput reports whether an argument holds the name of a file to write.
func (a arg) namesOutput() bool {
	return strings.HasPrefix(a.value, "--output=") || strings.HasPrefix(a.value, "--out=") ||
		strings.HasPrefix(a.value, "-o") && !strings.HasPrefix(a.value, "--")
}

// addedArgs stands for the words that a program such as xargs adds.
var addedArgs = arg{maybeSeveral: true}

func (a arg) isAdded() bool { return !a.known && a.source == "" }

// findPlaceholder is what find puts the names of files in place of.
const findPlaceholder = "{}"

// isPlaceholder reports whether the program that starts a command says what a word of it
// is, or a part of the word.
func (a arg) isPlaceholder() bool { return a.placeholder || a.source == findPlaceholder || a.isAdded() }

// isFoundTree reports whether an argument is a tree that stands for what find finds
// in it.
func (a arg) isFoundTree() bool { return a.source == findPlaceholder && a.value != findPlaceholder }
