package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/xeipuuv/gojsonschema"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// genkit lives in a module of its own: genkit/go v1.4.0 needs
// invopop/jsonschema v0.13 (through dotprompt) and anthropic-sdk-go v1.84.0
// needs v0.14, and neither builds with the other's.

func cases() []harness.Case { return slices.Concat(floorCases(), genkitCases()) }

func BenchmarkPeers(b *testing.B) { harness.Bench(b, cases()) }

func TestBehaviour(t *testing.T) { harness.Behaviour(t, cases()) }

func TestDescribe(t *testing.T) { harness.Describe(t, cases()) }

// TestPanic runs the case named by PEER with a panicking tool.
func TestPanic(t *testing.T) { harness.Panic(t, cases(), os.Getenv("PEER")) }

const description = "Lists the files under a path, at most limit of them."

func define(g *genkit.Genkit, name string, fn func(context.Context, harness.Input) (string, error)) ai.Tool {
	return genkit.DefineTool(g, name, description, func(ctx *ai.ToolContext, in harness.Input) (string, error) { return fn(ctx, in) })
}

func standard(g *genkit.Genkit) []ai.ToolRef {
	return []ai.ToolRef{
		define(g, "noop", func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }),
		define(g, "boom", func(context.Context, harness.Input) (string, error) { panic("boom") }),
		define(g, "echo", func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }),
		define(g, "fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }),
	}
}

// fakeModel plays the model: it answers with calls until the request has tool
// results, then ends the turn; last keeps the final request.
type fakeModel struct {
	calls []*ai.Part
	last  *ai.ModelRequest
}

func (m *fakeModel) define(g *genkit.Genkit) ai.Model {
	return genkit.DefineModel(g, "fake/model", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true, SystemRole: true}},
		func(_ context.Context, req *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			m.last = req
			if req.Messages[len(req.Messages)-1].Role == ai.RoleTool {
				return &ai.ModelResponse{Request: req, Message: ai.NewModelTextMessage("done")}, nil
			}
			return &ai.ModelResponse{Request: req, Message: ai.NewModelMessage(m.calls...)}, nil
		})
}

func toolCalls(n int, name string, args func(i int) string) []*ai.Part {
	parts := make([]*ai.Part, n)
	for i := range parts {
		var v any // a model plugin decodes the arguments on the wire like this
		if err := json.Unmarshal([]byte(args(i)), &v); err != nil {
			return nil
		}
		parts[i] = ai.NewToolRequestPart(&ai.ToolRequest{Name: name, Ref: fmt.Sprintf("call_%d", i), Input: v})
	}
	return parts
}

func (m *fakeModel) results() []string {
	var got []string
	for _, msg := range m.last.Messages {
		for _, p := range msg.Content {
			if p.IsToolResponse() {
				got = append(got, fmt.Sprint(p.ToolResponse.Output))
			}
		}
	}
	return got
}

func genkitCases() []harness.Case {
	generate := func(ctx context.Context, g *genkit.Genkit, model ai.Model, tools []ai.ToolRef) error {
		_, err := genkit.Generate(ctx, g, ai.WithModel(model), ai.WithPrompt("go"), ai.WithTools(tools...))
		return err
	}
	return []harness.Case{
		{
			Name: "genkit-tool", Validates: "input and output, full JSON schema (xeipuuv/gojsonschema), compiled on every call", Path: "json.Unmarshal to any, Tool.RunRaw (marshal, action, OTel span, marshal, unmarshal)",
			Lacks: "permission, hooks, order of a batch",
			NewOne: func(tb testing.TB) harness.Call {
				g := genkit.Init(context.Background())
				byName := map[string]ai.Tool{}
				for _, t := range standard(g) {
					byName[t.Name()] = t.(ai.Tool)
				}
				return func(ctx context.Context, name string, args []byte) (string, error) {
					t, ok := byName[name]
					if !ok {
						return "", errors.New("(not the library's business here)")
					}
					var v any
					if err := json.Unmarshal(args, &v); err != nil {
						return "", err
					}
					out, err := t.RunRaw(ctx, v)
					return fmt.Sprint(out), err
				}
			},
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				g := genkit.Init(context.Background())
				tools := make([]ai.Tool, n)
				for i := range tools {
					tools[i] = define(g, fmt.Sprintf("tool_%03d", i), func(context.Context, harness.Input) (string, error) { return "ok", nil })
				}
				return func(context.Context) (int, error) {
					defs := make([]*ai.ToolDefinition, n)
					for i, t := range tools {
						defs[i] = t.Definition()
					}
					b, err := json.Marshal(defs)
					return len(b), err
				}
			},
		},
		{
			Name: "genkit-generate", Validates: "as genkit-tool", Path: "genkit.Generate with a fake in-process model, 2 turns",
			Lacks: "permission, hooks, limit, order of results, recovery from panics",
			NewOne: func(tb testing.TB) harness.Call {
				g := genkit.Init(context.Background())
				m := &fakeModel{}
				model, tools := m.define(g), standard(g)
				return func(ctx context.Context, name string, args []byte) (string, error) {
					m.calls = toolCalls(1, name, func(int) string { return string(args) })
					if m.calls == nil {
						return "", errors.New("(the model plugin's business)")
					}
					if err := generate(ctx, g, model, tools); err != nil {
						return "", err
					}
					return m.results()[0], nil
				}
			},
			NewBatch: func(tb testing.TB, n int, gauge *harness.Gauge) func(context.Context) error {
				g := genkit.Init(context.Background())
				m := &fakeModel{calls: toolCalls(n, "sleep", harness.ArgsAt)}
				model := m.define(g)
				tools := []ai.ToolRef{define(g, "sleep", func(_ context.Context, in harness.Input) (string, error) { return gauge.SleepTool(in), nil })}
				return func(ctx context.Context) error { return generate(ctx, g, model, tools) }
			},
			NewOrder: func(tb testing.TB, delays []time.Duration) func(context.Context) ([]string, error) {
				g := genkit.Init(context.Background())
				m := &fakeModel{calls: toolCalls(len(delays), "delay", func(i int) string { return fmt.Sprintf(`{"path":"x","limit":%d,"recursive":true}`, i) })}
				model := m.define(g)
				tools := []ai.ToolRef{define(g, "delay", func(_ context.Context, in harness.Input) (string, error) {
					time.Sleep(delays[in.Limit])
					return fmt.Sprint(in.Limit), nil
				})}
				return func(ctx context.Context) ([]string, error) {
					err := generate(ctx, g, model, tools)
					return m.results(), err
				}
			},
		},
	}
}

// floorCases: gojsonschema, as genkit uses it and compiled once.
func floorCases() []harness.Case {
	return []harness.Case{
		{
			Name: "floor-unmarshal-genkit", Validates: "JSON types only", Path: "no library, in the process with genkit",
			NewOne: func(testing.TB) harness.Call {
				return func(_ context.Context, _ string, args []byte) (string, error) {
					var in harness.Input
					if err := json.Unmarshal(args, &in); err != nil {
						return "", err
					}
					return harness.NoOp(in), nil
				}
			},
		},
		{
			Name: "floor-gojsonschema-compiled", Validates: "xeipuuv, compiled once", Path: "no library: decode any, Validate, decode typed",
			NewOne: func(tb testing.TB) harness.Call {
				s, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader([]byte(harness.Schema)))
				if err != nil {
					tb.Fatal(err)
				}
				return func(_ context.Context, _ string, args []byte) (string, error) {
					res, err := s.Validate(gojsonschema.NewBytesLoader(args))
					if err != nil {
						return "", err
					}
					if !res.Valid() {
						return "", &harness.ToolError{Text: fmt.Sprint(res.Errors())}
					}
					var in harness.Input
					if err := json.Unmarshal(args, &in); err != nil {
						return "", err
					}
					return harness.NoOp(in), nil
				}
			},
		},
	}
}
