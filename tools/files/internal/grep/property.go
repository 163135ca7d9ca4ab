package grep

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"
)

// property reads \pL, \p{Greek} and their like, and their opposites.
func (t *translator) property() (s set, size int, err error) {
	rest := t.rest()
	if len(rest) < 3 {
		return nil, 0, t.bad(len(t.in), `the name of a property is missing; write \p{Greek}`)
	}
	_, n := utf8.DecodeRuneInString(rest[2:])
	name, size := rest[2:2+n], 2+n
	if name == "{" {
		body, _, closed := strings.Cut(rest[3:], "}")
		if !closed {
			return nil, 0, t.bad(len(t.in), "the name of the property is not closed; add a }")
		}
		name, size = body, len(body)+4
	}
	if t.scope().ascii {
		return nil, 0, t.bad(t.at+size, "only ASCII is matched here; write the characters out")
	}
	opposite := rest[1] == 'P'
	if key, value, ok := strings.Cut(name, "!="); ok {
		name, opposite = key+"="+value, !opposite
	}
	if s = lookUp(name); s == nil {
		return nil, 0, t.bad(t.at+size, `no such property; write a script or a category, as in \p{Greek} or \p{Lu}`)
	}
	if opposite {
		s = s.negated()
	}
	return s, size, nil
}

// lookUp returns the characters with a property, nil if there is none of that
// name. Case, blanks, - and _ do not count in names.
func lookUp(name string) set {
	kind, value, ok := strings.Cut(plainName(strings.ReplaceAll(name, ":", "=")), "=")
	if !ok {
		kind, value = "", kind
	}
	if kind == "" {
		switch value {
		case "any":
			return set{0, unicode.MaxRune}
		case "ascii":
			return set{0, unicode.MaxASCII}
		case "alphabetic", "alpha":
			return alphabetic()
		case "lowercase", "lower":
			return tables(unicode.Ll, unicode.Other_Lowercase)
		case "uppercase", "upper":
			return tables(unicode.Lu, unicode.Other_Uppercase)
		}
	}
	if kind == "" || kind == "gc" || kind == "generalcategory" {
		for alias, short := range maps.All(unicode.CategoryAliases) {
			if plainName(alias) == value {
				return tables(unicode.Categories[short])
			}
		}
		if s := named(unicode.Categories, value); s != nil {
			return s
		}
	}
	if kind == "" || kind == "sc" || kind == "script" {
		if s := named(unicode.Scripts, value); s != nil {
			return s
		}
	}
	if kind == "" {
		return named(unicode.Properties, value)
	}
	return nil
}

func named(all map[string]*unicode.RangeTable, want string) set {
	for name, t := range all {
		if plainName(name) == want {
			return tables(t)
		}
	}
	return nil
}

func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
}
