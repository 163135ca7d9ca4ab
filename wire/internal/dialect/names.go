// Package dialect knows what each provider takes of a tool's definition: which names,
// which schemas, how many. It turns what it does not take into what it does.
package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A NameRule says which names a provider takes: letters, digits, _ and -.
type NameRule struct {
	Max    int  // bytes
	Letter bool // the first must be a letter or _
}

// String says what is taken, after "takes".
func (r NameRule) String() string {
	first := ""
	if r.Letter {
		first = ", the first no digit and no -"
	}
	return fmt.Sprintf("1 to %d letters, digits, _ and -%s", r.Max, first)
}

// Valid reports whether a name is taken as it is.
func (r NameRule) Valid(name string) bool {
	for i := range len(name) {
		if !nameByte(name[i]) {
			return false
		}
	}
	return name != "" && len(name) <= r.Max && (!r.Letter || letter(name[0]))
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func nameByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '-' }

// Names maps the names of a pool's tools to names that a provider takes, and back.
// The zero value maps each to itself. It never changes.
type Names struct { // both maps hold only the names that differ
	toAPI  map[string]string
	toTool map[string]string
}

// API returns what the provider calls a tool.
func (n Names) API(tool string) string {
	if name, ok := n.toAPI[tool]; ok {
		return name
	}
	return tool
}

// Tool returns the tool that the provider calls so.
func (n Names) Tool(api string) string {
	if name, ok := n.toTool[api]; ok {
		return name
	}
	return api
}

// Names chooses a name for every tool. Names that are taken stay. The names of
// built-ins depend on built-ins alone. It does no work if all can stay.
func (r NameRule) Names(builtin, external []string) Names {
	var n Names
	known := map[string]bool{}
	for _, part := range [][]string{builtin, external} {
		var refused []string
		for _, tool := range part {
			known[tool] = true
			if _, given := n.toTool[tool]; given || !r.Valid(tool) {
				refused = append(refused, tool)
			}
		}
		for _, tool := range refused {
			if n.toAPI == nil {
				n.toAPI, n.toTool = map[string]string{}, map[string]string{}
			}
			api := r.free(tool, func(name string) bool { return known[name] || n.toTool[name] != "" })
			n.toAPI[tool], n.toTool[api] = api, tool
		}
	}
	return n
}

// free folds what the provider refuses and appends a hash of the whole name, so
// that names that fold alike differ. Only a name made to collide needs more than
// one attempt.
func (r NameRule) free(tool string, taken func(string) bool) string {
	folded := strings.Map(func(c rune) rune {
		if c < 0x80 && nameByte(byte(c)) {
			return c
		}
		return '_'
	}, tool)
	if r.Letter && !letter((folded + "0")[0]) {
		folded = "_" + folded
	}
	for salted := tool; ; salted += "\x00" {
		sum := sha256.Sum256([]byte(salted))
		suffix := "_" + hex.EncodeToString(sum[:])[:12]
		name := folded[:min(len(folded), r.Max-len(suffix))] + suffix
		if !taken(name) {
			return name
		}
	}
}
