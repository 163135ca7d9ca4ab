package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// maxName is the longest name that the API takes, in bytes.
const maxName = 64

// names maps the names of a pool's tools to names that the API takes, and back.
// Both maps hold only the names that differ.
type names struct {
	toAPI  map[string]string
	toTool map[string]string
}

func (n names) api(tool string) string {
	if name, ok := n.toAPI[tool]; ok {
		return name
	}
	return tool
}

func (n names) tool(api string) string {
	if name, ok := n.toTool[api]; ok {
		return name
	}
	return api
}

// mapNames chooses a name for every tool of p. Names the API takes stay. The
// names of built-ins depend on built-ins alone.
func mapNames(p *pegboard.Pool) names {
	n := names{toAPI: map[string]string{}, toTool: map[string]string{}}
	taken := map[string]bool{}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		var refused []string
		for d := range p.Declarations(part) {
			if !validName(d.Name) || taken[d.Name] {
				refused = append(refused, d.Name)
				continue
			}
			taken[d.Name] = true
		}
		for _, tool := range refused {
			api := freeName(tool, taken)
			taken[api] = true
			n.toAPI[tool], n.toTool[api] = api, tool
		}
	}
	return n
}

// freeName folds what the API refuses and appends a hash of the whole name, so
// that names that fold alike differ. Only a name made to collide needs more than
// one attempt.
func freeName(tool string, taken map[string]bool) string {
	folded := strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '_'
	}, tool)
	for salted := tool; ; salted += "\x00" {
		sum := sha256.Sum256([]byte(salted))
		suffix := "_" + hex.EncodeToString(sum[:])[:12]
		name := folded[:min(len(folded), maxName-len(suffix))] + suffix
		if !taken[name] {
			return name
		}
	}
}

func validName(name string) bool {
	return name != "" && len(name) <= maxName && strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) }) < 0
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
