package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

func mcpGoClient(tb testing.TB, opts []server.ServerOption, tools ...server.ServerTool) *client.Client {
	ctx := context.Background()
	s := server.NewMCPServer("s", "1", append([]server.ServerOption{server.WithToolCapabilities(true)}, opts...)...)
	s.AddTools(tools...)
	c, err := client.NewInProcessClient(s)
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.Start(ctx); err != nil {
		tb.Fatal(err)
	}
	var init mcp.InitializeRequest
	init.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	init.Params.ClientInfo = mcp.Implementation{Name: "c", Version: "1"}
	if _, err := c.Initialize(ctx, init); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

func mcpGoTool(name string, fn func(context.Context, harness.Input) (string, error)) server.ServerTool {
	return server.ServerTool{
		Tool: mcp.NewTool(name, mcp.WithDescription(description), mcp.WithInputSchema[harness.Input]()),
		Handler: mcp.NewTypedToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, in harness.Input) (*mcp.CallToolResult, error) {
			s, err := fn(ctx, in)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(s), nil
		}),
	}
}

func mcpGoStandard() []server.ServerTool {
	return []server.ServerTool{
		mcpGoTool("noop", func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }),
		mcpGoTool("boom", func(context.Context, harness.Input) (string, error) { panic("boom") }),
		mcpGoTool("echo", func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }),
		mcpGoTool("fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }),
	}
}

func mcpGoCall(c *client.Client) harness.Call {
	return func(ctx context.Context, name string, args []byte) (string, error) {
		var req mcp.CallToolRequest
		req.Params.Name = name
		req.Params.Arguments = json.RawMessage(args)
		res, err := c.CallTool(ctx, req)
		if err != nil {
			return "", err
		}
		text := ""
		for _, c := range res.Content {
			if t, ok := c.(mcp.TextContent); ok {
				text += t.Text
			}
		}
		if res.IsError {
			return "", &harness.ToolError{Text: text}
		}
		return text, nil
	}
}

func mcpGoCases() []harness.Case {
	validate := []server.ServerOption{server.WithInputSchemaValidation(), server.WithRecovery()}
	many := func(n int) []server.ServerTool {
		tools := make([]server.ServerTool, n)
		for i := range tools {
			tools[i] = mcpGoTool(toolName(i), func(context.Context, harness.Input) (string, error) { return "ok", nil })
		}
		return tools
	}
	batch := func(opts []server.ServerOption) func(testing.TB, int, *harness.Gauge) func(context.Context) error {
		return func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
			call := mcpGoCall(mcpGoClient(tb, opts, mcpGoTool("sleep", func(_ context.Context, in harness.Input) (string, error) { return g.SleepTool(in), nil })))
			return func(ctx context.Context) error {
				return harness.FanOut(n, func(i int) error {
					_, err := call(ctx, "sleep", []byte(harness.ArgsAt(i)))
					return err
				})
			}
		}
	}
	return []harness.Case{
		{
			Name: "mcp-mcpgo", Validates: "JSON types only (the default)", Path: "client CallTool through the in-process transport",
			Lacks:    "schema check, permission, hooks, recovery from panics",
			NewOne:   func(tb testing.TB) harness.Call { return mcpGoCall(mcpGoClient(tb, nil, mcpGoStandard()...)) },
			NewBatch: batch(nil),
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				c := mcpGoClient(tb, nil, many(n)...)
				return func(ctx context.Context) (int, error) {
					res, err := c.ListTools(ctx, mcp.ListToolsRequest{})
					if err != nil {
						return 0, err
					}
					if len(res.Tools) != n {
						return 0, fmt.Errorf("listed %d tools", len(res.Tools))
					}
					return n * 200, nil // not measured: the bytes stay inside
				}
			},
		},
		{
			Name: "mcp-mcpgo-validate", Validates: "full JSON schema (santhosh-tekuri v6), WithInputSchemaValidation, WithRecovery", Path: "as mcp-mcpgo",
			Lacks:    "permission, hooks",
			NewOne:   func(tb testing.TB) harness.Call { return mcpGoCall(mcpGoClient(tb, validate, mcpGoStandard()...)) },
			NewBatch: batch(validate),
		},
		{
			Name: "mcp-mcpgo-marshal", Validates: "-", Path: "json.Marshal of []mcp.Tool (raw schemas)",
			Lacks: "the transport; nothing of the encoding",
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				var defs []mcp.Tool
				for _, t := range many(n) {
					defs = append(defs, t.Tool)
				}
				return func(context.Context) (int, error) {
					b, err := json.Marshal(defs)
					return len(b), err
				}
			},
		},
	}
}
