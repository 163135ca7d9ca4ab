package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	gjsonschema "github.com/google/jsonschema-go/jsonschema"
	v5 "github.com/santhosh-tekuri/jsonschema/v5"
	v6 "github.com/santhosh-tekuri/jsonschema/v6"
	sjson "github.com/segmentio/encoding/json"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// The floors are not libraries: they are what any tool dispatcher must at
// least pay for a given guarantee.
func floorCases() []harness.Case {
	return slices.Concat(callFloors(), batchFloors(), exportFloors())
}

// callFloors decode and check the input of one call.
func callFloors() []harness.Case {
	one := func(name, validates string, mk func(tb testing.TB) func(args []byte) error) harness.Case {
		return harness.Case{
			Name: "floor-" + name, Validates: validates, Path: "no library: decode, check, call",
			NewOne: func(tb testing.TB) harness.Call {
				f := mk(tb)
				return func(_ context.Context, _ string, args []byte) (string, error) { return "ok", f(args) }
			},
		}
	}
	typed := func(args []byte) error {
		var in harness.Input
		if err := json.Unmarshal(args, &in); err != nil {
			return err
		}
		harness.NoOp(in)
		return nil
	}
	return []harness.Case{
		one("unmarshal", "JSON types only", func(testing.TB) func([]byte) error { return typed }),
		one("unmarshal-sonic", "JSON types only", func(testing.TB) func([]byte) error {
			return func(args []byte) error {
				var in harness.Input
				if err := sonic.Unmarshal(args, &in); err != nil {
					return err
				}
				harness.NoOp(in)
				return nil
			}
		}),
		one("unmarshal-segmentio", "JSON types only", func(testing.TB) func([]byte) error {
			return func(args []byte) error {
				var in harness.Input
				if err := sjson.Unmarshal(args, &in); err != nil {
					return err
				}
				harness.NoOp(in)
				return nil
			}
		}),
		one("strict-decoder", "types, unknown fields, required (by pointer fields)", func(testing.TB) func([]byte) error {
			type ptrs struct {
				Path      *string `json:"path"`
				Limit     *int    `json:"limit"`
				Recursive *bool   `json:"recursive"`
			}
			return func(args []byte) error {
				d := json.NewDecoder(bytes.NewReader(args))
				d.DisallowUnknownFields()
				var p ptrs
				if err := d.Decode(&p); err != nil {
					return err
				}
				if p.Path == nil || p.Limit == nil || p.Recursive == nil {
					return fmt.Errorf("missing required property")
				}
				harness.NoOp(harness.Input{Path: *p.Path, Limit: *p.Limit, Recursive: *p.Recursive})
				return nil
			}
		}),
		one("onepass", "full schema, checked while decoding (hand-written for this input)", func(testing.TB) func([]byte) error {
			return func(args []byte) error {
				in, err := onePass(args)
				if err != nil {
					return err
				}
				harness.NoOp(in)
				return nil
			}
		}),
		one("decode-any-only", "nothing (cost of the generic decode alone)", func(testing.TB) func([]byte) error {
			return func(args []byte) error {
				var v any
				if err := json.Unmarshal(args, &v); err != nil {
					return err
				}
				harness.NoOp(harness.Input{Path: "x", Limit: 200, Recursive: true})
				return nil
			}
		}),
		one("v5-validate-only", "santhosh-tekuri v5 on an already decoded any", func(tb testing.TB) func([]byte) error {
			s := v5.MustCompileString("in.json", harness.Schema)
			var v any
			if err := json.Unmarshal([]byte(harness.Args), &v); err != nil {
				tb.Fatal(err)
			}
			return func([]byte) error {
				if err := s.Validate(v); err != nil {
					return err
				}
				harness.NoOp(harness.Input{Path: "x", Limit: 200, Recursive: true})
				return nil
			}
		}),
		one("v5-full", "santhosh-tekuri v5: decode any, Validate, decode typed", func(testing.TB) func([]byte) error {
			s := v5.MustCompileString("in.json", harness.Schema)
			return func(args []byte) error {
				var v any
				if err := json.Unmarshal(args, &v); err != nil {
					return err
				}
				if err := s.Validate(v); err != nil {
					return err
				}
				return typed(args)
			}
		}),
		one("v6-full", "santhosh-tekuri v6: decode any, Validate, decode typed", func(tb testing.TB) func([]byte) error {
			doc, err := v6.UnmarshalJSON(strings.NewReader(harness.Schema))
			if err != nil {
				tb.Fatal(err)
			}
			c := v6.NewCompiler()
			if err := c.AddResource("in.json", doc); err != nil {
				tb.Fatal(err)
			}
			s, err := c.Compile("in.json")
			if err != nil {
				tb.Fatal(err)
			}
			return func(args []byte) error {
				v, err := v6.UnmarshalJSON(bytes.NewReader(args))
				if err != nil {
					return err
				}
				if err := s.Validate(v); err != nil {
					return err
				}
				return typed(args)
			}
		}),
		one("google-full", "google/jsonschema-go: decode any, Validate, decode typed", func(tb testing.TB) func([]byte) error {
			var s gjsonschema.Schema
			if err := json.Unmarshal([]byte(harness.Schema), &s); err != nil {
				tb.Fatal(err)
			}
			rs, err := s.Resolve(nil)
			if err != nil {
				tb.Fatal(err)
			}
			return func(args []byte) error {
				var v any
				if err := json.Unmarshal(args, &v); err != nil {
					return err
				}
				if err := rs.Validate(v); err != nil {
					return err
				}
				return typed(args)
			}
		}),
		one("v5-compile-per-call", "santhosh-tekuri v5, compiled on every call", func(testing.TB) func([]byte) error {
			return func(args []byte) error {
				s, err := v5.CompileString("in.json", harness.Schema)
				if err != nil {
					return err
				}
				var v any
				if err := json.Unmarshal(args, &v); err != nil {
					return err
				}
				if err := s.Validate(v); err != nil {
					return err
				}
				return typed(args)
			}
		}),
	}
}

// batchFloors run many calls without order, hooks or permission.
func batchFloors() []harness.Case {
	return []harness.Case{
		{
			Name: "floor-goroutines", Validates: "JSON types only", Path: "one goroutine a call, WaitGroup, results by index",
			NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
				args := make([][]byte, n)
				for i := range args {
					args[i] = []byte(harness.ArgsAt(i))
				}
				return func(context.Context) error {
					results := make([]string, n)
					return harness.FanOut(n, func(i int) error {
						var in harness.Input
						if err := json.Unmarshal(args[i], &in); err != nil {
							return err
						}
						results[i] = g.SleepTool(in)
						return nil
					})
				}
			},
		},
		{
			Name: "floor-limit10", Validates: "JSON types only", Path: "as floor-goroutines, at most 10 at once",
			NewBatch: func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
				args := make([][]byte, n)
				for i := range args {
					args[i] = []byte(harness.ArgsAt(i))
				}
				return func(context.Context) error {
					results := make([]string, n)
					sem := make(chan struct{}, 10)
					return harness.FanOut(n, func(i int) error {
						sem <- struct{}{}
						defer func() { <-sem }()
						var in harness.Input
						if err := json.Unmarshal(args[i], &in); err != nil {
							return err
						}
						results[i] = g.SleepTool(in)
						return nil
					})
				}
			},
		},
	}
}

// exportFloors encode definitions.
func exportFloors() []harness.Case {
	return []harness.Case{
		{
			Name: "floor-marshal-map", Validates: "-", Path: "json.Marshal of name, description and a decoded schema (map)",
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				var schema any
				if err := json.Unmarshal([]byte(harness.Schema), &schema); err != nil {
					tb.Fatal(err)
				}
				type def struct {
					Name        string `json:"name"`
					Description string `json:"description"`
					InputSchema any    `json:"input_schema"`
				}
				defs := make([]def, n)
				for i := range defs {
					defs[i] = def{toolName(i), description, schema}
				}
				return func(context.Context) (int, error) {
					b, err := json.Marshal(defs)
					return len(b), err
				}
			},
		},
		{
			Name: "floor-cached-bytes", Validates: "-", Path: "append of definitions encoded once",
			NewExport: func(tb testing.TB, n int) func(context.Context) (int, error) {
				defs := make([][]byte, n)
				for i := range defs {
					defs[i] = fmt.Appendf(nil, `{"name":%q,"description":%q,"input_schema":%s}`, toolName(i), description, harness.Schema)
				}
				return func(context.Context) (int, error) {
					size := 2
					for _, d := range defs {
						size += len(d) + 1
					}
					b := make([]byte, 0, size)
					b = append(b, '[')
					for i, d := range defs {
						if i > 0 {
							b = append(b, ',')
						}
						b = append(b, d...)
					}
					b = append(b, ']')
					return len(b), nil
				}
			},
		},
	}
}

const description = "Lists the files under a path, at most limit of them."

func toolName(i int) string { return fmt.Sprintf("tool_%03d", i) }
