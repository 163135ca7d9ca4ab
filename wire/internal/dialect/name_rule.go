package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A NameRule is the rule of a provider for names. They consist of letters, digits, _ and -.
type NameRule struct {
	Max    int  // maximum length in bytes
	Letter bool // the first must be a letter or _
}

// String describes the valid names. The text fits after "takes".
func (r NameRule) String() string {
	first := ""
	if r.Letter {
		first = ", the first no digit and no -"
	}
	return fmt.Sprintf("1 to %d letters, digits, _ and -%s", r.Max, first)
}

// Valid reports whether the provider accepts a name.
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

// Names chooses a valid name for every tool. Valid names stay. The names of built-in tools
// depend on the built-in tools alone.
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

// free returns a valid name for a tool that is not taken. It folds the characters that the
// provider refuses, and appends a hash of the whole name, so that names that fold to the
// same differ. Only a name constructed to collide needs more than one attempt.
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

// Names maps the names of a pool's tools to names that a provider accepts, and back. The zero
// value maps each name to itself. Names is immutable.
type Names struct { // the maps hold only names that change
	toAPI  map[string]string
	toTool map[string]string
}

// API returns the name of a tool in requests.
func (n Names) API(tool string) string {
	if name, ok := n.toAPI[tool]; ok {
		return name
	}
	return tool
}

// Tool returns the tool with that name in requests.
func (n Names) Tool(api string) string {
	if name, ok := n.toTool[api]; ok {
		return name
	}
	return api
}
