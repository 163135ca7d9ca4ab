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
	withID      string      // a word like it, if what is not known are names of objects of git only
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
