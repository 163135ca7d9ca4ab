package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestNestedAgentsOutlastTheProgram: an agent that another agent has started may do no more in a
// later program, where the main session is its caller: it is as deep as it was, works in the same
// directory, and may start the same types of agents.
func TestNestedAgentsOutlastTheProgram(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(project, "sub"), 0o700))
	var h *house
	var seen []string
	var deep, disallowed error
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		switch a.Name {
		case "anna":
			_, err := h.agents.Start(ctx, a.Session, agents.Request{Name: "bert", Prompt: "Do it."})
			return agents.Reply{Text: "Done."}, err
		case "bert":
			seen = append(seen, a.Session.Dir())
			_, disallowed = h.agents.Start(ctx, a.Session, agents.Request{Type: "looker", Prompt: "Look."})
			_, deep = h.agents.Start(ctx, a.Session, agents.Request{Prompt: "Do it.", Name: "carl"})
		case "carl":
			_, err := h.agents.Start(ctx, a.Session, agents.Request{Prompt: "Do it."})
			return agents.Reply{Text: "Done."}, err
		}
		return agents.Reply{Text: "Done."}, a.Append(json.RawMessage(`"Done."`))
	}
	open := func() {
		h = newHouse(t, pegboard.SessionConfig{Dir: project}, loop, func(o *agents.Options) {
			o.Dir = dir
			definitions := o.Definitions
			o.Definitions = func(s *pegboard.Session) []agents.Definition {
				return append(definitions(s), agents.Definition{Name: "boss", Description: "Leads.", DisallowedTools: []string{"Agent(looker)"}})
			}
		}, look())
		h.agents.Notifications(h.session)
	}
	open()
	require.NoError(t, h.call(t, map[string]any{"name": "anna", "subagent_type": "boss", "cwd": "sub"}).Err)
	for range 2 {
		require.ErrorIs(t, disallowed, agents.ErrUnknownType)
		require.ErrorIs(t, deep, agents.ErrTooDeep)
		require.NoError(t, h.session.Close(t.Context()))
		deep, disallowed = nil, nil
		open()
		require.NoError(t, h.sendMessage(t, "bert").Err)
	}
	sub := filepath.Join(project, "sub")
	require.Equal(t, []string{sub, sub, sub}, seen)
}

// TestAgentsOfWorktreesEndWithThem: an agent does not go on in the checkout when the agent that has
// started it has worked in a worktree.
func TestAgentsOfWorktreesEndWithThem(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), newCheckout(t)
	var h *house
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		if a.Name == "anna" {
			if _, err := h.agents.Start(ctx, a.Session, agents.Request{Name: "bert", Prompt: "Do it."}); err != nil {
				return agents.Reply{}, err
			}
		}
		return agents.Reply{Text: "Done."}, a.Append(json.RawMessage(`"Done."`))
	}
	open := func() {
		h = newHouse(t, pegboard.SessionConfig{Dir: c.dir}, loop, func(o *agents.Options) {
			o.Dir, o.BaseRef = dir, "head"
			o.Definitions = func(*pegboard.Session) []agents.Definition {
				return []agents.Definition{{Name: "general-purpose", Description: "Any."}, {Name: "apart", Description: "Apart.", Worktree: true}}
			}
		}, look())
		h.agents.Notifications(h.session)
	}
	open()
	require.NoError(t, h.call(t, map[string]any{"name": "anna", "subagent_type": "apart"}).Err)
	for range 2 {
		out := h.sendMessage(t, "bert")
		require.ErrorIs(t, out.Err, agents.ErrNotResumed)
		require.NoError(t, h.session.Close(t.Context()))
		open()
	}
}
