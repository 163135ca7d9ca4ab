package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// sources returns the tools with long results.
func sources() []pegboard.Tool {
	return []pegboard.Tool{
		source("Logs", func(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
			part, err := c.Store(ctx, &requests{})
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		}),
		source("Orders", func(context.Context, *pegboard.Call) (*pegboard.Result, error) {
			orders := make([]map[string]any, 2_000)
			for i := range orders {
				orders[i] = map[string]any{"id": i, "item": "peg", "count": 3}
			}
			text, err := json.Marshal(map[string]any{"orders": orders, "total": len(orders)})
			return pegboard.TextResult(string(text)), err
		}),
		source("Build", func(context.Context, *pegboard.Call) (*pegboard.Result, error) {
			return nil, errors.New("cannot build:\n" + strings.Repeat("warning: unused variable\n", 2_000) + "error: disk quota exceeded")
		}),
		source("Page", func(context.Context, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult(strings.Repeat("A line of a page that is not very long.\n", 700)), nil
		}),
	}
}

type request struct {
	Number int `json:"number,omitempty" jsonschema_description:"Which page"`
}

func source(name string, call func(context.Context, *pegboard.Call) (*pegboard.Result, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[request, *pegboard.Result]{
		Info:        pegboard.Info{Name: name},
		Description: "Says a lot.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call:        func(ctx context.Context, _ request, c *pegboard.Call) (*pegboard.Result, error) { return call(ctx, c) },
	})
}

// requests is a log of 5,000,000 requests, which is generated while it is read. One of
// the requests failed.
type requests struct {
	n    int
	line []byte // rest of the current line
}

func (r *requests) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.line) == 0 {
			if r.n++; r.n > 5_000_000 {
				return n, io.EOF
			}
			status := "200"
			if r.n == 4_123_456 {
				status = "500: disk quota exceeded"
			}
			r.line = fmt.Appendf(r.line, "request %07d: 12 ms, 8 KB, status %s\n", r.n, status)
		}
		copied := copy(p[n:], r.line)
		n, r.line = n+copied, r.line[copied:]
	}
	return n, nil
}
