// Package plain tells text that a person can read on one line from text that moves a
// terminal's cursor or changes the direction of writing.
package plain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// IsHidden reports whether r could move a terminal's cursor or change the direction of
// writing.
func IsHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible returns s, quoted if something in it is hidden. Line breaks may stay.
func Visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r != '\n' && IsHidden(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// IsText reports whether s is UTF-8 without control characters.
func IsText(s string) bool {
	return strings.ToValidUTF8(s, "") == s && strings.IndexFunc(s, unicode.IsControl) < 0
}

// CheckName returns why name cannot be shown on one line, as the end of a sentence.
func CheckName(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("is empty")
	}
	if !IsText(name) {
		return fmt.Errorf("%q holds a control character or is not UTF-8", name)
	}
	return nil
}
