package mcp_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// followed returns what a pattern finds in the result of a call that has succeeded.
func followed(t *testing.T, out pegboard.Outcome, pattern string) string {
	t.Helper()
	require.NoError(t, out.Err)
	found := regexp.MustCompile(pattern).FindStringSubmatch(out.Result.Text())
	require.Len(t, found, 2, out.Result.Text())
	return found[1]
}

// TestAdviceOfResultsIsFollowed does what results tell the model: it reads the resource that a
// link names and one of a list, and stops a call that goes on in the background.
func TestAdviceOfResultsIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := slowServer()
		slow := own.setup
		own.setup = func(s *sdk.Server) {
			slow(s)
			addTool(s, "link", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "notes://one", Name: "one"}}}, nil
			})
			s.AddResource(&sdk.Resource{URI: "notes://one", Name: "one"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "the first note"}}}, nil
			})
		}
		w := newWorld(t, pegboard.SessionConfig{}, mcp.Options{}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.registry.Add(append(w.servers.Tools(), shell.TaskStop())...))
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())
		read := func(input string) {
			out := w.run("ReadMcpResource", input)
			require.NoError(t, out.Err)
			require.Len(t, out.Result.Parts, 1)
			require.Equal(t, "the first note", out.Result.Parts[0].Text)
		}

		read(followed(t, w.run("mcp__own__link", `{}`), `Read it with ReadMcpResource: (\{.*\})\)$`))

		var listed []mcp.Resource
		list := w.run("ListMcpResources", `{}`)
		require.NoError(t, json.Unmarshal([]byte(followed(t, list, `(?s)^(.*)$`)), &listed))
		require.Len(t, listed, 1)
		input, err := json.Marshal(mcp.ReadResourceInput{Server: listed[0].Server, URI: listed[0].URI})
		require.NoError(t, err)
		read(string(input))

		id := followed(t, w.run("mcp__own__slow", `{"Minutes":10}`), `Task id: (\S+)`)
		require.NoError(t, w.run("TaskStop", `{"task_id":"`+id+`"}`).Err)
		task, ok := background.Of(w.session).Get(id)
		require.True(t, ok)
		require.Equal(t, background.Killed, task.State)
	})
}
