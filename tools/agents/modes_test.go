package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestModeOfAgent: a mode can only narrow. A parent in acceptEdits, auto or bypass wins over
// default, and a laxer mode is ignored and told. A stricter one narrows also where the host
// withholds it.
func TestModeOfAgent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                           string
		parent, definition, call, want policy.Mode
		without                        policy.Mode // that the host withholds
		told                           bool
	}{
		{name: "nothing said", parent: "default", want: "default"},
		{name: "a definition narrows", parent: "default", definition: "plan", want: "plan"},
		{name: "a call narrows", parent: "default", call: "dontAsk", want: "dontAsk"},
		{name: "a definition is laxer", parent: "default", definition: "bypassPermissions", want: "default", told: true},
		{name: "a call is laxer", parent: "plan", call: "acceptEdits", want: "plan", told: true},
		{name: "a call does not lift a definition", parent: "default", definition: "plan", call: "default", want: "plan", told: true},
		{name: "a call narrows further", parent: "acceptEdits", definition: "plan", call: "dontAsk", want: "dontAsk"},
		{name: "acceptEdits wins over default", parent: "acceptEdits", definition: "default", want: "acceptEdits"},
		{name: "auto wins over default", parent: "auto", definition: "manual", want: "auto"},
		{name: "bypass wins over default", parent: "bypassPermissions", definition: "default", want: "bypassPermissions"},
		{name: "bypass wins over acceptEdits", parent: "bypassPermissions", definition: "acceptEdits", want: "bypassPermissions"},
		{name: "plan narrows bypass", parent: "bypassPermissions", definition: "plan", want: "plan"},
		{name: "dontAsk narrows auto", parent: "auto", definition: "dontAsk", want: "dontAsk"},
		{name: "plan is withheld", parent: "default", definition: "plan", without: "plan", want: "plan"},
		{name: "plan is withheld under bypass", parent: "bypassPermissions", call: "plan", without: "plan", want: "plan"},
		{name: "dontAsk is withheld", parent: "acceptEdits", definition: "dontAsk", without: "dontAsk", want: "dontAsk"},
		{name: "ask is withheld below plan", parent: "default", definition: "plan", call: "ask", without: "ask", want: "ask"},
		{name: "acceptEdits is withheld", parent: "bypassPermissions", definition: "acceptEdits", without: "acceptEdits", want: "bypassPermissions"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(tc.parent)
			require.NoError(t, err)
			if tc.without != "" {
				perms = perms.Without(tc.without)
			}
			var got policy.Mode
			h := newHouse(t, pegboard.SessionConfig{Permissions: perms}, func(_ context.Context, a *agents.Agent) (agents.Reply, error) {
				got = a.Session.Permissions().Mode()
				return agents.Reply{Text: "done"}, nil
			}, func(o *agents.Options) {
				o.Definitions = func(*pegboard.Session) []agents.Definition {
					return []agents.Definition{{Name: "general-purpose", Description: "x", Mode: tc.definition}}
				}
			}, look())
			result, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Mode: tc.call})
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
			if tc.told {
				require.Len(t, result.Notes, 1)
				require.Contains(t, result.Notes[0], "was ignored: it allows more")
			} else {
				require.Empty(t, result.Notes)
			}
		})
	}
}
