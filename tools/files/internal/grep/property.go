package grep

import (
	"maps"
	"strings"
	"unicode"
)

// lookUpProperty returns the characters with a Unicode property, or nil if the name is
// unknown. Case, blanks, - and _ in the name are ignored.
func lookUpProperty(name string) runeSet {
	kind, value, ok := strings.Cut(normalizedName(strings.ReplaceAll(name, ":", "=")), "=")
	if !ok {
		kind, value = "", kind
	}
	if kind == "" {
		switch value {
		case "any":
			return runeSet{0, unicode.MaxRune}
		case "ascii":
			return runeSet{0, unicode.MaxASCII}
		case "alphabetic", "alpha":
			return alphabetic()
		case "lowercase", "lower":
			return tableSet(unicode.Ll, unicode.Other_Lowercase)
		case "uppercase", "upper":
			return tableSet(unicode.Lu, unicode.Other_Uppercase)
		}
	}
	if kind == "" || kind == "gc" || kind == "generalcategory" {
		for alias, short := range maps.All(unicode.CategoryAliases) {
			if normalizedName(alias) == value {
				return tableSet(unicode.Categories[short])
			}
		}
		if s := tableNamed(unicode.Categories, value); s != nil {
			return s
		}
	}
	if kind == "" || kind == "sc" || kind == "script" {
		if s := tableNamed(unicode.Scripts, value); s != nil {
			return s
		}
	}
	if kind == "" {
		return tableNamed(unicode.Properties, value)
	}
	return nil
}

func tableNamed(all map[string]*unicode.RangeTable, want string) runeSet {
	for name, t := range all {
		if normalizedName(name) == want {
			return tableSet(t)
		}
	}
	return nil
}

func normalizedName(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
}
