package pattern

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Platform says how paths are spelled and compared. It is an input and not the
// machine that the program runs on, so that the rules of each can be tested
// everywhere.
type Platform int

// The platforms. Linux stands for every system whose names are plain bytes.
const (
	Linux   Platform = iota
	Darwin           // letter case, composition and invisible characters do not count
	Windows          // letter case does not count, and much else has a second spelling
)

// noDrive is the doubt about a path that a caller made absolute itself.
const noDrive = "it names no drive"

// Canonical returns path as rules see it: with slashes and without "." and "..".
// On Windows `C:\a` becomes "/c/a", `\\host\share` "//host/share", and what the
// system ignores in a name is gone. On the other platforms path stays as it is,
// since a ".." behind a link leads elsewhere than it says. A relative path stays
// relative.
//
// If the spelling may mean another file than it seems to, doubtful says why, as
// the end of a sentence about the path. Such a path must not be allowed unasked:
// no allow rule covers it.
func Canonical(p Platform, path string) (form, doubtful string) { return canonical(p, path) }

func canonical(p Platform, name string) (form, doubtful string) {
	switch p {
	case Darwin:
		return name, doubtDarwin(name)
	case Windows:
		return canonicalWindows(name)
	}
	return name, ""
}

// doubtDarwin looks for what the file systems of darwin read differently.
func doubtDarwin(name string) string {
	if !utf8.ValidString(name) {
		return "it is not UTF-8"
	}
	if i := strings.IndexFunc(name, odd); i >= 0 {
		return "it holds a character that the disk may ignore or replace"
	}
	for _, magic := range []string{"/.vol", "/.nofollow", "/.resolve"} {
		if _, ok := under(magic, foldMarks.fold(path.Clean(name))); ok {
			return "it starts with " + magic + ", which leads to any file"
		}
	}
	if strings.Contains(strings.ToLower(name), "/..namedfork") {
		return "it names a fork of a file"
	}
	return ""
}

// odd reports whether r is invisible, or an ideograph that stands for another.
func odd(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		'\uF900' <= r && r <= '\uFAFF' || '\U0002F800' <= r && r <= '\U0002FA1F')
}
