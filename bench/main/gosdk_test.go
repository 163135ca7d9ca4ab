package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// goSDKSession connects a client to a server whose tools are set by add, over
// in-memory transports (a net.Pipe; every message is encoded and decoded).
func goSDKSession(tb testing.TB, add func(s *mcp.Server)) *mcp.ClientSession {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	add(server)
	ct, st := mcp.NewInMemoryTransports()
	ss, err := server.Connect(ctx, st, nil)
	if err != nil {
		tb.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, ct, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { cs.Close(); ss.Wait() })
	return cs
}

func goSDKText(fn func(context.Context, harness.Input) (string, error)) mcp.ToolHandlerFor[harness.Input, any] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in harness.Input) (*mcp.CallToolResult, any, error) {
		s, err := fn(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}, nil, nil
	}
}

func goSDKStandard(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "noop", Description: description}, goSDKText(func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }))
	mcp.AddTool(s, &mcp.Tool{Name: "boom", Description: description}, goSDKText(func(context.Context, harness.Input) (string, error) { panic("boom") }))
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: description}, goSDKText(func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }))
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: description}, goSDKText(func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }))
}

func goSDKCall(cs *mcp.ClientSession) harness.Call {
	return func(ctx context.Context, name string, args []byte) (string, error) {
		res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
		if err != nil {
			return "", err
		}
		text := ""
		for _, c := range res.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				text += t.Text
			}
		}
		if res.IsError {
			return "", &harness.ToolError{Text: text}
		}
		return text, nil
	}
}

func goSDKCases() []harness.Case {
	many := func(n int) func(s *mcp.Server) {
		return func(s *mcp.Server) {
			for i := range n {
				mcp.AddTool(s, &mcp.Tool{Name: toolName(i), Description: description}, goSDKText(func(context.Context, harness.Input) (string, error) { return "ok", nil }))
			}
		}
	}
	return []harness.Case{
		{
			Name: "mcp-gosdk", Validates: "full JSON schema (google/jsonschema-go), defaults applied", Path: "client CallTool to server over in-memory net.Pipe (JSON-RPC both ways)",
			Lacks:  "permission, hooks, recovery from panics",
			NewOne: func(tb testing.TB) harness.Call { return goSDKCall(goSDKSession(tb, goSDKStandard)) },
			NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
				call := goSDKCall(goSDKSession(tb, func(s *mcp.Server) {
					mcp.AddTool(s, &mcp.Tool{Name: "sleep"}, goSDKText(func(_ context.Context, in harness.Input) (string, error) { return g.SleepTool(in), nil }))
				}))
				return func(ctx context.Context) error {
					return harness.FanOut(n, func(i int) error {
						_, err := call(ctx, "sleep", []byte(harness.ArgsAt(i)))
						return err
					})
				}
			},
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				cs := goSDKSession(tb, many(n))
				return func(ctx context.Context) (int, error) {
					res, err := cs.ListTools(ctx, nil)
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
			Name: "mcp-gosdk-lowlevel", Validates: "nothing (Server.AddTool; user's own json.Unmarshal)", Path: "as mcp-gosdk",
			Lacks: "decode, schema check, permission, hooks, recovery from panics",
			NewOne: func(tb testing.TB) harness.Call {
				return goSDKCall(goSDKSession(tb, func(s *mcp.Server) {
					s.AddTool(&mcp.Tool{Name: "noop", InputSchema: json.RawMessage(harness.Schema)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						var in harness.Input
						if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
							return nil, err
						}
						return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: harness.NoOp(in)}}}, nil
					})
				}))
			},
		},
		{
			Name: "mcp-gosdk-marshal", Validates: "-", Path: "json.Marshal of the listed []*mcp.Tool (schemas as maps)",
			Lacks: "the transport; nothing of the encoding",
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				res, err := goSDKSession(tb, many(n)).ListTools(context.Background(), nil)
				if err != nil {
					tb.Fatal(err)
				}
				return func(context.Context) (int, error) {
					b, err := json.Marshal(res.Tools)
					return len(b), err
				}
			},
		},
	}
}
