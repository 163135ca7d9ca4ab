package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// recording is what a server has been sent.
type recording struct {
	mu     sync.Mutex
	bodies map[string][][]byte // by the name of the provider
}

func (r *recording) note(name string, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bodies == nil {
		r.bodies = map[string][][]byte{}
	}
	r.bodies[name] = append(r.bodies[name], body)
}

// requests returns the requests to one provider, by their members.
func (r *recording) requests(t *testing.T, name string) (all []map[string]json.RawMessage) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.bodies[name] {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(body, &members))
		all = append(all, members)
	}
	return all
}

// start serves all providers for one test.
func start(t *testing.T) (*server, *recording) {
	t.Helper()
	seen := &recording{}
	s, err := serve(providers(), seen.note)
	require.NoError(t, err)
	t.Cleanup(s.stop)
	return s, seen
}

// harbour returns the pool of the example.
func harbour(t *testing.T) *pegboard.Pool {
	t.Helper()
	var registry pegboard.Registry
	require.NoError(t, addTools(&registry))
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	return registry.AssemblePool(session, pegboard.PoolConfig{})
}

// happened is what became of a call, without its id: not every provider has one.
type happened struct {
	name, input, result string
	failed              bool
}

func TestConversation(t *testing.T) {
	t.Parallel()
	want := []happened{
		{name: "Tide", input: `{"port":"Tromsø","days":1}`, result: "Tromsø: high water at 13:04, 2.7 m"},
		{
			name: "Ferry", input: `{"from":"Tromsø","to":"Atlantis"}`,
			result: "no ferry goes from Tromsø to Atlantis; ask for Skjervøy", failed: true,
		},
	}
	s, seen := start(t)
	for _, p := range providers() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			outcomes, err := talk(t.Context(), io.Discard, p, s.endpoint(p))
			require.NoError(t, err)
			var got []happened
			for _, o := range outcomes {
				got = append(got, happened{o.Call.Name, string(o.Call.Input), o.Result.Text(), o.Result.IsError})
			}
			require.Equal(t, want, got)

			requests := seen.requests(t, p.name)
			require.Len(t, requests, 2)
			for _, request := range requests {
				require.Equal(t, string(p.codec(harbour(t)).Tools()), string(request["tools"]), "byte for byte")
			}
			// The server refuses a history whose calls are not answered in order, so
			// what is left is that the first request is the beginning of the second.
			first, second := elements(t, requests[0][p.history]), elements(t, requests[1][p.history])
			require.Greater(t, len(second), len(first)+1)
			require.Equal(t, first, second[:len(first)])
		})
	}
}

// elements returns the bytes of each element of an array.
func elements(t *testing.T, array json.RawMessage) (texts []string) {
	t.Helper()
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal(array, &all))
	for _, raw := range all {
		texts = append(texts, string(raw))
	}
	return texts
}

// TestMissingResults leaves out the results. The local server refuses that as the
// real ones do, and each SDK says so in its own type, past our bytes.
func TestMissingResults(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	for _, p := range providers() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			send, err := p.dial(t.Context(), s.endpoint(p))
			require.NoError(t, err)
			codec := p.codec(harbour(t))
			history := codec.User(pegboard.Part{Text: question})
			message, err := ask(t.Context(), codec, send, history, ignore)
			require.NoError(t, err)
			require.Len(t, message.Calls, 2)
			_, err = ask(t.Context(), codec, send, append(history, message.History...), ignore)
			require.ErrorContains(t, err, "are followed by the results []")
			switch p.name {
			case "anthropic":
				var typed *anthropicsdk.Error
				require.ErrorAs(t, err, &typed)
			case "gemini":
				var typed genai.APIError
				require.ErrorAs(t, err, &typed)
			default:
				var typed *openai.Error
				require.ErrorAs(t, err, &typed)
			}
		})
	}
}

func ignore(wire.Event) {}

// TestRun is the command without flags: four conversations that differ in nothing
// but the thinking that a provider shows.
func TestRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, providers(), false))
	conversations := strings.Split(strings.TrimSpace(out.String()), "\n\n")
	require.Len(t, conversations, 4)
	for i, text := range conversations {
		lines := strings.SplitAfter(text+"\n", "\n")
		require.Contains(t, lines[0], providers()[i].title)
		shown := ""
		for _, line := range lines[1:] {
			if !strings.HasPrefix(line, "  thinking ") {
				shown += line
			}
		}
		require.Equal(t, conversation, shown)
	}
}

const conversation = `  user      When is high water in Tromsø today, and is there a ferry from there to Atlantis?
  text      I ask for the tide and the ferry at once.
  call      Tide {"port":"Tromsø","days":1}
  call      Ferry {"from":"Tromsø","to":"Atlantis"}
  result    Tide: Tromsø: high water at 13:04, 2.7 m
  failed    Ferry: no ferry goes from Tromsø to Atlantis; ask for Skjervøy
  text      High water at 13:04; no ferry goes to Atlantis.
`

func TestLiveNeedsAKey(t *testing.T) {
	for _, p := range providers() {
		t.Setenv(p.keyEnv, "")
	}
	require.ErrorContains(t, run(t.Context(), io.Discard, providers(), true), "needs a key")
}

// TestAnswersThatAreNoReply takes pages with success past the SDKs, which do not look
// into them.
func TestAnswersThatAreNoReply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, text string
		retry            bool
	}{
		{name: "empty", text: "the answer is empty (200)", retry: true},
		{name: "page", body: "<html>Log in</html>", text: `the answer is no reply, but text/html (200): "<html>Log in</html>"`},
	}
	for _, p := range providers() {
		for _, tc := range tests {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					_, _ = io.WriteString(w, tc.body)
				}))
				defer gateway.Close()
				send, err := p.dial(t.Context(), endpoint{address: gateway.URL + "/", key: "fixture", model: "fixture"})
				require.NoError(t, err)
				_, err = ask(t.Context(), p.codec(harbour(t)), send, nil, ignore)
				var typed *wire.APIError
				require.ErrorAs(t, err, &typed)
				require.Equal(t, tc.text, err.Error())
				_, retry := wire.Retryable(err)
				require.Equal(t, tc.retry, retry)
			})
		}
	}
}
