package genkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/firebase/genkit/go/ai"
	framework "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/genkit"
	"github.com/seed49eaa51d/pegboard/policy"
)

var (
	genkitOnce = sync.OnceValue(func() *framework.Genkit { return framework.Init(context.Background()) })
	models     atomic.Int64
)

// A script is a model that says its messages one after the other, and then an answer.
type script struct {
	messages [][]*ai.Part
	answer   string // default: done

	mu    sync.Mutex
	asked int
	tools []*ai.ToolDefinition
	read  []*ai.Message // the last request
}

// define returns the model.
func (s *script) define() ai.Model {
	name := fmt.Sprint("script/", models.Add(1))
	return framework.DefineModel(genkitOnce(), name, &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true, SystemRole: true, Media: true}}, s.reply)
}

func (s *script) reply(ctx context.Context, r *ai.ModelRequest, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.tools, s.read = r.Tools, r.Messages
	said := 0
	for _, m := range r.Messages {
		if m.Role == ai.RoleModel {
			said++
		}
	}
	m := ai.NewModelTextMessage("done")
	if s.answer != "" {
		m = ai.NewModelTextMessage(s.answer)
	}
	if said < len(s.messages) {
		m = ai.NewModelMessage(s.messages[said]...)
	}
	if stream != nil {
		if err := stream(ctx, &ai.ModelResponseChunk{Content: m.Content}); err != nil {
			return nil, err
		}
	}
	return &ai.ModelResponse{Request: r, Message: m, FinishReason: ai.FinishReasonStop}, nil
}

// results returns what the model has read of its calls.
func (s *script) results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return resultsIn(s.read)
}

func resultsIn(history []*ai.Message) (texts []string) {
	for _, m := range history {
		for _, p := range m.Content {
			if p.IsToolResponse() {
				texts = append(texts, fmt.Sprint(p.ToolResponse.Output))
			}
		}
	}
	return texts
}

// call returns a call as the plugins of providers make it.
func call(id, name, input string) *ai.Part {
	r := &ai.ToolRequest{Ref: id, Name: name}
	if err := json.NewDecoder(strings.NewReader(input)).Decode(&r.Input); err != nil && input != "" {
		panic(err)
	}
	return ai.NewToolRequestPart(r)
}

// generate holds a conversation with tools.
func generate(ctx context.Context, tools *genkit.Tools, s *script, more ...ai.GenerateOption) (*ai.ModelResponse, error) {
	options := append([]ai.GenerateOption{ai.WithModel(s.define()), ai.WithPrompt("go"), ai.WithMiddleware(tools.Middleware)}, more...)
	return framework.Generate(ctx, genkitOnce(), options...)
}

func allowing(t testing.TB, rules ...string) policy.Permissions {
	t.Helper()
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: rules})
	require.NoError(t, err)
	return p
}

func newSession(t testing.TB, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.WithoutCancel(t.Context()))) })
	return s
}

// newTools returns tools for a session.
func newTools(t testing.TB, s *pegboard.Session, tools ...pegboard.Tool) *genkit.Tools {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	made, err := genkit.New(&pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}, r.AssemblePool(s, pegboard.PoolConfig{}))
	require.NoError(t, err)
	return made
}

type addInput struct {
	A int `json:"a"`
	B int `json:"b"`
}

var add = pegboard.BuildFunc("Add", "Adds two numbers.", func(_ context.Context, in addInput) (int, error) { return in.A + in.B, nil })

// answering returns a tool that answers with a result.
func answering(name string, r *pegboard.Result) pegboard.Tool {
	return pegboard.BuildFunc(name, "Answers.", func(context.Context, struct{}) (*pegboard.Result, error) { return r, nil })
}

func id(n int) string { return fmt.Sprint("call ", n) }
