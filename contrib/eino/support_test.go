package eino_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/eino"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A script is a model that says its messages one after the other, and then "done".
type script struct {
	messages [][]schema.ToolCall

	mu    sync.Mutex
	infos []*schema.ToolInfo
	read  []*schema.Message // the last request
}

func (s *script) WithTools(infos []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infos = infos
	return s, nil
}

func (s *script) Generate(_ context.Context, history []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = slices.Clone(history)
	said := 0
	for _, m := range history {
		if m.Role == schema.Assistant {
			said++
		}
	}
	if said < len(s.messages) {
		return schema.AssistantMessage("", s.messages[said]), nil
	}
	return schema.AssistantMessage("done", nil), nil
}

func (s *script) Stream(ctx context.Context, history []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := s.Generate(ctx, history)
	return schema.StreamReaderFromArray([]*schema.Message{m}), err
}

// results returns what the model has read of its calls.
func (s *script) results() (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.read {
		if m.Role == schema.Tool {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

func call(id, name, input string) schema.ToolCall {
	return schema.ToolCall{ID: id, Function: schema.FunctionCall{Name: name, Arguments: input}}
}

// ways are the places of eino that call tools: each runs an agent to its end.
var ways = []struct {
	name string
	run  func(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error)
}{
	{"react", runReact},
	{"react stream", streamReact},
	{"adk", func(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error) {
		return runADK(ctx, tools, s, false)
	}},
	{"adk stream", func(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error) {
		return runADK(ctx, tools, s, true)
	}},
	{"graph", runGraph},
}

var question = []*schema.Message{schema.UserMessage("go")}

func newReact(ctx context.Context, tools *eino.Tools, s *script) (*react.Agent, error) {
	return react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: s, ToolsConfig: tools.NodeConfig(), MaxStep: 1000})
}

func runReact(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error) {
	a, err := newReact(ctx, tools, s)
	if err != nil {
		return nil, err
	}
	return a.Generate(ctx, question, agent.WithComposeOptions(compose.WithCallbacks(eino.Handler())))
}

func streamReact(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error) {
	a, err := newReact(ctx, tools, s)
	if err != nil {
		return nil, err
	}
	out, err := a.Stream(ctx, question, agent.WithComposeOptions(compose.WithCallbacks(eino.Handler(), eino.Handler()))) // one too many
	if err != nil {
		return nil, err
	}
	return schema.ConcatMessageStream(out)
}

func runADK(ctx context.Context, tools *eino.Tools, s *script, streams bool) (*schema.Message, error) {
	a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "agent", Description: "An agent.", Model: s, MaxIterations: 1000,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: tools.NodeConfig()},
	})
	if err != nil {
		return nil, err
	}
	ctx = callbacks.InitCallbacks(ctx, &callbacks.RunInfo{}, eino.Handler())
	events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, EnableStreaming: streams}).Query(ctx, "go")
	var last *schema.Message
	for {
		e, ok := events.Next()
		if !ok {
			return last, nil
		}
		if e.Err != nil {
			return nil, e.Err
		}
		if last, err = e.Output.MessageOutput.GetMessage(); err != nil {
			return nil, err
		}
	}
}

// runGraph is a loop of a program's own.
func runGraph(ctx context.Context, tools *eino.Tools, s *script) (*schema.Message, error) {
	type history struct{ messages []*schema.Message }
	model, err := s.WithTools(tools.Infos())
	if err != nil {
		return nil, err
	}
	g := compose.NewGraph[[]*schema.Message, *schema.Message](compose.WithGenLocalState(func(context.Context) *history { return &history{} }))
	before := func(_ context.Context, in []*schema.Message, h *history) ([]*schema.Message, error) {
		h.messages = append(h.messages, in...)
		return h.messages, nil
	}
	after := func(_ context.Context, out *schema.Message, h *history) (*schema.Message, error) {
		h.messages = append(h.messages, out)
		return out, nil
	}
	next := func(_ context.Context, m *schema.Message) (string, error) {
		if len(m.ToolCalls) == 0 {
			return compose.END, nil
		}
		return "tools", nil
	}
	for _, err := range []error{
		g.AddChatModelNode("model", model, compose.WithStatePreHandler(before), compose.WithStatePostHandler(after)),
		g.AddLambdaNode("tools", compose.InvokableLambda(tools.Run)),
		g.AddEdge(compose.START, "model"),
		g.AddBranch("model", compose.NewGraphBranch(next, map[string]bool{"tools": true, compose.END: true})),
		g.AddEdge("tools", "model"),
	} {
		if err != nil {
			return nil, err
		}
	}
	r, err := g.Compile(ctx, compose.WithMaxRunSteps(1000))
	if err != nil {
		return nil, err
	}
	return r.Invoke(ctx, question)
}

// eachWay runs a test in each place that calls tools.
func eachWay(t *testing.T, test func(t *testing.T, run func(tools *eino.Tools, s *script) (*schema.Message, error))) {
	t.Helper()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			test(t, func(tools *eino.Tools, s *script) (*schema.Message, error) { return way.run(t.Context(), tools, s) })
		})
	}
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
func newTools(t testing.TB, s *pegboard.Session, tools ...pegboard.Tool) *eino.Tools {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	made, err := eino.New(&pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}, r.AssemblePool(s, pegboard.PoolConfig{}))
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
