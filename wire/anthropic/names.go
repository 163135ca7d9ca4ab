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
	var n names
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		var refused []string
		for d := range p.Declarations(part) {
			if _, given := n.toTool[d.Name]; given || !validName(d.Name) {
				refused = append(refused, d.Name)
			}
		}
		if len(refused) == 0 {
			continue
		}
		if n.toAPI == nil {
			n.toAPI, n.toTool = map[string]string{}, map[string]string{}
		}
		taken := n.taken(p, part)
		for _, tool := range refused {
			api := freeName(tool, taken)
			taken[api] = true
			n.toAPI[tool], n.toTool[api] = api, tool
		}
	}
	return n
}

// taken holds the names of the tools of p up to a partition, and those that were
// given to them.
func (n names) taken(p *pegboard.Pool, last pegboard.Partition) map[string]bool {
	taken := map[string]bool{}
	for part := pegboard.Builtin; part <= last; part++ {
		for d := range p.Declarations(part) {
			taken[d.Name] = true
		}
	}
	for api := range n.toTool {
		taken[api] = true
	}
	return taken
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
	for i := range len(name) {
		if !nameRune(rune(name[i])) {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
