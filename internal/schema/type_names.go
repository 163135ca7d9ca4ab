package schema

import (
	"reflect"
	"strconv"
	"strings"
)

// typeNames gives each type its own name in a schema. The library would give the same name to
// types of the same name in two packages.
type typeNames struct {
	names map[reflect.Type]string
	types map[string]reflect.Type
}

func newTypeNames() *typeNames {
	return &typeNames{names: map[reflect.Type]string{}, types: map[string]reflect.Type{}}
}

// of returns the name of t, or "" if t gets no definition of its own. Unnamed structs get a
// name too, by which fixProperties finds them.
func (n *typeNames) of(t reflect.Type) string {
	if name, ok := n.names[t]; ok {
		return name
	}
	word := strings.Trim(strings.Map(wordRune, t.Name()), "_")
	if word == "" {
		if t.Kind() != reflect.Struct {
			return ""
		}
		word = "Object"
	}
	name := word
	for i := 2; n.types[name] != nil; i++ {
		name = word + strconv.Itoa(i)
	}
	n.names[t], n.types[name] = name, t
	return name
}

// wordRune replaces runes that would need an escape in a reference with an underscore.
func wordRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return r
	default:
		return '_'
	}
}
