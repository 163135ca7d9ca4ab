package settings

import (
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/policy"
)

// safeguard returns an ask rule about everything that a deny or ask rule could mean that
// [policy.ParseRule] does not understand. It returns false if the text is not of the form
// Tool(text), or does not name a tool.
func safeguard(text string) (policy.Rule, bool) {
	tool, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	inner, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return policy.Rule{}, false
	}
	for _, candidate := range safeguards(tool, strings.TrimSpace(inner)) {
		if r, err := policy.ParseRule(policy.Ask, candidate); err == nil {
			return r, true
		}
	}
	return policy.Rule{}, false
}

// safeguards returns the texts of ask rules, the narrowest first. Those that are not
// understood are to be skipped.
func safeguards(tool, text string) []string {
	value := text
	if param, ok := pattern.Parameter(tool, text); ok && param.Check(tool) != nil {
		value = param.Value
	}
	family := tool
	switch tool {
	case "Write", "MultiEdit", "apply_patch", "NotebookEdit":
		family = "Edit"
	case "Glob", "Grep":
		family = "Read"
	}
	rule := func(text string) string { return policy.Rule{Tool: family, Pattern: text}.String() }
	switch family {
	case "Edit", "Read":
		var candidates []string
		if value != "" {
			candidates = append(candidates, rule(value))
		}
		if value != "" && strings.Trim(value, "./~") == "" && !strings.Contains(value, "..") { // a whole tree
			candidates = append(candidates, rule(strings.TrimSuffix(value, "/")+"/**"))
		}
		return append(candidates, rule("//**"))
	case "WebFetch":
		host, _ := pattern.CanonicalHost(value)
		return []string{rule("domain:" + host), rule("domain:*")}
	case "Bash", "PowerShell", "Monitor":
		if value != "" && !strings.Contains(value, "*") {
			return []string{rule(value + ":*"), tool}
		}
		return []string{rule(value), tool}
	}
	return []string{tool}
}
