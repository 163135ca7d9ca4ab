package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

const (
	hiddenName  = "zqhidden" // of a bound property
	hiddenValue = "5ECRET"   // in the value of a bound property
)

// leaks is everything that leaves the library around the calls of a bound tool, except to
// the tool itself.
type leaks struct {
	mu     sync.Mutex
	public []string // what the model reads, or those who see what the model wrote
	host   []string // what the host reads about errors: it may name properties
}

func (l *leaks) add(values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range values {
		l.public = append(l.public, fmt.Sprintf("%+v", v))
	}
}

func (l *leaks) addError(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.host = append(l.host, err.Error())
	}
}

func (l *leaks) addCall(c *pegboard.Call) {
	l.add(c.ID, c.Name, string(c.Input), string(c.Observed()), c.Targets())
}

func (l *leaks) addOutcome(o *pegboard.Outcome) {
	l.addCall(o.Call)
	l.add(o.Result.Text(), o.Result.Data, o.Decision, o.Repairs)
	l.addError(o.Err)
}

func (l *leaks) addQuestion(q *pegboard.Question) {
	l.addCall(q.Call)
	l.add(q.Reason, q.Targets)
	for _, updates := range q.Suggestions(pegboard.SourceSession) {
		l.add(updates)
	}
}

// Write implements io.Writer, for loggers.
func (l *leaks) Write(line []byte) (int, error) {
	l.addError(errors.New(string(line)))
	return len(line), nil
}

// drawn is a random tool with bound properties, and a call of it.
type drawn struct {
	schema map[string]any
	bound  map[string]pegboard.Binding
	valid  bool // the values exist, and the schema accepts them
	input  map[string]any
	named  bool // the model has guessed the name of a bound property
}

func drawBound(rnd *rand.Rand) (d drawn) {
	d = drawn{bound: map[string]pegboard.Binding{}, valid: true, input: map[string]any{}}
	properties, required := map[string]any{}, []string{}
	types := []string{"string", "integer", "boolean", "array", "object"}
	for i := range 1 + rnd.IntN(3) {
		name := fmt.Sprintf("p%d", i)
		kind := types[rnd.IntN(len(types))]
		properties[name] = map[string]any{"type": kind}
		if rnd.IntN(3) == 0 {
			required = append(required, name)
		}
		if rnd.IntN(3) > 0 {
			values := map[string]any{"string": "x", "integer": 1, "boolean": true, "array": []any{}, "object": map[string]any{"a": 1}}
			d.input[name] = values[kind]
			if rnd.IntN(6) == 0 {
				d.input[name] = values[types[rnd.IntN(len(types))]]
			}
		}
	}
	for i := range 1 + rnd.IntN(2) {
		name := fmt.Sprintf("%s%d", hiddenName, i)
		value := []any{hiddenValue, map[string]any{hiddenValue: []any{hiddenValue}}, []any{hiddenValue}}[rnd.IntN(3)]
		property := map[string]any{"description": name}
		switch rnd.IntN(6) {
		case 0:
			property["const"], d.valid = "another", false
		case 1:
			property["pattern"], property["type"], d.valid = "^[a-z]+$", "string", false
		case 2:
			property["default"] = hiddenValue
		}
		d.bound[name] = constantly(value)
		if rnd.IntN(8) == 0 {
			d.valid = false
			d.bound[name] = func(*pegboard.Session) (any, error) { return value, errPlanned }
		}
		properties[name] = property
		if rnd.IntN(2) == 0 {
			required = append(required, name)
		}
		if rnd.IntN(6) == 0 {
			d.input[[]string{name, strings.ToUpper(name)}[rnd.IntN(2)]], d.named = "guessed", true
		}
	}
	d.schema = map[string]any{"type": "object", "properties": properties, "required": required}
	if rnd.IntN(2) == 0 {
		d.schema["additionalProperties"] = false
	}
	switch rnd.IntN(5) {
	case 0:
		d.schema = map[string]any{"$ref": "#/$defs/in", "$defs": map[string]any{"in": d.schema, hiddenName: map[string]any{}}}
	case 1:
		d.schema = map[string]any{"type": "object", "allOf": []any{d.schema}}
	case 2: // what is asked of the input depends on a value that the model does not see
		d.schema["if"] = map[string]any{"properties": map[string]any{hiddenName + "0": map[string]any{"const": hiddenValue}}}
		d.schema["then"] = map[string]any{"required": []any{"p0"}}
		d.schema["oneOf"] = []any{map[string]any{"required": []any{hiddenName + "0"}}, map[string]any{"required": []any{"p1"}}}
	}
	return d
}

func (d drawn) tool(t *testing.T, rnd *rand.Rand, got *[]string) pegboard.Tool {
	t.Helper()
	schema, err := json.Marshal(d.schema)
	require.NoError(t, err)
	definition := pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: rnd.IntN(2) == 0, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "r"}}},
		Call: func(_ ctx, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			*got = append(*got, string(in))
			return pegboard.TextResult("ran"), nil
		},
	}
	if rnd.IntN(2) == 0 {
		definition.Observe = func(in json.RawMessage, _ *pegboard.Call) map[string]any {
			all := map[string]any{"more": len(in)}
			_ = json.Unmarshal(in, &all)
			return all
		}
	}
	if rnd.IntN(2) == 0 {
		definition.Loading = pegboard.LoadOnSearch
	}
	if rnd.IntN(2) == 0 {
		definition.Bound = d.bound
	}
	tool, err := pegboard.BuildRaw(schema, definition)
	require.NoError(t, err)
	if definition.Bound != nil {
		return tool
	}
	names := slices.Sorted(maps.Keys(d.bound))
	last := names[len(names)-1]
	if len(names) > 1 && rnd.IntN(2) == 0 { // one after the other
		tool = bind(t, tool, map[string]pegboard.Binding{last: d.bound[last]})
		delete(d.bound, last)
	}
	return bind(t, tool, d.bound)
}

// watched returns a session and an executor whose hooks, listeners and askers add what they
// see.
func (l *leaks) watched(t *testing.T, rnd *rand.Rand) (*pegboard.Session, anywhere) {
	t.Helper()
	decisions := []pegboard.Behavior{pegboard.Undecided, pegboard.Allow, pegboard.Ask, pegboard.Deny}
	say, answer := decisions[rnd.IntN(4)], decisions[rnd.IntN(4)]
	set := []pegboard.RuleSet{
		{}, {Deny: []string{"T(more:1)"}}, {Ask: []string{"T"}}, {Allow: []string{"T"}}, {Deny: []string{"T(" + hiddenName + "0:*)"}, Ask: []string{"T(p0:x)"}},
	}[rnd.IntN(5)]
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, []pegboard.Mode{"", pegboard.ModeBypass}[rnd.IntN(2)], set),
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				l.addCall(h.Call)
				return pegboard.Decision{Behavior: say, Reason: "saw " + string(h.Call.Observed()), Input: h.Call.Observed()}, nil
			},
			Post:        func(_ ctx, h *pegboard.HookCall) error { l.addOutcome(h.Outcome); return nil },
			PostFailure: func(_ ctx, h *pegboard.HookCall) error { l.addOutcome(h.Outcome); return nil },
		},
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			l.addQuestion(q)
			return pegboard.Decision{Behavior: answer, Input: q.Call.Observed()}, nil
		},
	})
	log := slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
	logged := pegboard.LogEvents(log)
	return s, executor(pegboard.Executor{
		Logger: log,
		Repair: pegboard.Repair{Values: true, Func: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call, problem error) json.RawMessage {
			l.addCall(c)
			l.add(problem)
			return nil
		}},
		OnEvent: func(e pegboard.Event) {
			logged(e)
			l.addCall(e.Call)
			l.add(e.Text, e.Targets)
			if e.Outcome != nil {
				l.addOutcome(e.Outcome)
			}
			if e.Question != nil {
				l.addQuestion(e.Question)
			}
			if e.Decision != nil {
				l.add(e.Decision.Reason)
			}
		},
	})
}

// TestNothingOfABoundPropertyLeaves makes calls of random tools under random rules, hooks
// and answers, and looks at every text that anybody but the tool gets.
func TestNothingOfABoundPropertyLeaves(t *testing.T) {
	t.Parallel()
	ran, refused := 0, 0
	for seed := range effort.Of(t, uint64(3_000)) {
		rnd := rand.New(rand.NewPCG(seed, 41))
		d := drawBound(rnd)
		var l leaks
		var got []string
		tool := d.tool(t, rnd, &got)
		s, ex := l.watched(t, rnd)
		reg := registryOf(t, tool, pegboard.ToolSearch(pegboard.SearchOptions{}))
		pool := reg.AssemblePool(s, pegboard.PoolConfig{})
		for declaration := range pool.Declarations(pegboard.Builtin) {
			l.add(string(declaration.InputSchema), string(bytes.Join(rawBytes(declaration.Examples), nil)))
		}
		input, err := json.Marshal(d.input)
		require.NoError(t, err)
		c := pegboard.Call{ID: "1", Name: "T", Input: input}
		out := ex.Run(t.Context(), pool, c)[0]
		l.addOutcome(&out)
		x := pool.ExplainDecision(t.Context(), c)
		for _, step := range x.Steps {
			l.add(step.Reason)
		}
		_, made, err := pool.Rebuild(c)
		l.addError(err)
		if err == nil {
			l.addCall(made)
		}
		about := fmt.Sprintf("seed %d: %v, input %s", seed, d.schema, input)
		for _, text := range slices.Concat(l.public, l.host) {
			require.NotContains(t, text, hiddenValue, about)
		}
		if !d.named {
			for _, text := range l.public {
				if !strings.Contains(text, "rule") { // a rule may name what it is about
					require.NotContains(t, text, hiddenName, about)
				}
			}
		}
		if len(got) > 0 {
			ran++
			require.False(t, d.named, about)
			require.True(t, d.valid, about)
			require.Contains(t, got[0], hiddenValue, about)
		} else {
			refused++
		}
	}
	if effort.Full(t) {
		require.Greater(t, ran, 100)
		require.Greater(t, refused, 100)
	}
}

func rawBytes(list []json.RawMessage) (all [][]byte) {
	for _, raw := range list {
		all = append(all, raw)
	}
	return all
}
