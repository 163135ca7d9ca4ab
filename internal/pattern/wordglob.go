package pattern

import (
	"regexp"
	"strings"
)

// A wordGlob is a glob of a line, with or without further words after it.
type wordGlob struct {
	text     string
	withArgs string // glob of text with further words; empty if there must be none
	onPorts  bool   // text ends in this machine, on which a port may follow
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
	return wordGlob{text: first, withArgs: first + " *", onPorts: strings.HasSuffix(text, ":*") && thisMachine.MatchString(first)}
}

var (
	// thisMachine matches a text whose last word is this machine, perhaps as a URL.
	thisMachine = regexp.MustCompile(`(?i)(^| )(https?://)?(localhost|127\.0\.0\.1|\[::1\])$`)
	// portAtStart matches a port and the rest of its word, which could not be a user.
	portAtStart = regexp.MustCompile(`^:[0-9]+([/?#][^ @]*)?( |$)`)
)

func (w wordGlob) hasWildcard() bool { return w.withArgs != "" || strings.Contains(w.text, "*") }

func (w wordGlob) matches(s string) bool {
	if w.onPorts && !strings.Contains(w.text, "*") {
		if rest, ok := strings.CutPrefix(s, w.text); ok && portAtStart.MatchString(rest) {
			return true
		}
	}
	return Name(w.text, s) || w.withArgs != "" && Name(w.withArgs, s)
}

// fold returns w for lines that f has folded.
func (w wordGlob) fold(f folding) wordGlob {
	return wordGlob{f.fold(w.text), f.fold(w.withArgs), w.onPorts}
}
