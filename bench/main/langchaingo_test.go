package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// lcTool is the code that a user must write: langchaingo has no typed tools, so
// the user decodes the input string.
type lcTool struct {
	name string
	fn   func(context.Context, harness.Input) (string, error)
}

func (t lcTool) Name() string        { return t.name }
func (t lcTool) Description() string { return description }
func (t lcTool) Call(ctx context.Context, input string) (string, error) {
	var in harness.Input
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		return "", err
	}
	return t.fn(ctx, in)
}

// lcAgent plays the model: it asks for the given actions once, then finishes.
type lcAgent struct {
	tools   []tools.Tool
	actions []schema.AgentAction
	steps   []schema.AgentStep
}

func (a *lcAgent) Plan(_ context.Context, steps []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	if len(steps) < len(a.actions) {
		return a.actions, nil, nil
	}
	a.steps = steps
	return nil, &schema.AgentFinish{ReturnValues: map[string]any{"output": "done"}}, nil
}
func (a *lcAgent) GetInputKeys() []string     { return []string{"input"} }
func (a *lcAgent) GetOutputKeys() []string    { return []string{"output"} }
func (a *lcAgent) GetTools() []tools.Tool     { return a.tools }
func (a *lcAgent) executor() *agents.Executor { return agents.NewExecutor(a) }

func lcStandard() []tools.Tool {
	return []tools.Tool{
		lcTool{"noop", func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }},
		lcTool{"boom", func(context.Context, harness.Input) (string, error) { panic("boom") }},
		lcTool{"echo", func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }},
		lcTool{"fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }},
	}
}

func lcActions(n int, name string, args func(i int) string) []schema.AgentAction {
	acts := make([]schema.AgentAction, n)
	for i := range acts {
		acts[i] = schema.AgentAction{Tool: name, ToolInput: args(i), ToolID: fmt.Sprintf("call_%d", i)}
	}
	return acts
}

func langchaingoCases() []harness.Case {
	in := map[string]any{"input": "go"}
	return []harness.Case{{
		Name: "langchaingo-executor", Validates: "nothing (user's own json.Unmarshal)", Path: "agents.Executor.Call with a fake Agent (2 plans)",
		Lacks: "decode, schema check, permission, hooks, calls side by side",
		NewOne: func(tb testing.TB) harness.Call {
			agent := &lcAgent{tools: lcStandard()}
			ex := agent.executor()
			return func(ctx context.Context, name string, args []byte) (string, error) {
				agent.actions = lcActions(1, name, func(int) string { return string(args) })
				if _, err := ex.Call(ctx, in); err != nil {
					return "", err
				}
				return agent.steps[0].Observation, nil
			}
		},
		NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
			agent := &lcAgent{
				tools:   []tools.Tool{lcTool{"sleep", func(_ context.Context, in harness.Input) (string, error) { return g.SleepTool(in), nil }}},
				actions: lcActions(n, "sleep", harness.ArgsAt),
			}
			ex := agent.executor()
			return func(ctx context.Context) error {
				_, err := ex.Call(ctx, in)
				return err
			}
		},
		NewOrder: func(tb testing.TB, delays []time.Duration) func(context.Context) ([]string, error) {
			agent := &lcAgent{
				tools: []tools.Tool{lcTool{"delay", func(_ context.Context, in harness.Input) (string, error) {
					time.Sleep(delays[in.Limit])
					return fmt.Sprint(in.Limit), nil
				}}},
				actions: lcActions(len(delays), "delay", func(i int) string { return fmt.Sprintf(`{"limit":%d}`, i) }),
			}
			ex := agent.executor()
			return func(ctx context.Context) ([]string, error) {
				_, err := ex.Call(ctx, in)
				var got []string
				for _, s := range agent.steps {
					got = append(got, s.Observation)
				}
				return got, err
			}
		},
		NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
			var doc any
			if err := json.Unmarshal([]byte(harness.Schema), &doc); err != nil {
				tb.Fatal(err)
			}
			// There is no schema inference: the user fills Parameters.
			defs := make([]llms.Tool, n)
			for i := range defs {
				defs[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: toolName(i), Description: description, Parameters: doc}}
			}
			return func(context.Context) (int, error) {
				b, err := json.Marshal(defs)
				return len(b), err
			}
		},
	}}
}
