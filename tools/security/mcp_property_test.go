package security_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// property is a check that rows of mcp.jsonl ask for by its text. It returns what
// is wrong.
type property struct {
	check    func(t *testing.T, m *meeting) []string
	anyOrder bool // whatever the order of servers and tools
}

// propertyOf returns the check of that text, or one that only says that there is
// none.
func propertyOf(text string) property {
	switch text {
	case "rule for one raw identity never allows the other; no silent replacement":
		return property{check: checkRawIdentity}
	case "the allowed name runs exactly the raw tool named; the other asks or is hidden":
		return property{check: checkNamedToolRuns}
	case "no crash; the odd tool is hidden or asks; rules for other tools still work":
		return property{check: checkOddTool}
	case "exactly one tool is shown, independent of order":
		return property{check: checkOneShown, anyOrder: true}
	case "tool is hidden":
		return property{check: checkNoneShown}
	case "tool is hidden or given a unique name of at most 64 characters; deny rules on the full name still hold":
		return property{check: checkLongName}
	case "prompt text has no bidi or zero-width characters":
		return property{check: checkPromptText}
	}
	return property{check: func(t *testing.T, _ *meeting) []string {
		t.Helper()
		fmt.Printf("%s: unchecked: %s\n", t.Name(), text)
		return nil
	}}
}

// external are the visible tools of servers.
func (m *meeting) external() (tools []pegboard.Tool) {
	for tool := range m.pool.All() {
		if tool.Info().Origin.External() {
			tools = append(tools, tool)
		}
	}
	return tools
}

// allows reports whether a call of the tool runs unasked.
func (m *meeting) allows(t *testing.T, tool pegboard.Tool) bool {
	t.Helper()
	trace, hidden := m.decide(t, tool.Info().Name)
	return !hidden && trace.Decision.Behavior == policy.Allow
}

// named reports whether an allow rule of the row spells the tool, or its server,
// as the server itself does.
func (m *meeting) named(o pegboard.Origin) bool {
	server := "mcp__" + o.Source
	return slices.ContainsFunc(m.row.Rules.Allow, func(rule string) bool {
		rule = strings.Trim(rule, " \t") // as ParseRule reads it
		return rule == server || rule == server+"__*" || rule == server+"__"+o.Tool
	})
}

// checkRawIdentity: what runs is named by a rule as its server names it, and
// whatever is left out is spoken of.
func checkRawIdentity(t *testing.T, m *meeting) (wrong []string) {
	t.Helper()
	for _, tool := range m.external() {
		if o := tool.Info().Origin; m.allows(t, tool) && !m.named(o) {
			wrong = append(wrong, fmt.Sprintf("%s/%s runs under a rule for another", o.Source, o.Tool))
		}
	}
	for _, s := range m.row.Servers {
		for _, tool := range s.Tools {
			o := pegboard.Origin{Source: s.Name, Tool: tool.Name}
			_, visible := m.find(s.Name + "/" + tool.Name)
			if !visible && m.unnamed[o] == "" && !m.knows(s.Name+"/"+tool.Name) {
				wrong = append(wrong, fmt.Sprintf("%s/%s is gone without a word", o.Source, o.Tool))
			}
		}
	}
	return wrong
}

// checkNamedToolRuns: of the tools of one server, the rule lets the one run that
// it spells, and no other.
func checkNamedToolRuns(t *testing.T, m *meeting) []string {
	t.Helper()
	wrong, runs := checkRawIdentity(t, m), 0
	for _, tool := range m.external() {
		if m.allows(t, tool) {
			runs++
		}
	}
	if runs != 1 {
		wrong = append(wrong, fmt.Sprintf("%d tools run unasked, want the one that the rule names", runs))
	}
	return wrong
}

// checkOddTool: no tool of a server runs unasked, and what is denied stays away.
func checkOddTool(t *testing.T, m *meeting) (wrong []string) {
	t.Helper()
	for _, tool := range m.external() {
		if m.allows(t, tool) {
			wrong = append(wrong, resolved(tool)+" runs unasked")
		}
	}
	for _, name := range m.row.Rules.Deny {
		if _, ok := m.pool.Lookup(name); ok {
			wrong = append(wrong, name+" is visible though it is denied")
		}
	}
	return wrong
}

func checkOneShown(_ *testing.T, m *meeting) []string {
	if n := len(m.external()); n != 1 {
		return []string{fmt.Sprintf("%d tools of servers are shown, want 1", n)}
	}
	return nil
}

func checkNoneShown(_ *testing.T, m *meeting) []string {
	if n := len(m.external()); n != 0 {
		return []string{fmt.Sprintf("%d tools of servers are shown, want none", n)}
	}
	return nil
}

// checkLongName: names are as short as providers need them, each stands for one
// tool, and a deny rule on the long name hides it.
func checkLongName(t *testing.T, m *meeting) (wrong []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, tool := range m.external() {
		name := tool.Info().Name
		if len(name) > 64 || seen[name] {
			wrong = append(wrong, name+" is too long or not unique")
		}
		seen[name] = true
	}
	for _, s := range m.row.Servers {
		for _, tool := range s.Tools {
			p, err := m.session.Permissions().WithRules(policy.RuleSet{Deny: []string{"mcp__" + s.Name + "__" + tool.Name}})
			require.NoError(t, err)
			require.NoError(t, m.session.SetPermissions(p))
		}
	}
	m.pool = m.registry.AssemblePool(m.session, pegboard.PoolConfig{})
	for _, tool := range m.external() {
		wrong = append(wrong, resolved(tool)+" is visible though its full name is denied")
	}
	return wrong
}

// checkPromptText: nothing that a model reads or a person is shown is invisible
// or turns the direction of the text.
func checkPromptText(_ *testing.T, m *meeting) (wrong []string) {
	for d := range m.pool.Declarations(pegboard.External) {
		if at := strings.IndexFunc(d.Description+string(d.InputSchema), func(r rune) bool { return unicode.In(r, unicode.Cf) }); at >= 0 {
			wrong = append(wrong, fmt.Sprintf("%s has an invisible character: %q", d.Name, d.Description))
		}
	}
	return wrong
}
