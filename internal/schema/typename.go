package schema

import (
	"reflect"
	"strconv"
	"strings"
)

// typeNames gives each type a name of its own in a schema, which the library
// does not: there, types of one name in two packages are one.
type typeNames struct {
	names map[reflect.Type]string
	types map[string]reflect.Type
}

func newTypeNames() *typeNames {
	return &typeNames{names: map[reflect.Type]string{}, types: map[string]reflect.Type{}}
}

// of returns the name of t, "" if t is not defined apart from where it is used.
// Structs without a name get one too, to be found again by it.
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

// wordRune keeps the letters and digits that need no escape in a reference.
func wordRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return r
	default:
		return '_'
	}
}
