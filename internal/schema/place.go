package schema

import (
	"slices"
	"strings"
	"unicode"
)

// placeWords are the last words of names of properties that hold a path or an address.
var placeWords = []string{"path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "url", "urls", "uri", "uris", "host", "hostname"}

// PlaceProperty returns the first property, in the order of the alphabet, whose name says that it
// is a path, an address or a host, or "".
func (s *Schema) PlaceProperty() string {
	names := s.Properties()
	slices.Sort(names)
	for _, name := range names {
		if NamesPlace(name) {
			return name
		}
	}
	return ""
}

// NamesPlace reports whether the name of a property says that it is a path, an address or a host.
func NamesPlace(property string) bool {
	word := property[strings.LastIndexAny(property, "_-. ")+1:]
	for i, r := range word { // the last word in camel case; all capitals are one word
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(word[i-1])) {
			return NamesPlace(word[i:])
		}
	}
	return slices.Contains(placeWords, strings.ToLower(word))
}
