package pattern

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Platform defines how paths are spelled and compared. It is an argument and not the system
// that the program runs on, so that the rules of each can be tested on every system.
type Platform int

// The platforms. Linux stands for every system that compares names byte by byte.
const (
	Linux   Platform = iota
	Darwin           // ignores letter case, composition and invisible characters
	Windows          // ignores letter case, and has several spellings of many paths
)

// noDrive is the doubt about a path without a drive, which the caller has made absolute.
const noDrive = "it names no drive"

// Canonical returns path in the form that rules are matched against: with slashes and
// without "." and "..". On Windows `C:\a` becomes "/c/a", `\\host\share` becomes
// "//host/share", and parts of a name that the system ignores are removed. On the other
// platforms path is unchanged, since a ".." after a link does not lead to the directory
// before it. A relative path stays relative.
//
// If the system may read the spelling as another file than it seems to name, doubtful is the
// reason, as the end of a sentence about the path. No allow rule covers such a path.
func Canonical(p Platform, path string) (form, doubtful string) { return canonical(p, path) }

func canonical(p Platform, name string) (form, doubtful string) {
	switch p {
	case Darwin:
		return name, darwinDoubt(name)
	case Windows:
		return canonicalWindows(name)
	}
	return name, ""
}

// darwinDoubt returns the reason if the file systems of macOS may read a name differently.
func darwinDoubt(name string) string {
	if !utf8.ValidString(name) {
		return "it is not UTF-8"
	}
	if i := strings.IndexFunc(name, isAmbiguousRune); i >= 0 {
		return "it holds a character that the disk may ignore or replace"
	}
	for _, magic := range []string{"/.vol", "/.nofollow", "/.resolve"} {
		if _, ok := relativeTo(magic, foldMarks.fold(path.Clean(name))); ok {
			return "it starts with " + magic + ", which leads to any file"
		}
	}
	if strings.Contains(strings.ToLower(name), "/..namedfork") {
		return "it names a fork of a file"
	}
	return ""
}

// isAmbiguousRune reports whether r is invisible, or a compatibility ideograph.
func isAmbiguousRune(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		'\uF900' <= r && r <= '\uFAFF' || '\U0002F800' <= r && r <= '\U0002FA1F')
}
