package agents_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestListHasTheLastThatEnded, also where all are on disk: there the others can still go on.
func TestListHasTheLastThatEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, reads(new(story)), func(o *agents.Options) { o.Dir = t.TempDir() }, look())
	first := ""
	for i := range 260 {
		r, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "n" + strconv.Itoa(i)})
		require.NoError(t, err)
		if i == 0 {
			first = r.AgentID
		}
	}
	list := h.agents.List(h.session)
	require.Len(t, list, 256)
	require.Equal(t, []string{"n4", "n259"}, []string{list[0].Name, list[255].Name})
	require.NoError(t, h.sendMessage(t, first).Err)
}
