package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

type call struct {
	tool  string
	input map[string]any
}

// script is what the model says in each turn, given the results it was shown last.
func script() []func(seen []string) []call {
	var path string
	return []func([]string) []call{
		func([]string) []call { return []call{{"Logs", nil}} },
		func(seen []string) []call {
			path = match(`All of it is in ([^;]+);`, seen[0])
			return []call{{"Grep", map[string]any{"pattern": "status 500", "path": path, "output_mode": "content", "-n": true}}}
		},
		func(seen []string) []call {
			line, _ := strconv.Atoi(match(`(\d+):request`, seen[0])) // 0 is refused by Read
			return []call{
				{"Read", map[string]any{"file_path": path, "offset": line - 1, "limit": 3}},
				{"ReadResult", map[string]any{"ref": path, "pattern": "status [45]"}},
			}
		},
		func(seen []string) []call {
			offset, _ := strconv.Atoi(match(`(\d+):request`, seen[1]))
			return []call{{"ReadResult", map[string]any{"ref": path, "offset": offset, "limit": 100}}, {"Orders", nil}, {"Build", nil}}
		},
		// Each of these is short enough, all of them are not.
		func([]string) []call { return []call{{"Page", number(1)}, {"Page", number(2)}, {"Page", number(3)}} },
	}
}

func number(n int) map[string]any { return map[string]any{"number": n} }

func match(pattern, text string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// sources are the tools whose results are long.
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

// requests is a log of 5,000,000 requests, made as it is read. One of them failed.
type requests struct {
	n    int
	line []byte // what is left of the last
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
