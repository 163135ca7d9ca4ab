package acp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
)

// TestSDKClient has the client of the protocol's own SDK start an agent: edits that are
// allowed, refused and cancelled, calls that are cancelled, modes and errors.
func TestSDKClient(t *testing.T) {
	t.Parallel()
	args := reference.Args(t, reference.ACP) // node and the SDK
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(file, []byte("one\nfour\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), args[0], filepath.Join("testdata", "client.mjs"), args[1], dir, self)
	cmd.Env = append(os.Environ(), programVariable+"=agent")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)

	var seen struct {
		Updates    []update          `json:"updates"`
		Asked      []permission      `json:"asked"`
		Withdrawn  int               `json:"withdrawn"`
		Stops      map[string]string `json:"stops"`
		Errors     map[string]int    `json:"errors"`
		Initialize struct {
			Version int `json:"protocolVersion"`
			Agent   struct {
				Name string `json:"name"`
			} `json:"agentInfo"`
		} `json:"initialize"`
		Session struct {
			Modes struct {
				Current string `json:"currentModeId"`
			} `json:"modes"`
		} `json:"session"`
		Closed map[string]any `json:"closed"`
		Exit   int            `json:"exit"`
	}
	require.NoError(t, json.Unmarshal(out, &seen), "%s", out)
	require.Equal(t, 1, seen.Initialize.Version)
	require.Equal(t, "script", seen.Initialize.Agent.Name)
	require.Equal(t, "default", seen.Session.Modes.Current)
	require.Equal(t, map[string]string{
		"edit": "end_turn", "edit and be refused": "end_turn", "edit and be cancelled": "cancelled", "wait": "cancelled", "wait again": "cancelled", "edit without a question": "end_turn",
	}, seen.Stops)
	require.Equal(t, map[string]int{"unknown session": -32002, "unknown mode": -32602, "unknown method": -32601}, seen.Errors)
	require.NotNil(t, seen.Closed)
	require.Zero(t, seen.Exit)

	require.Len(t, seen.Asked, 3)
	diff := func(before, after string) any {
		return map[string]any{"type": "diff", "path": file, "oldText": before, "newText": after}
	}
	require.Contains(t, seen.Asked[0].Call.Content, diff("one\nfour\n", "oone\nfoour\n"))
	require.Contains(t, seen.Asked[1].Call.Content, diff("oone\nfoour\n", "oooone\nfoooour\n"))
	ends := map[string]int{}
	var diffs []any
	for _, u := range seen.Updates {
		if u.Status == "completed" || u.Status == "failed" {
			ends[u.Status]++
			if content, ok := u.Content.([]any); ok && u.Status == "completed" && len(u.Locations) > 0 {
				diffs = append(diffs, content[len(content)-1])
			}
		}
	}
	require.Equal(t, map[string]int{"completed": 6, "failed": 4}, ends, "reads and two edits; a refusal and three cancellations")
	require.Equal(t, []any{diff("one\nfour\n", "oone\nfoour\n"), diff("oone\nfoour\n", "oooone\nfoooour\n")}, diffs)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "oooone\nfoooour\n", string(text))
}
