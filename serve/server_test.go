package serve_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
			near, far := mcp.NewInMemoryTransports()
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Serve(ctx, far) }()
			session, err := client("c", nil).Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
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
	_, far := mcp.NewInMemoryTransports()
	require.ErrorIs(t, s.Serve(t.Context(), far), pegboard.ErrClosed)
	session := connectHTTP(t, s.Server, client("c", nil), modern)
	_, err := session.ListTools(t.Context(), nil)
	require.ErrorContains(t, err, "cannot open a session")
	require.NoError(t, s.Close(t.Context()))
	s.Refresh()
}
