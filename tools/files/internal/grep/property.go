package grep

import (
	"maps"
	"strings"
	"unicode"
)

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
