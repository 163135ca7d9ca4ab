package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// badTools break one rule each.
func badTools() []badTool {
	return slices.Concat(badIdentities(), badDeclarations(), badInputs(), badTraits(), badKinds(), badLines(), badEndings())
}

type badTool struct {
	name   string
	tool   pegboard.Tool
	inputs []string // nil: both good ones
	rule   string
	got    string // part of the first violation's text
}

func badIdentities() []badTool {
	changed, panics := after(repeats-8), after(1)
	return []badTool{
		{name: "nil", tool: nil, rule: tooltest.RuleRegisters, got: "is nil"},
		{name: "not built", tool: struct{ pegboard.Tool }{}, rule: tooltest.RuleRegisters, got: "Info: panic"},
		{
			name: "not built, with a name", tool: bent{info: good().Info},
			rule: tooltest.RuleRegisters, got: "is not made by Build",
		},
		{
			name: "invalid name", tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "a\nb"} }},
			rule: tooltest.RuleRegisters, got: "control character",
		},
		{
			name: "changing info", rule: tooltest.RuleInfo, got: "RequiresUser:true",
			tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "Read", RequiresUser: changed()} }},
		},
		{
			name: "info panics later", rule: tooltest.RuleReturns, got: "Info: panic: late",
			tool: bent{Tool: good(), info: func() pegboard.Info {
				if panics() {
					panic("late")
				}
				return good().Info()
			}},
		},
	}
}

func badDeclarations() []badTool {
	counted, flipped, hidden := after(1), after(1), after(repeats-8)
	return []badTool{
		{
			name: "not offered", rule: tooltest.RuleDeclared, got: "does not offer",
			tool: bent{Tool: good(), declare: func(*pegboard.Session) (pegboard.Declaration, bool) { return pegboard.Declaration{}, false }},
		},
		{
			name: "declared under a stranger's name", rule: tooltest.RuleDeclared, got: `"Write"`,
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) { d.Name = "Write" }),
		},
		{
			name: "changing description", rule: tooltest.RuleStable, got: "it was",
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) {
				if counted() {
					d.Description += " Again."
				}
			}),
		},
		{
			name: "changing bytes of one schema", rule: tooltest.RuleStable, got: "it was",
			tool: declaring(func(_ *pegboard.Session, d *pegboard.Declaration) {
				if flipped() {
					d.InputSchema = json.RawMessage(string(d.InputSchema) + " ")
				}
			}),
		},
		{
			name: "offered now and then", rule: tooltest.RuleStable, got: "then not offered",
			tool: bent{Tool: good(), declare: func(s *pegboard.Session) (pegboard.Declaration, bool) {
				d, _ := good().Declare(pegboard.Scope{Session: s})
				return d, !hidden()
			}},
		},
		{
			name: "another schema for agents", rule: tooltest.RuleStable, got: "in a fork",
			tool: declaring(func(s *pegboard.Session, d *pegboard.Declaration) {
				if s.AgentID() != "" {
					d.InputSchema = json.RawMessage(`{"type":"object"}`)
				}
			}),
		},
		{name: "schema of a list", tool: declaringSchema(`{"type":"array"}`, goodSchema), rule: tooltest.RuleSchema, got: `without "type": "object"`},
		{name: "schema without a type", tool: declaringSchema(`{}`, goodSchema), rule: tooltest.RuleSchema, got: `without "type": "object"`},
		{name: "schema true", tool: declaringSchema(`true`, goodSchema), rule: tooltest.RuleSchema, got: "it is true"},
		{name: "schema is not JSON", tool: declaringSchema(`{"type":`, goodSchema), rule: tooltest.RuleSchema, got: "unexpected end"},
		{
			name: "declare panics", rule: tooltest.RuleReturns, got: "Declare: panic: no",
			tool: declaring(func(*pegboard.Session, *pegboard.Declaration) { panic("no") }),
		},
	}
}

func badInputs() []badTool {
	closedAfter := after(2) // the executor and the goroutines of the first look ask more often
	lax := `{"type":"object"}`
	return []badTool{
		{name: "no input", tool: good(), inputs: []string{}, rule: tooltest.RuleInputs, got: "no input"},
		{name: "wrong input", tool: good(), inputs: []string{`{"pfad":"a"}`}, rule: tooltest.RuleAccepts, got: "decode Read"},
		{
			name: "validation refuses", rule: tooltest.RuleAccepts, got: "validate Read: invalid input: no",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { return errors.New("no") }},
		},
		{
			name: "the tool denies", rule: tooltest.RuleAccepts, got: "permission Read: denied: never",
			tool: bent{Tool: good(), permit: func(*pegboard.Call) pegboard.Decision {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "never"}
			}},
		},
		{
			name: "accepted only once", rule: tooltest.RuleAccepts, got: "after other calls: validate", inputs: []string{otherInput},
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error {
				if closedAfter() {
					return errors.New("enough")
				}
				return nil
			}},
		},
		{name: "required not enforced", tool: declaringSchema(`{"type":"object","required":["path"]}`, lax), rule: tooltest.RuleRefuses, got: "/path is required and missing"},
		{name: "closed not enforced", tool: declaringSchema(`{"type":"object","additionalProperties":false}`, lax), rule: tooltest.RuleRefuses, got: "/unexpected is no property"},
		{
			name: "type not enforced", rule: tooltest.RuleRefuses, got: "/path has the wrong type",
			tool: declaringSchema(`{"type":"object","properties":{"path":{"type":"string"}}}`, `{"type":"object","properties":{"path":{}}}`),
		},
		{
			name: "case not enforced", rule: tooltest.RuleRefuses, got: "/path is written Path",
			tool: declaringSchema(`{"type":"object","properties":{"path":{}}}`, lax),
		},
		{
			name: "a list is taken", rule: tooltest.RuleRefuses, got: "an array stands in place",
			tool: declaringSchema(lax, `{"type":["object","array"]}`),
		},
		{
			name: "null is taken", rule: tooltest.RuleRefuses, got: "null stands in place",
			tool: declaringSchema(lax, `{"type":["object","null"]}`),
		},
		{
			name: "refused, but not as input", rule: tooltest.RuleRefuses, got: "what refused it was not the schema",
			tool: bent{
				Tool: declaringSchema(lax, `{"type":["object","null"]}`),
				permit: func(c *pegboard.Call) pegboard.Decision {
					if string(c.Input) == "null" {
						return pegboard.Decision{Behavior: pegboard.Deny}
					}
					return pegboard.Decision{}
				},
			},
		},
	}
}

func badTraits() []badTool {
	counted, crowded, called := after(repeats-8), after(repeats), new(atomic.Bool)
	var last atomic.Value
	last.Store("")
	return []badTool{
		{
			name: "changing traits", rule: tooltest.RulePure, got: "asked again", inputs: []string{goodInput},
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = counted() }),
		},
		{
			name: "changing in a crowd", rule: tooltest.RulePure, got: "by several goroutines", inputs: []string{goodInput},
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = crowded() }),
		},
		{
			name: "traits that remember another input", rule: tooltest.RulePure, got: "asked after other calls",
			tool: traitsFrom(func(c *pegboard.Call, tr *pegboard.Traits) {
				tr.OpenWorld = string(c.Input) == goodInput && last.Load() == otherInput
				if string(c.Input) == goodInput || string(c.Input) == otherInput {
					last.CompareAndSwap("", string(c.Input))
					if string(c.Input) == otherInput {
						last.Store(otherInput)
					}
				}
			}),
		},
		{
			name: "traits that remember a call", rule: tooltest.RulePure, got: "asked after other calls", inputs: []string{goodInput},
			tool: bent{
				Tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.OpenWorld = called.Load() }),
				call: func(context.Context, *pegboard.Call) { called.Store(true) },
			},
		},
		{
			name: "reads and destroys", rule: tooltest.RuleCoherent, got: "read-only and destructive",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Destructive = true }),
		},
		{
			name: "reads what it writes", rule: tooltest.RuleCoherent, got: "is to write a.txt",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets[0].Access = pegboard.AccessWrite }),
		},
		{
			name: "a URL as host", rule: tooltest.RuleClear, got: "name the host alone, as example.com",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
				tr.Targets[0].Kind, tr.Targets[0].Value = pegboard.TargetHost, "https://example.com/x"
			}),
		},
		{
			name: "no host", rule: tooltest.RuleClear, got: "a character that no host has",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
				tr.Targets[0].Kind, tr.Targets[0].Value = pegboard.TargetHost, "*.example.com"
			}),
		},
		{
			name: "a URL as path", rule: tooltest.RuleClear, got: "of the scheme file",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets[0].Value = "file:///a.txt" }),
		},
	}
}

func badKinds() []badTool {
	writes := func(change func(tr *pegboard.Traits)) pegboard.Tool {
		return traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.ReadOnly = false; change(tr) })
	}
	return []badTool{
		{
			name: "an edit that reads", rule: tooltest.RuleKind, got: "the kind is edit, and the call is read-only",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Kind = pegboard.KindEdit }),
		},
		{
			name: "a search that destroys", rule: tooltest.RuleKind, got: "the kind is search, and the call is destructive",
			tool: writes(func(tr *pegboard.Traits) { tr.Kind, tr.Destructive = pegboard.KindSearch, true }),
		},
		{
			name: "a reader that writes", rule: tooltest.RuleKind, got: "the kind is read, and one of the targets is to write a.txt",
			tool: writes(func(tr *pegboard.Traits) { tr.Kind, tr.Targets[0].Access = pegboard.KindRead, pegboard.AccessWrite }),
		},
		{
			name: "its own file", rule: tooltest.RuleOwn, got: "Own is set, and one of the targets is to write a.txt",
			tool: writes(func(tr *pegboard.Traits) { tr.Own, tr.Targets[0].Access = true, pegboard.AccessWrite }),
		},
		{
			name: "its own, without a name", rule: tooltest.RuleOwn, got: "names no target",
			tool: writes(func(tr *pegboard.Traits) { tr.Own, tr.Targets = true, nil }),
		},
		{
			name: "a path in no target", rule: tooltest.RulePlaces, got: `the property path is "a.txt", and no target has it`,
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Targets = nil }), inputs: []string{`{"path":"a.txt"}`},
		},
		{
			name: "a line that tells more", rule: tooltest.RuleView, got: `a line tells no more: Result.Line has "token-4711"`,
			tool: tooltest.StandIn(good(), tooltest.Reply{Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "read"}}, Line: "Read with token-4711"}}),
		},
	}
}

func badLines() []badTool {
	changing := after(repeats / 2)
	return []badTool{
		{
			name: "a title of two lines", rule: tooltest.RuleLines, got: `Info.Title is "Read\na file"`,
			tool: bent{Tool: good(), info: func() pegboard.Info { return pegboard.Info{Name: "Read", Title: "Read\na file"} }},
		},
		{
			name: "a line of two lines", rule: tooltest.RuleLines, got: `Lines.Before is "Read\na.txt"`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Lines { return pegboard.Lines{Before: "Read\na.txt"} }},
		},
		{
			name: "a line that hides something", rule: tooltest.RuleLines, got: `Lines.While is "Reading \u202ea.txt"`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Lines { return pegboard.Lines{While: "Reading \u202ea.txt"} }},
		},
		{
			name: "a blank line", rule: tooltest.RuleLines, got: `Lines.Title is " "`,
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Lines { return pegboard.Lines{Title: " "} }},
		},
		{
			name: "changing lines", rule: tooltest.RuleLines, got: "asked again", inputs: []string{goodInput},
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Lines {
				if changing() {
					return pegboard.Lines{Before: "Again"}
				}
				return pegboard.Lines{}
			}},
		},
		{
			name: "a kind that does not exist", rule: tooltest.RuleLines, got: "the kind invalid",
			tool: traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) { tr.Kind = 99 }),
		},
		{
			name: "lines panic", rule: tooltest.RuleReturns, got: "Lines: panic: no",
			tool: bent{Tool: good(), lines: func(*pegboard.Call) pegboard.Lines { panic("no") }},
		},
	}
}

func badEndings() []badTool {
	crowded := after(repeats)
	return []badTool{
		{
			name: "traits panic", rule: tooltest.RuleReturns, got: "targets Read: panicked at ",
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) { panic("no") }),
		},
		{
			name: "traits panic in a crowd", rule: tooltest.RuleReturns, got: "by several goroutines", inputs: []string{goodInput},
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) {
				if crowded() {
					panic("no")
				}
			}),
		},
		{
			name: "validate panics", rule: tooltest.RuleReturns, got: "validate Read: panicked",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { panic("no") }},
		},
		{
			name: "permit panics", rule: tooltest.RuleReturns, got: "permission Read: panicked",
			tool: bent{Tool: good(), permit: func(*pegboard.Call) pegboard.Decision { panic("no") }},
		},
		{
			name: "the classifier's text panics", rule: tooltest.RuleReturns, got: "panic: no",
			tool: bent{Tool: good(), classify: func() string { panic("no") }},
		},
		{
			name: "call panics", rule: tooltest.RuleReturns, got: "Call: panic: no",
			tool: tooltest.StandIn(good(), tooltest.Reply{Panic: "no"}),
		},
		{
			name: "call ends the goroutine", rule: tooltest.RuleReturns, got: "Call: the function ended its goroutine",
			tool: tooltest.StandIn(good(), tooltest.Reply{Goexit: true}),
		},
	}
}

// hanging are tools with a stage that ends only when release is closed.
func hanging(release <-chan struct{}) []badTool {
	wait := func() { <-release }
	late := after(repeats + 1)
	var first atomic.Bool
	return []badTool{
		{
			name: "info", rule: tooltest.RuleReturns, got: "Info did not return within 5s",
			tool: bent{Tool: good(), info: func() pegboard.Info { wait(); return good().Info() }},
		},
		{
			name: "declare", rule: tooltest.RuleReturns, got: "Declare did not return within 5s",
			tool: declaring(func(*pegboard.Session, *pegboard.Declaration) { wait() }),
		},
		{
			name: "validate", rule: tooltest.RuleReturns, got: "a stage before the call did not return within 5s",
			tool: bent{Tool: good(), validate: func(*pegboard.Call) error { wait(); return nil }},
		},
		{
			name: "validate of a mutation", rule: tooltest.RuleReturns, got: "(input null)",
			tool: bent{
				Tool: declaringSchema(`{"type":"object"}`, `{"type":["object","null"]}`),
				validate: func(c *pegboard.Call) error {
					if string(c.Input) == "null" {
						wait()
					}
					return nil
				},
			},
		},
		{
			name: "traits in a crowd", rule: tooltest.RuleReturns, got: "by several goroutines at once did not return",
			tool: traitsFrom(func(*pegboard.Call, *pegboard.Traits) {
				if late() {
					wait()
				}
			}),
		},
		{
			name: "call", rule: tooltest.RuleCancel, got: "Call did not return within 5s",
			tool: bent{Tool: good(), call: func(context.Context, *pegboard.Call) { wait() }},
		},
		{
			name: "one call of two", rule: tooltest.RuleCancel, got: "Call did not return within 5s",
			tool: bent{Tool: good(), call: func(context.Context, *pegboard.Call) {
				if first.CompareAndSwap(false, true) {
					wait()
				}
			}},
		},
	}
}
