package genkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/firebase/genkit/go/ai"
	framework "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/genkit"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestLoop has a model call tools that exist, in a wrong way, that are denied, that panic, and that
// are not there.
func TestLoop(t *testing.T) {
	t.Parallel()
	s := &script{messages: [][]*ai.Part{{
		call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": "one"}`), call("3", "Drop", ``), call("4", "Gone", `{}`), call("5", "Fall", `{}`),
	}}}
	fall := pegboard.BuildFunc("Fall", "Falls.", func(context.Context, struct{}) (string, error) { panic("fallen") })
	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add", "Fall")}), add, answering("Drop", pegboard.TextResult("dropped")), fall)
	response, err := generate(t.Context(), tools, s)
	require.NoError(t, err)
	require.Equal(t, "done", response.Text())
	require.Len(t, s.tools, 3)
	require.Equal(t, "Add", s.tools[0].Name)
	require.Equal(t, "Adds two numbers.", s.tools[0].Description)
	sent, err := json.Marshal(s.tools[0].InputSchema)
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"], "additionalProperties": false}`, string(sent))
	results := s.results()
	require.Len(t, results, 5)
	require.Equal(t, "3", results[0])
	require.Contains(t, results[1], `missing required property "b"`)
	require.Contains(t, results[2], "Drop was denied")
	require.Contains(t, results[3], "Gone")
	require.Contains(t, results[4], "Fall")
	for i, p := range s.read[2].Content {
		require.Equal(t, strconv.Itoa(i+1), p.ToolResponse.Ref)
	}
	require.Len(t, response.History(), 4, "the question, the calls, their results and the answer")
}

// TestOrder: each of 200 messages writes a file and reads it.
func TestOrder(t *testing.T) {
	t.Parallel()
	session := newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Edit(/**)")})
	tools := newTools(t, session, files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
	wrong := 0
	for conversation := range 10 { // a long one takes genkit long: it notes all of it with each request
		s := &script{}
		for n := range 20 {
			s.messages = append(s.messages, []*ai.Part{
				call(id(2*n), "Write", fmt.Sprintf(`{"file_path": "f", "content": "message %d %d."}`, conversation, n)),
				call(id(2*n+1), "Read", `{"file_path": "f"}`),
			})
		}
		_, err := generate(t.Context(), tools, s)
		require.NoError(t, err)
		results := s.results()
		require.Len(t, results, 40)
		for n := range s.messages {
			if !strings.Contains(results[2*n+1], fmt.Sprintf("message %d %d.", conversation, n)) {
				wrong++
			}
		}
	}
	require.Zero(t, wrong)
}

// TestAgentsBesideEachOther: three agents of one conversation increment a number in a file.
func TestAgentsBesideEachOther(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "number")
	require.NoError(t, os.WriteFile(file, []byte("0"), 0o600))
	increment := pegboard.Build(pegboard.Definition[struct{}, int]{
		Info: pegboard.Info{Name: "Increment"}, Description: "Increments the number.",
		Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{policy.Writes(file)}},
		Call: func(context.Context, struct{}, *pegboard.Call) (int, error) {
			text, err := os.ReadFile(file)
			if err != nil {
				return 0, err
			}
			n, err := strconv.Atoi(string(text))
			if err != nil {
				return 0, err
			}
			return n + 1, os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600)
		},
	})
	main := newSession(t, pegboard.SessionConfig{Dir: filepath.Dir(file), Permissions: allowing(t, "Increment")})
	var agents sync.WaitGroup
	for range 3 {
		fork, err := main.Fork(pegboard.SessionConfig{})
		require.NoError(t, err)
		tools := newTools(t, fork, increment)
		s := &script{}
		for n := range 10 { // the ids of the three are the same
			s.messages = append(s.messages, []*ai.Part{call(id(2*n), "Increment", `{}`), call(id(2*n+1), "Increment", `{}`)})
		}
		agents.Go(func() {
			if _, err := generate(t.Context(), tools, s); err != nil {
				t.Error(err)
			}
		})
	}
	agents.Wait()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "60", string(text))
}

// TestStop: an outcome ends the turn, whoever says so.
func TestStop(t *testing.T) {
	t.Parallel()
	stopping := answering("Stop", &pegboard.Result{StopTurn: true, Parts: []pegboard.Part{{Text: "enough"}}})
	tests := map[string]struct {
		calls []*ai.Part
		cfg   pegboard.SessionConfig
		want  []string
	}{
		"the tool": {calls: []*ai.Part{call("1", "Stop", `{}`), call("2", "Add", `{"a": 1, "b": 2}`)}, want: []string{"enough", "3"}},
		"a hook": {
			calls: []*ai.Part{call("1", "Add", `{"a": 1, "b": 2}`)}, want: []string{"3"},
			cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ context.Context, outcomes []pegboard.Outcome) error {
				outcomes[0].StopTurn = true
				return nil
			}}},
		},
		"a budget": {
			calls: []*ai.Part{call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": 2, "b": 2}`)}, want: []string{"3", "Add was not run"},
			cfg: pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Calls: 1, Per: pegboard.PerTurn}}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{messages: [][]*ai.Part{tt.calls}}
			tt.cfg.Permissions = allowing(t, "Add", "Stop")
			_, err := generate(t.Context(), newTools(t, newSession(t, tt.cfg), add, stopping), s)
			var stop *genkit.StopError
			require.ErrorAs(t, err, &stop)
			require.Equal(t, 1, s.asked, "the model was not asked again")
			require.Len(t, stop.Outcomes, len(tt.calls))
			require.Equal(t, ai.RoleTool, stop.History[2].Role)
			results := resultsIn(stop.History)
			require.Len(t, results, len(tt.want))
			for i, want := range tt.want {
				require.True(t, strings.HasPrefix(results[i], want), results[i])
			}
		})
	}
}

// TestContent: what the model reads of a result that is more than a text.
func TestContent(t *testing.T) {
	t.Parallel()
	picture := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")
	show := answering("Show", &pegboard.Result{
		Parts: []pegboard.Part{{Text: "a point"}, {MIME: "image/png", Data: picture}}, Messages: []pegboard.Part{{Text: "Look at it."}},
	})
	find := answering("Find", &pegboard.Result{Parts: []pegboard.Part{{Title: "One", Source: "https://example.com", Text: "first"}, {Tool: "Add"}}})
	s := &script{messages: [][]*ai.Part{{call("1", "Show", ``), call("2", "Find", ``)}}}
	_, err := generate(t.Context(), newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Show", "Find")}), show, find), s)
	require.NoError(t, err)
	require.Equal(t, []string{"a point", "Title: One\nSource: https://example.com\nfirst\nThe tool Add was found; it can be called."}, s.results())
	content := s.read[2].Content[0].ToolResponse.Content
	require.Len(t, content, 1)
	require.Equal(t, "image/png", content[0].ContentType)
	require.True(t, strings.HasPrefix(content[0].Text, "data:image/png;base64,iVBOR"))
	require.Equal(t, ai.RoleUser, s.read[3].Role)
	require.Equal(t, "Look at it.", s.read[3].Text())
}

// TestPlaces: the other ways in which genkit generates have the tools, too.
func TestPlaces(t *testing.T) {
	t.Parallel()
	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add")}), add)
	messages := [][]*ai.Part{{call("", "Add", `{"a": 1, "b": 2}`)}}
	g := genkitOnce()

	s := &script{messages: messages}
	response, err := framework.DefinePrompt(g, "sum", ai.WithPrompt("go"), ai.WithModel(s.define())).Execute(t.Context(), ai.WithMiddleware(tools.Middleware))
	require.NoError(t, err)
	require.Equal(t, "done", response.Text())
	require.Equal(t, []string{"3"}, s.results())

	s = &script{messages: messages, answer: `{"a": 3, "b": 4}`}
	data, _, err := framework.GenerateData[addInput](t.Context(), g, ai.WithPrompt("go"), ai.WithModel(s.define()), ai.WithMiddleware(tools.Middleware))
	require.NoError(t, err)
	require.Equal(t, addInput{3, 4}, *data)
	require.Equal(t, []string{"3"}, s.results())

	s = &script{messages: messages}
	var roles []ai.Role
	_, err = generate(t.Context(), tools, s, ai.WithStreaming(func(_ context.Context, c *ai.ModelResponseChunk) error {
		roles = append(roles, c.Role)
		require.Equal(t, len(roles)-1, c.Index)
		return nil
	}))
	require.NoError(t, err)
	require.Equal(t, []ai.Role{ai.RoleModel, ai.RoleTool, ai.RoleModel}, roles)
}

// TestRetries: a middleware after ours is called for each request, and calls are not repeated.
func TestRetries(t *testing.T) {
	t.Parallel()
	calls, requests := 0, 0
	count := pegboard.BuildFunc("Count", "Counts.", func(context.Context, struct{}) (int, error) { calls++; return calls, nil })
	again := func(next ai.ModelFunc) ai.ModelFunc {
		return func(ctx context.Context, r *ai.ModelRequest, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			if requests++; requests == 2 { // as if the answer had not arrived
				requests++
				if _, err := next(ctx, r, stream); err != nil {
					return nil, err
				}
			}
			return next(ctx, r, stream)
		}
	}
	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Count")}), count)
	s := &script{messages: [][]*ai.Part{{call("1", "Count", ``)}}}
	_, err := framework.Generate(t.Context(), genkitOnce(), ai.WithModel(s.define()), ai.WithPrompt("go"), ai.WithMiddleware(tools.Middleware, again))
	require.NoError(t, err)
	require.Equal(t, 3, requests)
	require.Equal(t, 3, s.asked)
	require.Equal(t, 1, calls)
}

// TestMisuse: nothing runs, and the error says why.
func TestMisuse(t *testing.T) {
	t.Parallel()
	_, err := genkit.New(nil, nil)
	require.ErrorIs(t, err, genkit.ErrNoPool)
	_, err = genkit.New(new(pegboard.Executor), new(pegboard.Pool))
	require.ErrorIs(t, err, genkit.ErrNoPool)
	s := &script{messages: [][]*ai.Part{{call("1", "Add", `{}`)}}}
	_, err = generate(t.Context(), new(genkit.Tools), s)
	require.ErrorIs(t, err, genkit.ErrNoPool)

	tools := newTools(t, newSession(t, pegboard.SessionConfig{Permissions: allowing(t, "Add")}), add)
	other := ai.NewTool("other", "Another.", func(*ai.ToolContext, struct{}) (string, error) { return "", nil })
	_, err = generate(t.Context(), tools, s, ai.WithTools(other))
	require.ErrorIs(t, err, genkit.ErrOtherTools)
	require.Zero(t, s.asked)

	broken := errors.New("broken")
	respond := tools.Middleware(func(context.Context, *ai.ModelRequest, ai.ModelStreamCallback) (*ai.ModelResponse, error) {
		return nil, broken
	})
	_, err = respond(t.Context(), &ai.ModelRequest{}, nil)
	require.ErrorIs(t, err, broken)
	odd := &ai.ModelResponse{Message: ai.NewModelMessage(ai.NewToolRequestPart(&ai.ToolRequest{Name: "Add", Input: func() {}}))}
	ctx, cancel := context.WithCancelCause(t.Context())
	respond = tools.Middleware(func(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
		if len(r.Messages) > 0 {
			require.Contains(t, resultsIn(r.Messages)[0], "Add was not run")
			cancel(broken)
		}
		return odd, nil
	})
	_, err = respond(ctx, &ai.ModelRequest{}, nil)
	require.ErrorIs(t, err, broken)
}
