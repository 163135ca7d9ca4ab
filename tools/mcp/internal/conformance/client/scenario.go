package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

// A scenario makes the requests that the suite observes.
type scenario func(ctx context.Context, h *host, given settings) error

func scenarios() map[string]scenario {
	return map[string]scenario{
		"initialize":                          callOnly(),
		"request-metadata":                    callOnly(),
		"json-schema-ref-no-deref":            callOnly(),
		"elicitation-sep1034-client-defaults": callOnly("test_client_elicitation_defaults"),
		"sse-retry":                           callOnly("test_reconnection"),
		"tools_call":                          addNumbers,
		"json-schema-2020-12-preservation":    echoSchema,
		"sep-2322-client-request-state":       requestState,
		"http-standard-headers":               oneOfEach,
		"http-custom-headers":                 givenCalls,
		"http-invalid-tool-headers":           allTools,
	}
}

// callOnly connects and calls tools without input.
func callOnly(tools ...string) scenario {
	return func(ctx context.Context, h *host, _ settings) error {
		if err := h.connected(ctx); err != nil {
			return err
		}
		for _, tool := range tools {
			if err := h.call(ctx, tool, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

func addNumbers(ctx context.Context, h *host, _ settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	return h.call(ctx, "add_numbers", map[string]any{"a": 5, "b": 3})
}

// declarations returns the declarations of the server's tools by their names there.
func (h *host) declarations(ctx context.Context) map[string]pegboard.Declaration {
	h.servers.Sync(ctx)
	all := map[string]pegboard.Declaration{}
	for d := range h.registry.AssemblePool(h.session, pegboard.PoolConfig{}).Declarations(pegboard.External) {
		all[strings.TrimPrefix(d.Name, "mcp__"+serverName+"__")] = d
	}
	return all
}

// echoSchema sends the schema that the model is shown back to the server.
func echoSchema(ctx context.Context, h *host, _ settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	declared, ok := h.declarations(ctx)["json_schema_2020_12_tool"]
	if !ok {
		return errors.New("the tool with the schema is not in the pool")
	}
	return h.call(ctx, "json_schema_echo", map[string]any{"schema": declared.InputSchema})
}

// requestState calls tools that ask back. Some of them must fail.
func requestState(ctx context.Context, h *host, _ settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	for _, tool := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
		_ = h.call(ctx, tool, nil)
	}
	return nil
}

// oneOfEach calls a tool, reads a resource and gets a prompt.
func oneOfEach(ctx context.Context, h *host, _ settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	for tool := range h.declarations(ctx) {
		_ = h.call(ctx, tool, nil)
		break
	}
	listed := h.run(ctx, "ListMcpResources", nil)
	resources, _ := listed.Result.Data.([]mcp.Resource)
	for _, r := range resources {
		if r.URI != "" {
			_ = h.run(ctx, "ReadMcpResource", map[string]any{"server": serverName, "uri": r.URI})
			break
		}
	}
	prompts, err := h.servers.Prompts(ctx)
	if err != nil || len(prompts) == 0 {
		return fmt.Errorf("prompts: %d, %w", len(prompts), err)
	}
	_, _ = h.servers.Prompt(ctx, serverName, prompts[0].Name, nil)
	return nil
}

// givenCalls makes the calls that the suite names. It sends null for an optional value, which
// the schema does not allow: the model would leave it out.
func givenCalls(ctx context.Context, h *host, given settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	for _, c := range given.ToolCalls {
		for key, value := range c.Arguments {
			if value == nil {
				delete(c.Arguments, key)
			}
		}
		_ = h.call(ctx, c.Name, c.Arguments)
	}
	return nil
}

// allTools calls every tool that is offered.
func allTools(ctx context.Context, h *host, _ settings) error {
	if err := h.connected(ctx); err != nil {
		return err
	}
	for tool := range h.declarations(ctx) {
		_ = h.call(ctx, tool, map[string]any{"region": "us-west1"})
	}
	return nil
}
