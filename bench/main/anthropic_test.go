package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/toolrunner"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

func anTool(tb testing.TB, name string, fn func(context.Context, harness.Input) (string, error)) anthropic.BetaTool {
	t, err := toolrunner.NewBetaToolFromJSONSchema(name, description,
		func(ctx context.Context, in harness.Input) (anthropic.BetaToolResultBlockParamContentUnion, error) {
			s, err := fn(ctx, in)
			return anthropic.BetaToolResultBlockParamContentUnion{OfText: &anthropic.BetaTextBlockParam{Text: s}}, err
		})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func anStandard(tb testing.TB) []anthropic.BetaTool {
	return []anthropic.BetaTool{
		anTool(tb, "noop", func(_ context.Context, in harness.Input) (string, error) { return harness.NoOp(in), nil }),
		anTool(tb, "boom", func(context.Context, harness.Input) (string, error) { panic("boom") }),
		anTool(tb, "echo", func(_ context.Context, in harness.Input) (string, error) { return in.Path, nil }),
		anTool(tb, "fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }),
	}
}

// anModel plays the API without a network: it answers the first request of a
// conversation with the tool calls and any later one with the end of the turn.
type anModel struct {
	toolTurn, endTurn []byte
	last              []byte // body of the last request
	odd               bool
}

func newAnModel(n int, name string, args func(i int) string) *anModel {
	const head = `{"id":"msg_1","type":"message","role":"assistant","model":"m","usage":{"input_tokens":1,"output_tokens":1},`
	var blocks []string
	for i := range n {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"call_%d","name":%q,"input":%s}`, i, name, args(i)))
	}
	return &anModel{
		toolTurn: []byte(head + `"stop_reason":"tool_use","content":[` + strings.Join(blocks, ",") + `]}`),
		endTurn:  []byte(head + `"stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}`),
	}
}

func (m *anModel) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	m.last = body
	m.odd = !m.odd
	reply := m.endTurn
	if m.odd && len(m.toolTurn) > 0 {
		reply = m.toolTurn
	}
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {"application/json"}},
		Body:    io.NopCloser(bytes.NewReader(reply)),
		Request: req,
	}, nil
}

func (m *anModel) client() anthropic.Client {
	return anthropic.NewClient(option.WithHTTPClient(m), option.WithAPIKey("k"), option.WithMaxRetries(0), option.WithBaseURL("http://127.0.0.1:1"))
}

func anParams() anthropic.BetaToolRunnerParams {
	return anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
		Model: "m", MaxTokens: 100,
		Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("go"))},
	}}
}

// results reads the tool results out of the last request.
func (m *anModel) results() (texts []string, isError []bool) {
	var req struct {
		Messages []struct {
			Content []struct {
				Type    string
				IsError bool `json:"is_error"`
				Content []struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(m.last, &req); err != nil {
		return []string{err.Error()}, []bool{true}
	}
	for _, msg := range req.Messages {
		for _, c := range msg.Content {
			if c.Type == "tool_result" {
				var s string
				for _, p := range c.Content {
					s += p.Text
				}
				texts, isError = append(texts, s), append(isError, c.IsError)
			}
		}
	}
	return texts, isError
}

func anRun(ctx context.Context, client anthropic.Client, tools []anthropic.BetaTool) error {
	_, err := client.Beta.Messages.NewToolRunner(tools, anParams()).RunToCompletion(ctx)
	return err
}

func anthropicCases() []harness.Case {
	return []harness.Case{
		{
			Name: "anthropic-tool", Validates: "JSON types only (schema is sent, not checked)", Path: "NewBetaToolFromJSONSchema + Execute, no runner",
			Lacks: "schema check, permission, hooks, order of a batch",
			NewOne: func(tb testing.TB) harness.Call {
				byName := map[string]anthropic.BetaTool{}
				for _, t := range anStandard(tb) {
					byName[t.Name()] = t
				}
				return func(ctx context.Context, name string, args []byte) (string, error) {
					t, ok := byName[name]
					if !ok {
						return "", errors.New("(not the library's business here)")
					}
					out, err := t.Execute(ctx, args)
					if err != nil {
						return "", err
					}
					return out[0].OfText.Text, nil
				}
			},
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				tools := make([]anthropic.BetaTool, n)
				for i := range tools {
					tools[i] = anTool(tb, toolName(i), func(context.Context, harness.Input) (string, error) { return "ok", nil })
				}
				// What newBetaToolRunnerBase does once, and the request encoder every turn.
				defs := make([]anthropic.BetaToolUnionParam, n)
				for i, t := range tools {
					defs[i] = anthropic.BetaToolUnionParam{OfTool: &anthropic.BetaToolParam{
						Name: t.Name(), Description: anthropic.String(t.Description()), InputSchema: t.InputSchema()}}
				}
				return func(context.Context) (int, error) {
					b, err := json.Marshal(defs)
					return len(b), err
				}
			},
		},
		{
			Name: "anthropic-runner", Validates: "JSON types only (schema is sent, not checked)", Path: "BetaToolRunner.RunToCompletion, 2 turns against an in-process HTTP client",
			Lacks: "schema check, permission, hooks, limit, recovery from panics",
			NewOne: func(tb testing.TB) harness.Call {
				tools := anStandard(tb)
				return func(ctx context.Context, name string, args []byte) (string, error) {
					if !json.Valid(args) {
						return "", errors.New("(cannot be put on this wire)")
					}
					m := newAnModel(1, name, func(int) string { return string(args) })
					if err := anRun(ctx, m.client(), tools); err != nil {
						return "", err
					}
					texts, isError := m.results()
					if isError[0] {
						return "", &harness.ToolError{Text: texts[0]}
					}
					return texts[0], nil
				}
			},
			NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
				m := newAnModel(n, "sleep", harness.ArgsAt)
				client := m.client()
				tools := []anthropic.BetaTool{anTool(tb, "sleep", func(_ context.Context, in harness.Input) (string, error) { return g.SleepTool(in), nil })}
				return func(ctx context.Context) error { return anRun(ctx, client, tools) }
			},
			NewOrder: func(tb testing.TB, delays []time.Duration) func(context.Context) ([]string, error) {
				m := newAnModel(len(delays), "delay", func(i int) string { return fmt.Sprintf(`{"limit":%d}`, i) })
				client := m.client()
				tools := []anthropic.BetaTool{anTool(tb, "delay", func(_ context.Context, in harness.Input) (string, error) {
					time.Sleep(delays[in.Limit])
					return fmt.Sprint(in.Limit), nil
				})}
				return func(ctx context.Context) ([]string, error) {
					err := anRun(ctx, client, tools)
					texts, _ := m.results()
					return texts, err
				}
			},
		},
		{
			Name: "anthropic-runner-baseline", Validates: "-", Path: "the same runner with one turn and no tool call: subtract twice from anthropic-runner",
			Lacks: "the call",
			NewOne: func(tb testing.TB) harness.Call {
				m := newAnModel(0, "", nil)
				m.toolTurn = nil
				client := m.client()
				tools := anStandard(tb)
				return func(ctx context.Context, _ string, _ []byte) (string, error) {
					harness.NoOp(harness.Input{Path: "x", Limit: 200, Recursive: true})
					return "", anRun(ctx, client, tools)
				}
			},
		},
	}
}
