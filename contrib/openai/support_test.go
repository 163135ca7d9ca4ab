package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardopenai "github.com/seed49eaa51d/pegboard/contrib/openai"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func dial(t *testing.T, h http.Handler) sdk.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithAPIKey("k"), option.WithBaseURL(server.URL), option.WithMaxRetries(0))
}

// A loop is one of a program's own. It sends what the user says, and returns the last text of the
// model, or "" if an outcome ended the turn.
type loop func(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) (string, error)

func viaResponses(stream, previous bool) loop {
	return func(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) (string, error) {
		input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage("Go.", responses.EasyInputMessageRoleUser)}
		params := responses.ResponseNewParams{Model: "m", Tools: pegboardopenai.ResponseTools(p)}
		for {
			params.Input.OfInputItemList = input
			response, err := respond(ctx, client, params, stream)
			if err != nil {
				return "", err
			}
			turn, err := pegboardopenai.RunResponse(ctx, e, p, response)
			if err != nil {
				return "", err
			}
			if turn.Done {
				return response.OutputText(), nil
			}
			if input = slices.Concat(input, turn.History, turn.Results); previous {
				input, params.PreviousResponseID = turn.Results, sdk.String(response.ID)
			}
		}
	}
}

func respond(ctx context.Context, client sdk.Client, params responses.ResponseNewParams, stream bool) (*responses.Response, error) {
	if !stream {
		return client.Responses.New(ctx, params)
	}
	s := client.Responses.NewStreaming(ctx, params)
	defer s.Close()
	var last responses.Response
	for s.Next() {
		if e := s.Current(); e.Type == "response.completed" {
			last = e.Response
		}
	}
	return &last, s.Err()
}

func viaChat(stream bool) loop {
	return func(ctx context.Context, client sdk.Client, e *pegboard.Executor, p *pegboard.Pool) (string, error) {
		params := sdk.ChatCompletionNewParams{Model: "m", Tools: pegboardopenai.ChatTools(p), Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("Go.")}}
		for {
			completion, err := complete(ctx, client, params, stream)
			if err != nil {
				return "", err
			}
			turn, err := pegboardopenai.RunChat(ctx, e, p, completion)
			if err != nil {
				return "", err
			}
			if turn.Done {
				return completion.Choices[0].Message.Content, nil
			}
			params.Messages = slices.Concat(params.Messages, turn.History, turn.Results)
		}
	}
}

func complete(ctx context.Context, client sdk.Client, params sdk.ChatCompletionNewParams, stream bool) (*sdk.ChatCompletion, error) {
	if !stream {
		return client.Chat.Completions.New(ctx, params)
	}
	s := client.Chat.Completions.NewStreaming(ctx, params)
	defer s.Close()
	var all sdk.ChatCompletionAccumulator
	for s.Next() {
		all.AddChunk(s.Current())
	}
	return &all.ChatCompletion, s.Err()
}

// everyWay calls test with each loop.
func everyWay(t *testing.T, test func(t *testing.T, run loop)) {
	t.Helper()
	for name, run := range map[string]loop{
		"responses": viaResponses(false, false), "responses streamed": viaResponses(true, false), "responses continued": viaResponses(false, true),
		"chat": viaChat(false), "chat streamed": viaChat(true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, run)
		})
	}
}

// An agentService is a fake session of an agent. It makes all calls of its model at once, then
// waits for their results.
type agentService struct {
	calls []pegboard.Call

	mu      sync.Mutex
	outputs []string // by the ids of calls
	changed chan struct{}
	over    bool // cancelled
}

func newAgentService(calls ...pegboard.Call) *agentService {
	return &agentService{calls: calls, changed: make(chan struct{}, 2*len(calls)+1)}
}

// ServeHTTP implements [http.Handler].
func (s *agentService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		s.take(w, r)
	case strings.HasSuffix(r.URL.Path, "/events"):
		s.stream(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"s","status":"idle"}`))
	}
}

func (s *agentService) take(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Events []struct {
			Type    string
			CallID  string `json:"call_id"`
			Success bool
			Output  json.RawMessage
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range body.Events {
		switch e.Type {
		case "agent.session.input.tool_result":
			s.outputs = append(s.outputs, fmt.Sprint(e.CallID, " ", e.Success, " ", string(e.Output)))
		case "agent.session.input.cancel":
			s.over = true
		}
	}
	s.changed <- struct{}{}
	w.WriteHeader(http.StatusNoContent)
}

func (s *agentService) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	n := 0
	send := func(kind, more string) {
		n++
		_, _ = fmt.Fprintf(w, "data: {\"type\":\"agent.session.%s\",\"event_id\":\"%d\",\"turn_id\":\"t\",%s}\n\n", kind, n, more)
		_ = http.NewResponseController(w).Flush()
	}
	send("turn.created", `"turn":{"id":"t","session_id":"s","subagent_id":null}`)
	for i, c := range s.calls {
		arguments, _ := json.Marshal(string(c.Input))
		send("turn.item.added", fmt.Sprintf(`"item":{"id":"i%d","type":"function_call","turn_id":"t","call_id":"c%d","name":%q,"arguments":%s,"status":"in_progress"}`, i, i, c.Name, arguments))
	}
	how := "completed"
	for len(s.results()) < len(s.calls) {
		select {
		case <-s.changed:
		case <-r.Context().Done():
			return
		}
		if s.cancelled() {
			how = "cancelled"
			break
		}
	}
	send("turn."+how, fmt.Sprintf(`"turn":{"id":"t","session_id":"s","subagent_id":null,"status":%q}`, how))
	send("idle", `"session":{"id":"s","status":"idle"}`)
}

func (s *agentService) results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs
}

func (s *agentService) cancelled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

func newSession(t *testing.T, cfg pegboard.SessionConfig, allow ...string) *pegboard.Session {
	t.Helper()
	cfg.Dir = t.TempDir()
	var err error
	cfg.Permissions, err = policy.New(policy.ModeDefault, policy.RuleSet{Allow: allow})
	require.NoError(t, err)
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	s.NewTurn()
	return s
}

func poolOf(t *testing.T, s *pegboard.Session, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

func call(name, format string, args ...any) pegboard.Call {
	return pegboard.Call{Name: name, Input: json.RawMessage(fmt.Sprintf(format, args...))}
}

// reads returns a turn of these calls, after which the model reads texts that hold these.
func reads(calls []pegboard.Call, want ...string) tooltest.Turn {
	return tooltest.Turn{Calls: calls, Expect: func(outcomes []pegboard.Outcome) error {
		for i, o := range outcomes {
			if !strings.Contains(o.Result.Text(), want[i]) {
				return fmt.Errorf("the model reads %q, want %q", o.Result.Text(), want[i])
			}
		}
		return nil
	}}
}

type said struct {
	Text string `json:"text" jsonschema_description:"What to say."`
}

// tools returns one that reads nothing but its input, one that needs a rule and one that ends the turn.
func tools() []pegboard.Tool {
	return []pegboard.Tool{
		pegboard.Build(pegboard.Definition[said, string]{
			Info: pegboard.Info{Name: "Double"}, Description: "Says a text twice.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(_ context.Context, in said, _ *pegboard.Call) (string, error) { return in.Text + in.Text, nil },
		}),
		pegboard.BuildFunc("Wipe", "Wipes the disk.", func(context.Context, struct{}) (string, error) { return "wiped", nil }),
		pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
			Info: pegboard.Info{Name: "Enough"}, Description: "Ends the turn.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
				return &pegboard.Result{Parts: []pegboard.Part{{Text: "bye"}}, StopTurn: true}, nil
			},
		}),
	}
}
