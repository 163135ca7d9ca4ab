package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

func einoTool(tb testing.TB, name string, fn func(context.Context, harness.Input) (string, error)) tool.InvokableTool {
	t, err := utils.InferTool(name, description, fn)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func einoStandard(tb testing.TB) []tool.BaseTool {
	return []tool.BaseTool{
		einoTool(tb, "noop", func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }),
		einoTool(tb, "boom", func(context.Context, harness.Input) (string, error) { panic("boom") }),
		einoTool(tb, "echo", func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }),
		einoTool(tb, "fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }),
	}
}

func einoNode(tb testing.TB, tools ...tool.BaseTool) *compose.ToolsNode {
	node, err := compose.NewToolNode(context.Background(), &compose.ToolsNodeConfig{Tools: tools})
	if err != nil {
		tb.Fatal(err)
	}
	return node
}

func einoMessage(n int, name string, args func(i int) string) *schema.Message {
	calls := make([]schema.ToolCall, n)
	for i := range calls {
		calls[i] = schema.ToolCall{ID: fmt.Sprintf("call_%d", i), Type: "function", Function: schema.FunctionCall{Name: name, Arguments: args(i)}}
	}
	return schema.AssistantMessage("", calls)
}

func einoCases() []harness.Case {
	return []harness.Case{
		{
			Name: "eino-tool", Validates: "JSON types only (sonic)", Path: "InferTool + InvokableRun, no node",
			Lacks: "schema check, permission, hooks, order of a batch",
			NewOne: func(tb testing.TB) harness.Call {
				byName := map[string]tool.InvokableTool{}
				for _, t := range einoStandard(tb) {
					info, _ := t.Info(context.Background())
					byName[info.Name] = t.(tool.InvokableTool)
				}
				return func(ctx context.Context, name string, args []byte) (string, error) {
					t, ok := byName[name]
					if !ok {
						return "", errors.New("(not the library's business here)")
					}
					return t.InvokableRun(ctx, string(args))
				}
			},
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				tools := make([]tool.InvokableTool, n)
				for i := range tools {
					tools[i] = einoTool(tb, toolName(i), func(_ context.Context, in harness.Input) (string, error) { return "ok", nil })
				}
				type def struct {
					Name        string `json:"name"`
					Description string `json:"description"`
					Parameters  any    `json:"parameters"`
				}
				// What its model adapters do: Info, ToJSONSchema, marshal.
				return func(ctx context.Context) (int, error) {
					defs := make([]def, n)
					for i, t := range tools {
						info, err := t.Info(ctx)
						if err != nil {
							return 0, err
						}
						js, err := info.ParamsOneOf.ToJSONSchema()
						if err != nil {
							return 0, err
						}
						defs[i] = def{info.Name, info.Desc, js}
					}
					b, err := json.Marshal(defs)
					return len(b), err
				}
			},
		},
		{
			Name: "eino-toolsnode", Validates: "JSON types only (sonic)", Path: "ToolsNode.Invoke on a message with one call",
			Lacks: "schema check, permission, hooks, limit",
			NewOne: func(tb testing.TB) harness.Call {
				node := einoNode(tb, einoStandard(tb)...)
				return func(ctx context.Context, name string, args []byte) (string, error) {
					out, err := node.Invoke(ctx, einoMessage(1, name, func(int) string { return string(args) }))
					if err != nil {
						return "", err
					}
					return out[0].Content, nil
				}
			},
			NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
				node := einoNode(tb, einoTool(tb, "sleep", func(_ context.Context, in harness.Input) (string, error) { return g.SleepTool(in), nil }))
				msg := einoMessage(n, "sleep", harness.ArgsAt)
				return func(ctx context.Context) error {
					_, err := node.Invoke(ctx, msg)
					return err
				}
			},
			NewOrder: func(tb testing.TB, delays []time.Duration) func(context.Context) ([]string, error) {
				node := einoNode(tb, einoTool(tb, "delay", func(_ context.Context, in harness.Input) (string, error) {
					time.Sleep(delays[in.Limit])
					return fmt.Sprint(in.Limit), nil
				}))
				msg := einoMessage(len(delays), "delay", func(i int) string { return fmt.Sprintf(`{"limit":%d}`, i) })
				return func(ctx context.Context) ([]string, error) {
					out, err := node.Invoke(ctx, msg)
					var got []string
					for _, m := range out {
						got = append(got, m.Content)
					}
					return got, err
				}
			},
		},
	}
}
