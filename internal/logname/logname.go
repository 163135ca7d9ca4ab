// Package logname spells names and ids for logs that must not contain texts of a model.
package logname

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLength is the length in bytes of the longest name or id that is written unchanged. Ids of
// providers have fewer than 64 bytes, names of tools rarely more.
const maxLength = 128

// Of returns s if it has the form of a name or an id: at most 128 bytes of letters, digits and
// _ - . : /. Otherwise it returns the digest of s, so that a log can still be searched for a
// known id.
func Of(s string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/", r)
	}
	if len(s) <= maxLength && utf8.ValidString(s) && !strings.ContainsFunc(s, odd) {
		return s
	}
	return Digest(s)
}

// Digest returns "sha256:" and the first half of the SHA-256 of s in hexadecimal.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("sha256:%x", sum[:len(sum)/2])
}
