package pattern

import "strings"

// A wordGlob is a glob of a line, with or without further words after it.
type wordGlob struct {
	text     string
	withArgs string // glob of text with further words; empty if there must be none
}

// parseWords parses a glob. A star after a blank at the end, or ":*", stands for the words
// before it, with or without further words.
func parseWords(text string) wordGlob {
	first, ok := strings.CutSuffix(text, ":*")
	if !ok {
		first, ok = strings.CutSuffix(text, "*")
		ok = ok && strings.TrimRight(first, " \t") != first
	}
	first = strings.TrimRight(first, " \t")
	switch {
	case !ok:
		return wordGlob{text: text}
	case first == "":
		return wordGlob{text: "*"}
	}
	return wordGlob{text: first, withArgs: first + " *"}
}

func (w wordGlob) hasWildcard() bool { return w.withArgs != "" || strings.Contains(w.text, "*") }

func (w wordGlob) matches(s string) bool {
	return Name(w.text, s) || w.withArgs != "" && Name(w.withArgs, s)
}

// fold returns w for lines that f has folded.
func (w wordGlob) fold(f folding) wordGlob { return wordGlob{f.fold(w.text), f.fold(w.withArgs)} }
