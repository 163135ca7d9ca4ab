package anthropic_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestSessionToolRunner: the SDK's runner for sessions that live at the service calls one tool after
// the other, so the order is right without more.
func TestSessionToolRunner(t *testing.T) {
	t.Parallel()
	const n = 20
	var results []string
	complete := make(chan struct{})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/events/stream"):
			w.Header().Set("Content-Type", "text/event-stream")
			send := func(kind, format string, args ...any) {
				_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,\"processed_at\":\"2026-05-11T12:00:00Z\",%s}\n\n", kind, kind, fmt.Sprintf(format, args...))
				_ = http.NewResponseController(w).Flush()
			}
			const use = "agent.custom_tool_use"
			for i := range n {
				send(use, `"id":"w%d","name":"Write","input":{"file_path":"f","content":"<%d>"}`, i, i)
				send(use, `"id":"r%d","name":"Read","input":{"file_path":"f"}`, i)
			}
			send(use, `"id":"d","name":"Read","input":{"file_path":"/etc/hosts"}`)
			select {
			case <-complete:
			case <-r.Context().Done():
			}
			send("session.status_terminated", `"id":"end"`)
		case r.Method == http.MethodPost:
			var body struct {
				Events []struct {
					ID      string `json:"custom_tool_use_id"`
					IsError bool   `json:"is_error"`
					Content []struct{ Text string }
				}
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			for _, e := range body.Events {
				results = append(results, fmt.Sprint(e.ID, " ", e.IsError, " ", e.Content[0].Text))
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"type":"send_session_events"}`))
			if len(results) == 2*n+1 {
				close(complete)
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"data":[],"has_more":false}`))
		}
	}))
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}, "Edit(/**)"), files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
	runner := s.Beta.Sessions.Events.NewToolRunner(t.Context(), "s", sdk.SessionToolRunnerOptions{
		Tools: pegboardanthropic.Tools(&pegboard.Executor{}, pool), Logger: slog.New(slog.DiscardHandler),
	})
	defer runner.Close()
	for runner.Next() {
	}
	require.ErrorIs(t, runner.Err(), sdk.ErrSessionTerminated)
	for i := range n {
		require.Contains(t, results[2*i], fmt.Sprintf("w%d false ", i))
		require.Contains(t, results[2*i+1], fmt.Sprintf("r%d false ", i))
		require.Contains(t, results[2*i+1], fmt.Sprintf("<%d>", i))
	}
	require.Contains(t, results[2*n], "d true Read was denied: ")
}
