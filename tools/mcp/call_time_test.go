package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// slowServer has tools that take their time: the input says how many minutes, and after how
// many each they report progress.
func slowServer() *ownServer {
	return &ownServer{setup: func(s *sdk.Server) {
		addTool(s, "slow", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Minutes, Every float64 }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			end := time.Now().Add(time.Duration(in.Minutes * float64(time.Minute)))
			for step := 1.0; time.Now().Before(end); step++ {
				pause := time.Until(end)
				if in.Every > 0 {
					pause = min(pause, time.Duration(in.Every*float64(time.Minute)))
				}
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				if in.Every > 0 {
					_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: step})
				}
			}
			return answer("done"), nil
		})
	}}
}

// TestLimitsOfTime runs calls against the limits of Options and of the configuration.
func TestLimitsOfTime(t *testing.T) {
	tests := []struct {
		name    string
		options mcp.Options
		timeout time.Duration // of the configuration
		kind    mcpjson.Type
		input   string
		want    time.Duration
		err     error // nil: the call succeeds
	}{
		{name: "a process may be silent for 30 minutes", input: `{"Minutes":29}`, want: 29 * time.Minute},
		{name: "a process is silent for longer", input: `{"Minutes":31}`, want: 30 * time.Minute, err: mcp.ErrIdle},
		{name: "a remote server may be silent for 5 minutes", kind: mcpjson.HTTP, input: `{"Minutes":4}`, want: 4 * time.Minute},
		{name: "a remote server is silent for longer", kind: mcpjson.HTTP, input: `{"Minutes":31}`, want: 5 * time.Minute, err: mcp.ErrIdle},
		{name: "progress begins the time anew", input: `{"Minutes":120,"Every":20}`, want: 120 * time.Minute},
		{name: "no limit of silence", options: mcp.Options{Idle: -1}, input: `{"Minutes":1000}`, want: 1000 * time.Minute},
		{name: "another limit of silence", options: mcp.Options{Idle: time.Minute}, input: `{"Minutes":2}`, want: time.Minute, err: mcp.ErrIdle},
		{name: "progress does not move the limit of the configuration", timeout: time.Hour, input: `{"Minutes":120,"Every":20}`, want: time.Hour, err: mcp.ErrCallTimeout},
		{name: "nor that of Options", options: mcp.Options{Call: time.Hour}, input: `{"Minutes":120,"Every":20}`, want: time.Hour, err: mcp.ErrCallTimeout},
		{name: "the configuration wins", options: mcp.Options{Call: time.Minute}, timeout: time.Hour, input: `{"Minutes":20}`, want: 20 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.options.Background = -1
				config := mcpjson.Server{Name: "own", Type: mcpjson.Stdio, Timeout: tt.timeout}
				if tt.kind != "" {
					config.Type = tt.kind
				}
				w := newWorld(t, pegboard.SessionConfig{}, tt.options, map[string]*ownServer{"own": slowServer()}, config)
				defer w.close()
				require.NoError(t, w.servers.Ready(t.Context()))
				w.servers.Sync(t.Context())
				began := time.Now()
				out := w.run("mcp__own__slow", tt.input)
				require.Equal(t, tt.want, time.Since(began))
				if tt.err == nil {
					require.NoError(t, out.Err)
					require.Equal(t, "done", out.Result.Text())
					return
				}
				require.ErrorIs(t, out.Err, tt.err)
				require.Contains(t, out.Result.Text(), `"own"`)
				require.Equal(t, mcp.Ready, w.servers.States()[0].Status, "the server goes on")
			})
		})
	}
}

// TestClockStandsStillWhileAFormIsFilled has a user take longer than the limit of silence.
func TestClockStandsStillWhileAFormIsFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &ownServer{setup: func(s *sdk.Server) {
			addTool(s, "ask", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if len(r.Params.InputResponses) == 0 {
					return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}}}, nil
				}
				filled, ok := r.Params.InputResponses["who"].(*sdk.ElicitResult)
				if !ok {
					return nil, errRefused
				}
				return answer(fmt.Sprint(filled.Action, " ", filled.Content["name"])), nil
			})
		}}
		cfg := pegboard.SessionConfig{Elicit: func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
			time.Sleep(10 * time.Hour)
			return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"name":"Ada"}`)}, nil
		}}
		w := newWorld(t, cfg, mcp.Options{Idle: time.Minute, Background: -1}, map[string]*ownServer{"own": own}, stdioServer("own"))
		defer w.close()
		require.NoError(t, w.servers.Ready(t.Context()))
		w.servers.Sync(t.Context())
		out := w.run("mcp__own__ask", `{}`)
		require.NoError(t, out.Err)
		require.Equal(t, "accept Ada", out.Result.Text())
	})
}

// TestBackground moves slow calls to the background, and reads what becomes of them.
func TestBackground(t *testing.T) {
	tests := []struct {
		name        string
		options     mcp.Options
		role        pegboard.Role
		interactive *bool
		input       string
		moved       bool
		state       background.State
	}{
		{name: "a quick call ends in the foreground", input: `{"Minutes":1}`},
		{name: "a slow call moves after two minutes", input: `{"Minutes":10}`, moved: true, state: background.Completed},
		{name: "another time", options: mcp.Options{Background: 5 * time.Minute}, input: `{"Minutes":10}`, moved: true, state: background.Completed},
		{name: "never", options: mcp.Options{Background: -1}, input: `{"Minutes":10}`},
		{name: "a sub-agent waits", role: pegboard.RoleSubAgent, input: `{"Minutes":10}`},
		{name: "nobody follows the conversation", interactive: new(bool), input: `{"Minutes":10}`},
		{name: "a task that is silent for too long fails", options: mcp.Options{Idle: 3 * time.Minute}, input: `{"Minutes":10}`, moved: true, state: background.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, pegboard.SessionConfig{}, tt.options, map[string]*ownServer{"own": slowServer()}, stdioServer("own"))
				defer w.close()
				if tt.interactive != nil {
					pegboard.KeyInteractive.Set(w.session, *tt.interactive)
				}
				require.NoError(t, w.servers.Ready(t.Context()))
				w.servers.Sync(t.Context())
				s := w.session
				if tt.role != pegboard.RoleMain {
					var err error
					s, err = w.session.Fork(pegboard.SessionConfig{Role: tt.role, AgentID: "a"})
					require.NoError(t, err)
				}
				out := w.runIn(t.Context(), s, "mcp__own__slow", tt.input)
				require.NoError(t, out.Err)
				tasks := background.Of(w.session)
				if !tt.moved {
					require.Equal(t, "done", out.Result.Text())
					require.Empty(t, tasks.List())
					return
				}
				require.Contains(t, out.Result.Text(), "in the background")
				require.Len(t, tasks.List(), 1)
				task, err := tasks.Wait(t.Context(), tasks.List()[0].ID)
				require.NoError(t, err)
				require.Equal(t, "mcp", task.Kind)
				require.Equal(t, tt.state, task.State, task.Err)
				if tt.state == background.Completed {
					text, err := tasks.Output(task.ID)
					require.NoError(t, err)
					require.Equal(t, "done", text)
				}
			})
		})
	}
}
