package comms

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkText returns an error for a text that is blank, or that could do something to a terminal.
func checkText(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s is blank; write what the user should read", field)
	}
	return checkControls(field, text)
}

// checkControls returns an error for a text with control characters other than line ends and
// tabs, or with characters that change the order of others.
func checkControls(field, text string) error {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' && r != '\u200f' && r != '\u061c':
			return fmt.Errorf("%s has the control character U+%04X, which may change what the user sees; leave it out", field, r)
		}
	}
	return nil
}

// checkPaths returns an error for a path with characters that could change the texts around it,
// at the host and in results. Files may have such names, and are not sent under them.
func checkPaths(paths []string) error {
	for _, path := range paths {
		if strings.ContainsAny(path, "\n\r\t\u2028\u2029") {
			return fmt.Errorf("the path %q has a line end or a tab; send a copy of the file with another name", path)
		}
		if err := checkControls("the path "+strconv.Quote(path), path); err != nil {
			return err
		}
	}
	return nil
}

// plain returns a text with newlines as its only line ends.
func plain(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// begin returns at most limit bytes of a text, without half a character.
func begin(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	cut := limit - len(mark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.TrimRight(text[:cut], " \n") + mark
}

// indent puts blanks before each line of a text, so that a model can tell it from the text
// around it.
func indent(text, first, other string) string {
	return first + strings.ReplaceAll(text, "\n", "\n"+other)
}
