package serve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// offersOf returns the tools of a pool in the form of the protocol, in the order of the pool.
func offersOf(pool *pegboard.Pool) []*mcp.Tool {
	var all []*mcp.Tool
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			t := &mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
			if isObjectSchema(d.OutputSchema) { // clients before 2026-07-28 know no other
				t.OutputSchema = d.OutputSchema
			}
			if tool, ok := pool.Lookup(d.Name); ok {
				t.Title, t.Annotations = tool.Info().Title, annotationsOf(tool)
			}
			all = append(all, t)
		}
	}
	return all
}

func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return len(schema) > 0 && json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// annotationsOf returns hints if every call of the tool has the same traits: those of a call
// whose input says nothing. A tool whose traits depend on the input has none of such a call.
// Without hints, a client expects the worst.
func annotationsOf(tool pegboard.Tool) *mcp.ToolAnnotations {
	var tr pegboard.Traits
	err := goroutine.Try(func() error {
		tr = tool.Traits(&pegboard.Call{Name: tool.Info().Name, Input: json.RawMessage("!")})
		return nil
	})
	said := len(tr.Targets) > 0 || tr.ReadOnly || tr.Destructive || tr.OpenWorld || tr.Idempotent
	if err != nil || !said {
		return nil
	}
	return &mcp.ToolAnnotations{
		ReadOnlyHint: tr.ReadOnly && !tr.Destructive, DestructiveHint: &tr.Destructive, OpenWorldHint: &tr.OpenWorld, IdempotentHint: tr.Idempotent,
	}
}
