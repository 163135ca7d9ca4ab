package acp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/acp"
)

// TestModesAreThoseThatAreOffered lists the modes, and lets the user and the host change them.
func TestModesAreThoseThatAreOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		permissions pegboard.Permissions
		want        []string
	}{
		{name: "unset", want: []string{"default", "acceptEdits", "plan", "ask", "dontAsk", "deny"}},
		{name: "with bypass, without plan", permissions: pegboard.Permissions{}.WithAvailable(pegboard.ModeBypass).Without(pegboard.ModePlan), want: []string{"default", "acceptEdits", "bypassPermissions", "ask", "dontAsk", "deny"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(t, setup{session: pegboard.SessionConfig{Permissions: tt.permissions}})
			var r struct {
				Modes struct {
					Current   string `json:"currentModeId"`
					Available []struct {
						ID, Name, Description string
					} `json:"availableModes"`
				} `json:"modes"`
			}
			m := e.await(func(m message) bool { return m.Method == "" && string(m.ID) == "2" })
			require.NoError(t, json.Unmarshal(m.Result, &r))
			require.Equal(t, "default", r.Modes.Current)
			var ids []string
			for _, mode := range r.Modes.Available {
				ids = append(ids, mode.ID)
				require.NotEmpty(t, mode.Name)
				require.NotEmpty(t, mode.Description)
			}
			require.Equal(t, tt.want, ids)
		})
	}
}

func TestModeChanges(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: func(_ context.Context, h *host) (acp.StopReason, error) {
		return "", h.session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.AfterPlan(), nil })
	}})
	require.JSONEq(t, `{}`, string(e.ask("session/set_mode", e.session(`,"modeId":"plan"`)).Result))
	require.Equal(t, pegboard.ModePlan, e.h.session.Permissions().Mode())
	require.Empty(t, e.updates(), "the editor knows what the user has chosen")
	require.Equal(t, acp.StopEndTurn, e.stops("leave the mode"))
	require.Equal(t, acp.StopEndTurn, e.stops("again"))
	changes := e.updates()
	require.Len(t, changes, 1)
	require.Equal(t, "default", changes[0].Mode)
}
