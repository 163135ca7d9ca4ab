//lint:file-ignore SA1019 a client of today may send what the newest version of the protocol deprecates
package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	open := func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		return nil, nil, nil
	}
	tests := []struct {
		name    string
		options serve.Options
		want    string
	}{
		{name: "nothing", want: "Options.Open is required"},
		{name: "negative time", options: serve.Options{Open: open, Answer: -time.Second}, want: "Options.Answer is -1s; use 0 for 10m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := serve.New(tt.options)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestStdio serves a client in a process of its own.
func TestStdio(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{modern, older, "2024-11-05"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env, cmd.Stderr = append(os.Environ(), programVariable+"=stdio"), os.Stderr
			session, err := client("c", filling("Ann")).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
			require.NoError(t, err)
			require.Equal(t, "This is a simple text response for testing.", text(t, callTool(t, session, "test_simple_text", `{}`)))
			require.Equal(t, `state-ok: accept {"name":"Ann"}`, text(t, callTool(t, session, "test_input_required_result_elicitation", `{}`)))
			require.NoError(t, session.Close())
			require.True(t, cmd.ProcessState.Success(), "it ends by itself when its input ends")
		})
	}
}

// TestServeEndsWithItsContext ends the context while a call runs.
func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{modern, older} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			running := make(chan struct{})
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
				writer("Put", func(ctx context.Context, _ *pegboard.Call) (string, error) {
					close(running)
					<-ctx.Done()
					return "", ctx.Err()
				}))
			near, far := net.Pipe()
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Connect(ctx, far) }()
			session, err := client("c", nil).Connect(t.Context(), over(near), &mcp.ClientSessionOptions{ProtocolVersion: protocol})
			require.NoError(t, err)
			go func() { _, _ = session.CallTool(context.Background(), &mcp.CallToolParams{Name: "Put"}) }()
			<-running
			cause := fmt.Errorf("the host ends")
			cancel(cause)
			require.ErrorIs(t, <-ended, cause)
			opened, closed := s.counts()
			require.Equal(t, []int{1, 1}, []int{opened, closed})
		})
	}
}

// TestClosedServer refuses clients that come after Close.
func TestClosedServer(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, nil, constant("Put"))
	require.NoError(t, s.Close(t.Context()))
	_, far := net.Pipe()
	require.ErrorIs(t, s.Connect(t.Context(), far), pegboard.ErrClosed)
	session := connectHTTP(t, s.Server, client("c", nil), modern)
	_, err := session.ListTools(t.Context(), nil)
	require.ErrorContains(t, err, "cannot open a session")
	require.NoError(t, s.Close(t.Context()))
	s.Refresh()
}

// TestAsk asks the same client twice about the same call, on all ways.
func TestAsk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		asked person // nil if the client cannot be asked
		texts []string
		runs  int
		asks  int // how often the person is asked in both calls
	}{
		{name: "allow once", asked: answering("Allow once"), texts: []string{"written", "written"}, runs: 2, asks: 2},
		{name: "deny", asked: answering("Deny"), texts: []string{"", ""}, asks: 2},
		{
			name: "deny with a reason", texts: []string{"not on a Friday", "not on a Friday"}, asks: 2,
			asked: func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Deny", "reason": "not on a Friday"}}, nil
			},
		},
		{name: "remember", asked: answerLast, texts: []string{"written", "written"}, runs: 2, asks: 1},
		{name: "cannot be asked", texts: []string{"nobody", "nobody"}},
		{
			name: "decline", texts: []string{"declined", "declined"}, asks: 2,
			asked: func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: "decline"}, nil },
		},
		{
			name: "cancel", texts: []string{"nobody", "nobody"}, asks: 2,
			asked: func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: "cancel"}, nil },
		},
	}
	for _, tt := range tests {
		for _, way := range ways {
			t.Run(tt.name+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				var runs, asks atomic.Int64
				asked := tt.asked
				if asked != nil {
					asked = func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) { asks.Add(1); return tt.asked(p) }
				}
				s := served(t, serve.Options{Identify: oneClient}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "written", nil }))
				session := way.connect(t, s.Server, client("c", asked), way.protocol)
				for _, want := range tt.texts {
					r := callTool(t, session, "Put", `{"value":"x"}`)
					require.Contains(t, text(t, r), want)
					require.Equal(t, tt.runs == 0, r.IsError)
				}
				require.EqualValues(t, tt.runs, runs.Load())
				require.EqualValues(t, tt.asks, asks.Load())
			})
		}
	}
}

// oneClient says that all requests without a session come from one client.
func oneClient(*http.Request) string { return "the only one" }

// answerLast gives the last of the answers that a question offers.
func answerLast(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	all := answersOf(p)
	return answering(all[len(all)-1])(p)
}

// answersOf returns the answers that a question offers.
func answersOf(p *mcp.ElicitParams) (all []string) {
	schema, _ := p.RequestedSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	answer, _ := properties["answer"].(map[string]any)
	list, _ := answer["enum"].([]any)
	for _, text := range list {
		all = append(all, fmt.Sprint(text))
	}
	return all
}

// TestAskShowsTheQuestion reads what a person is shown.
func TestAskShowsTheQuestion(t *testing.T) {
	t.Parallel()
	var shown *mcp.ElicitParams
	s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	session := connect(t, s.Server, client("c", func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) { shown = p; return answering("Allow once")(p) }), modern)
	require.False(t, callTool(t, session, "Put", `{}`).IsError)
	require.Equal(t, []string{"Allow once", "Deny", "Allow, and from now on: allow Put in session"}, answersOf(shown))
	require.True(t, strings.HasPrefix(shown.Message, "Allow this call?\nPut"), shown.Message)
	require.Contains(t, shown.Message, "do something unknown")
	require.Contains(t, shown.Message, "Reason: ")
}

// TestAskTakesNothingElseForConsent gives answers that were not offered. The SDK's client
// checks answers, so the requests are made by hand. The question is asked again.
func TestAskTakesNothingElseForConsent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		response mcp.InputResponseMap
	}{
		{name: "no response"},
		{name: "another request", response: mcp.InputResponseMap{"other": accepted("Allow once")}},
		{name: "no answer", response: mcp.InputResponseMap{"permission": &mcp.ElicitResult{Action: "accept"}}},
		{name: "not offered", response: mcp.InputResponseMap{"permission": accepted("allow")}},
		{name: "no text", response: mcp.InputResponseMap{"permission": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": true}}}},
		{name: "unknown action", response: mcp.InputResponseMap{"permission": &mcp.ElicitResult{Action: "allow", Content: map[string]any{"answer": "Allow once"}}}},
		{name: "of another kind", response: mcp.InputResponseMap{"permission": &mcp.ListRootsResult{Roots: []*mcp.Root{}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "written", nil }))
			session := connect(t, s.Server, byHand("c"), modern)
			first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
			require.NoError(t, err)
			require.True(t, first.NeedsInput())
			again, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: first.RequestState, InputResponses: tt.response})
			require.NoError(t, err)
			require.True(t, again.NeedsInput())
			require.Equal(t, first.RequestState, again.RequestState)
			require.Zero(t, runs.Load())
			done, err := session.CallTool(t.Context(), comesBack(first, "Allow once"))
			require.NoError(t, err)
			require.Equal(t, "written", text(t, done))
			require.EqualValues(t, 1, runs.Load())
		})
	}
}

// TestAskNeedsItsState brings the answer with the first request, before anything was asked.
func TestAskNeedsItsState(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	session := connect(t, s.Server, byHand("c"), modern)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", InputResponses: mcp.InputResponseMap{"permission": accepted("Allow once")}})
	require.NoError(t, err)
	require.True(t, r.NeedsInput())
}

// TestAskSurvivesAFailingClient denies when the client's own code fails.
func TestAskSurvivesAFailingClient(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	session := connect(t, s.Server, client("c", func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, errors.New("no screen") }), older)
	require.True(t, callTool(t, session, "Put", `{}`).IsError)
}

// TestAskOutsideOfACall abstains and declines: there is no client to ask.
func TestAskOutsideOfACall(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, nil)
	d, err := s.Ask(t.Context(), &pegboard.Question{})
	require.NoError(t, err)
	require.Equal(t, policy.Undecided, d.Behavior)
	filled, err := s.Elicit(t.Context(), &pegboard.Elicitation{Message: "?", URL: "https://example.com"})
	require.NoError(t, err)
	require.Equal(t, pegboard.ElicitDecline, filled.Action)
}
