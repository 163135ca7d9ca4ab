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
	runes := []rune(property)
	i := len(runes) - 1
	for i > 0 && unicode.IsLower(runes[i]) {
		i--
	}
	word := runes[i:]
	if !unicode.IsLetter(word[0]) {
		word = word[1:]
	}
	return slices.Contains(placeWords, strings.ToLower(string(word))) || slices.Contains(placeWords, strings.ToLower(property))
}
