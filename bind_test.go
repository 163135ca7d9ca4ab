package pegboard_test

import (
	"bytes"
	"cmp"
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// order is the input of a tool of the host's own whose tenant is bound.
type order struct {
	Tenant string        `json:"tenant" jsonschema:"pattern=^[a-z]+$"`
	Item   string        `json:"item"`
	Count  int           `json:"count,omitempty" jsonschema:"default=1"`
	Wait   time.Duration `json:"wait,omitempty"`
}

var tenantKey = pegboard.NewKey[string]("tenant")

// boundTenant is the tenant of the session.
func boundTenant(s *pegboard.Session) (any, error) {
	tenant, ok := tenantKey.Get(s)
	if !ok {
		return nil, errors.New("nobody has logged in")
	}
	return tenant, nil
}

// orders returns a typed tool that says what it got, and in got the last.
func orders(bound map[string]pegboard.Binding, change func(*pegboard.Definition[order, string])) pegboard.Tool {
	d := pegboard.Definition[order, string]{
		Info: pegboard.Info{Name: "Order"}, Description: "Orders something.", Bound: bound,
		Inspect: func(in order, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: in.Item}}}
		},
		Call: func(_ ctx, in order, _ *pegboard.Call) (string, error) {
			return fmt.Sprintf("%d %s for %d letters, %v", in.Count, in.Item, len(in.Tenant), in.Wait), nil
		},
	}
	if change != nil {
		change(&d)
	}
	return pegboard.Build(d)
}

// served returns a tool as an MCP server sends it.
func served(t testing.TB, schema string, examples ...string) pegboard.Tool {
	t.Helper()
	d := pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "serve"}, Description: "Serves.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ ctx, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult(string(in)), nil
		},
	}
	for _, e := range examples {
		d.Examples = append(d.Examples, json.RawMessage(e))
	}
	tool, err := pegboard.BuildRaw(json.RawMessage(schema), d)
	require.NoError(t, err)
	return tool
}

func bind(t testing.TB, tool pegboard.Tool, values map[string]pegboard.Binding) pegboard.Tool {
	t.Helper()
	bound, err := pegboard.Bind(tool, values)
	require.NoError(t, err)
	return bound
}

func constantly(v any) pegboard.Binding {
	return func(*pegboard.Session) (any, error) { return v, nil }
}

// ofTenant returns a session whose tenant is known.
func ofTenant(t testing.TB, tenant string, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	s := session(t, cfg)
	tenantKey.Set(s, tenant)
	return s
}

func TestBoundPropertiesAreFilledIn(t *testing.T) {
	t.Parallel()
	const open = `{"type":"object","properties":{"city":{"type":"string"},"tenant":{"type":"string"},"depth":{"type":"integer"}},"required":["tenant"]}`
	byKey := map[string]pegboard.Binding{"tenant": boundTenant}
	tests := []struct {
		name        string
		tool        func(t *testing.T) pegboard.Tool
		input, want string
		wrong       string // what the model is told instead
	}{
		{
			name: "typed", tool: func(*testing.T) pegboard.Tool { return orders(byKey, nil) },
			input: `{"item":"tea","wait":"2s"}`, want: "1 tea for 4 letters, 2s",
		},
		{
			name: "typed, with a wrapper in between",
			tool: func(t *testing.T) pegboard.Tool {
				t.Helper()
				return bind(t, loud{orders(nil, nil)}, byKey)
			},
			input: `{"item":"tea"}`, want: "1 TEA FOR 4 LETTERS, 0S",
		},
		{
			name: "typed, inside a wrapper", tool: func(*testing.T) pegboard.Tool { return loud{orders(byKey, nil)} },
			input: `{"item":"tea","count":2}`, want: "2 TEA FOR 4 LETTERS, 0S",
		},
		{
			name: "raw", tool: func(t *testing.T) pegboard.Tool { t.Helper(); return bind(t, served(t, open), byKey) },
			input: `{"city":"Ulm", "more":1.50}`, want: `{"tenant":"acme","city":"Ulm", "more":1.50}`,
		},
		{
			name: "raw, without input", tool: func(t *testing.T) pegboard.Tool { t.Helper(); return bind(t, served(t, open), byKey) },
			input: " ", want: `{"tenant":"acme"}`,
		},
		{
			name: "raw, an empty object", tool: func(t *testing.T) pegboard.Tool { t.Helper(); return bind(t, served(t, open), byKey) },
			input: " { } ", want: `{"tenant":"acme"} `,
		},
		{
			name: "bound twice",
			tool: func(t *testing.T) pegboard.Tool {
				t.Helper()
				return bind(t, bind(t, served(t, open), byKey), map[string]pegboard.Binding{"depth": constantly(3)})
			},
			input: `{"city":"Ulm"}`, want: `{"tenant":"acme","depth":3,"city":"Ulm"}`,
		},
		{
			name: "the model sends it, schema closed", tool: func(*testing.T) pegboard.Tool { return orders(byKey, nil) },
			input: `{"item":"tea","tenant":"evil"}`, wrong: `unknown property "tenant"; the properties are "count", "item", "wait"`,
		},
		{
			name: "the model sends it, schema open", tool: func(t *testing.T) pegboard.Tool { t.Helper(); return bind(t, served(t, open), byKey) },
			input: `{"Tenant":"evil"}`, wrong: `unknown property "Tenant"; the properties are "city", "depth"`,
		},
		{
			name: "the model sends it, bound twice",
			tool: func(t *testing.T) pegboard.Tool {
				t.Helper()
				return bind(t, bind(t, served(t, open), byKey), map[string]pegboard.Binding{"depth": constantly(3)})
			},
			input: `{"tenant":"evil","depth":1}`, wrong: "unknown property \"depth\"; the properties are \"city\"\nunknown property \"tenant\"; the properties are \"city\"",
		},
		{
			name: "a mistake of the model", tool: func(*testing.T) pegboard.Tool { return orders(byKey, nil) },
			input: `{"item":"tea","wait":"soon"}`, wrong: `wait: "soon" is no duration`,
		},
		{
			name: "no object", tool: func(t *testing.T) pegboard.Tool {
				t.Helper()
				return bind(t, served(t, `{"properties":{"tenant":{}}}`), byKey)
			},
			input: `["tenant"]`, wrong: "the input is no object",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := tt.tool(t)
			pool := registryOf(t, tool).AssemblePool(ofTenant(t, "acme", bypass(t)), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			c := call("1", tool.Info().Name, tt.input)
			out := ex.Run(t.Context(), pool, c)[0]
			require.Equal(t, tt.input, string(out.Call.Input))
			if tt.wrong != "" {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.Contains(t, out.Result.Text(), tt.wrong)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, tt.want, out.Result.Text())

			stream := ex.Stream(t.Context(), pool)
			stream.Submit(c)
			stream.Finish(pegboard.FinishStop)
			for out := range stream.Outcomes() {
				require.Equal(t, tt.want, out.Result.Text())
			}
		})
	}
}

// loud is a wrapper as hosts write them.
type loud struct{ pegboard.Tool }

func (l loud) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	r, err := l.Tool.Call(ctx, c)
	if err != nil {
		return r, err
	}
	return pegboard.TextResult(toUpper(r.Text())), nil
}

func toUpper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// TestBoundToolIsOnlyItsOwn calls the stages of a bound tool with a call that nobody has
// decoded: the model's value for the property must not count there either.
func TestBoundToolIsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	tool := orders(map[string]pegboard.Binding{"tenant": constantly("acme")}, nil)
	good, evil := call("1", "Order", `{"item":"tea"}`), call("1", "Order", `{"item":"tea","tenant":"evil"}`)
	require.True(t, tool.Traits(&good).ReadOnly)
	require.NoError(t, tool.Validate(t.Context(), &good))
	require.Equal(t, policy.Undecided, tool.Permit(t.Context(), &good).Behavior)
	r, err := tool.Call(t.Context(), &good)
	require.NoError(t, err)
	require.Equal(t, "1 tea for 4 letters, 0s", r.Text())

	require.False(t, tool.Traits(&evil).ReadOnly)
	require.ErrorIs(t, tool.Validate(t.Context(), &evil), pegboard.ErrInvalidInput)
	require.Equal(t, policy.Deny, tool.Permit(t.Context(), &evil).Behavior)
	_, err = tool.Call(t.Context(), &evil)
	require.ErrorIs(t, err, pegboard.ErrInvalidInput)
}

func TestBoundPropertyIsNotDeclared(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"city":{"type":"string"},"tenant":{"type":"string"}},"required":["tenant"]}`
	const public = `{"properties":{"city":{"type":"string"}},"type":"object"}`
	byKey := map[string]pegboard.Binding{"tenant": boundTenant}
	tests := []struct {
		name string
		tool pegboard.Tool
		want string
	}{
		{name: "raw", tool: bind(t, served(t, schema, `{"city":"Ulm","tenant":"a"}`), byKey), want: public},
		{name: "inside a wrapper", tool: loud{bind(t, served(t, schema, `{"city":"Ulm","tenant":"a"}`), byKey)}, want: public},
		{
			name: "a wrapper that declares another schema",
			tool: bind(t, declaring{served(t, schema), `{"type":"object","properties":{"city":{"enum":["Ulm"]},"tenant":{"enum":["a"]}}}`}, byKey),
			want: `{"properties":{"city":{"enum":["Ulm"]}},"type":"object"}`,
		},
		{
			name: "a wrapper that declares a reference",
			tool: bind(t, declaring{served(t, schema), `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"city":{"enum":["Ulm"]},"tenant":{"enum":["a"]}}}}}`}, byKey),
			want: `{"properties":{"city":{"enum":["Ulm"]}},"type":"object"}`,
		},
		{
			name: "a wrapper that declares alternatives",
			tool: bind(t, declaring{served(t, schema), `{"anyOf":[{"type":"object","properties":{"tenant":{"enum":["a"]}}}]}`}, byKey),
			want: public,
		},
		{name: "a wrapper that declares no schema", tool: bind(t, declaring{served(t, schema), `tenant`}, byKey), want: public},
		{
			name: "typed",
			tool: orders(byKey, func(d *pegboard.Definition[order, string]) { d.Examples = []order{{Item: "tea"}} }),
			want: `{"additionalProperties":false,"properties":{"count":{"default":1,"type":"integer"},"item":{"type":"string"},"wait":{"description":"A duration with its unit, such as \"90s\", \"1m30s\" or \"500ms\"","type":"string"}},"required":["item"],"type":"object"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := ofTenant(t, "acme", bypass(t))
			var reg pegboard.Registry
			report, err := reg.Attach("srv", tt.tool)
			require.NoError(t, err)
			require.Empty(t, report.Quarantined)
			require.NoError(t, reg.Add(tt.tool))
			for _, p := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
				for d := range reg.AssemblePool(s, pegboard.PoolConfig{}).Declarations(p) {
					require.JSONEq(t, tt.want, string(d.InputSchema))
					require.NotContains(t, fmt.Sprintf("%s %s", d.InputSchema, d.Examples), "tenant")
					form := func(d pegboard.Declaration) []byte { return append([]byte("form of "), d.InputSchema...) }
					require.NotContains(t, string(d.Encoded("test", form)), "tenant")
				}
			}
			again, err := reg.Replace("srv", tt.tool)
			require.NoError(t, err)
			require.Empty(t, again.Changed)
		})
	}
}

// declaring is a wrapper that declares a schema of its own.
type declaring struct {
	pegboard.Tool
	schema string
}

func (d declaring) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	declared, ok := d.Tool.Declare(s)
	declared.InputSchema = json.RawMessage(d.schema)
	declared.Examples = []json.RawMessage{json.RawMessage(`{"city":"Ulm","tenant":"a"}`)}
	return declared, ok
}

func TestBindRefuses(t *testing.T) {
	t.Parallel()
	tool := served(t, `{"type":"object","properties":{"tenant":{"type":"string"}}}`)
	tests := []struct {
		name   string
		tool   pegboard.Tool
		values map[string]pegboard.Binding
		field  string
		want   string
	}{
		{name: "another property", tool: tool, values: map[string]pegboard.Binding{"tenants": constantly("a")}, field: "Bound", want: `the input has no property "tenants"; did you mean "tenant"?`},
		{name: "the same twice", tool: bind(t, tool, map[string]pegboard.Binding{"tenant": constantly("a")}), values: map[string]pegboard.Binding{"tenant": constantly("a")}, field: "Bound", want: `no property "tenant"`},
		{name: "no func", tool: tool, values: map[string]pegboard.Binding{"tenant": nil}, field: `Bound["tenant"]`, want: "is nil"},
		{name: "no tool", values: map[string]pegboard.Binding{"tenant": constantly("a")}, field: "Tool", want: "is nil"},
		{
			name: "a schema that is no plain object", values: map[string]pegboard.Binding{"tenant": constantly("a")}, field: "Bound",
			tool: served(t, `{"properties":{"tenant":{}},"anyOf":[{"required":["tenant"]}]}`), want: `the schema has "anyOf" at its root`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := pegboard.Bind(tt.tool, tt.values)
			var wrong *pegboard.BuildError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, tt.field, wrong.Field)
			require.ErrorContains(t, err, tt.want)
		})
	}
	same, err := pegboard.Bind(tool, nil)
	require.NoError(t, err)
	require.Equal(t, tool, same)
	_, err = pegboard.BuildRaw(json.RawMessage(`{"properties":{"tenant":{},"b":{"type":"string"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "t"}, Description: "d", Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		Bound: map[string]pegboard.Binding{"tenant": constantly("a")}, Examples: []json.RawMessage{json.RawMessage(`{"b":1}`)},
	})
	require.ErrorContains(t, err, "Examples[0]: invalid input: b: got number 1")
	_, err = pegboard.Bind(pegboard.InvalidTool("broken", errPlanned), map[string]pegboard.Binding{"tenant": constantly("a")})
	require.ErrorIs(t, err, errPlanned)
	require.PanicsWithValue(t, `pegboard: Build: Order: Bound: the input has no property "tennant"; did you mean "tenant"?`, func() {
		orders(map[string]pegboard.Binding{"tennant": constantly("a")}, nil)
	})
}

// TestBoundValueThatCannotBeUsed fails the call for a reason that the host can read, and
// that tells the model nothing of the value.
func TestBoundValueThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const secret = "SECRET"
	tests := []struct {
		name     string
		tool     pegboard.Tool
		value    pegboard.Binding
		property string
		is       error
		tells    string
	}{
		{name: "an error", tool: orders(nil, nil), value: func(*pegboard.Session) (any, error) { return secret, fmt.Errorf("no %w", errPlanned) }, property: "tenant", is: errPlanned, tells: "not at fault"},
		{name: "a panic", tool: orders(nil, nil), value: func(*pegboard.Session) (any, error) { panic("oh") }, property: "tenant", is: pegboard.ErrPanic, tells: "not at fault"},
		{name: "no JSON", tool: orders(nil, nil), value: constantly(func() {}), property: "tenant", tells: "not at fault"},
		{name: "refused by the schema", tool: orders(nil, nil), value: constantly(secret), property: "tenant", tells: "not at fault"},
		{name: "of another type", tool: orders(nil, nil), value: constantly([]string{secret}), property: "tenant", tells: "not at fault"},
		{name: "an invalid text", tool: orders(nil, nil), value: constantly(json.RawMessage(`"` + secret)), property: "tenant", tells: "not at fault"},
		{name: "a repeated key", tool: served(t, `{"properties":{"tenant":{}}}`), value: constantly(json.RawMessage(`{"` + secret + `":1,"` + secret + `":1}`)), tells: "does not go together"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := bind(t, tt.tool, map[string]pegboard.Binding{"tenant": tt.value})
			var asked atomic.Int32
			ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true, Values: true, Func: func(context.Context, pegboard.Tool, *pegboard.Call, error) json.RawMessage {
				asked.Add(1)
				return nil
			}}})
			pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
			input := `{"item":"tea"}`
			if tool.Info().Name == "serve" {
				input = `{"city":"Ulm"}`
			}
			c := call("1", tool.Info().Name, input)
			out := ex.Run(t.Context(), pool, c)[0]
			var unbound *pegboard.BindError
			require.ErrorAs(t, out.Err, &unbound)
			require.Equal(t, tt.property, unbound.Property)
			if tt.is != nil {
				require.ErrorIs(t, out.Err, tt.is)
			}
			require.NotErrorIs(t, out.Err, pegboard.ErrInvalidInput)
			require.Zero(t, asked.Load())
			require.Contains(t, out.Result.Text(), tt.tells)
			require.True(t, out.Result.IsError)
			require.NotContains(t, out.Result.Text(), "tenant")
			require.NotContains(t, out.Result.Text()+out.Err.Error(), secret)
			require.Equal(t, policy.Deny, pool.Decide(t.Context(), c).Behavior)
			_, _, err := pool.Rebuild(c)
			require.ErrorAs(t, err, &unbound)
		})
	}
}

// TestBoundOnTheFarSide binds where the call runs, and not before.
func TestBoundOnTheFarSide(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, orders(map[string]pegboard.Binding{"tenant": boundTenant}, nil))
	far := reg.AssemblePool(ofTenant(t, "faraway", bypass(t)), pegboard.PoolConfig{})
	near := reg.AssemblePool(ofTenant(t, "near", bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{Invoke: farInvoke(far)})
	out := ex.Run(t.Context(), near, call("1", "Order", `{"item":"tea"}`))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "1 tea for 7 letters, 0s", out.Result.Text())

	nobody := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex.Invoke = func(_ context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		_, _, err := nobody.Rebuild(*c)
		return nil, err
	}
	out = ex.Run(t.Context(), near, call("1", "Order", `{"item":"tea"}`))[0]
	var unbound *pegboard.BindError
	require.ErrorAs(t, out.Err, &unbound)
	require.NotContains(t, out.Result.Text(), "tenant")
}

// TestBoundAndChanged changes the input of a bound tool in each way there is. None may set
// the property.
func TestBoundAndChanged(t *testing.T) {
	t.Parallel()
	tool := orders(map[string]pegboard.Binding{"tenant": boundTenant}, nil)
	tests := []struct {
		name string
		to   string
		want string
	}{
		{name: "another input", to: `{"item":"milk"}`, want: "1 milk for 4 letters, 0s"},
		{name: "with the property", to: `{"item":"milk","tenant":"evil"}`},
	}
	ways := map[string]func(input json.RawMessage) (pegboard.SessionConfig, anywhere){
		"hook": func(input json.RawMessage) (pegboard.SessionConfig, anywhere) {
			cfg := bypass(t)
			cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
				return policy.Decision{Input: input}, nil
			}
			return cfg, anywhere{}
		},
		"answer": func(input json.RawMessage) (pegboard.SessionConfig, anywhere) {
			return pegboard.SessionConfig{
				Permissions: rules(t, "", policy.RuleSet{Ask: []string{"Order"}}),
				Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
					return policy.Decision{Behavior: policy.Allow, Input: input}, nil
				},
			}, anywhere{}
		},
		"repair": func(input json.RawMessage) (pegboard.SessionConfig, anywhere) {
			return bypass(t), executor(pegboard.Executor{Repair: pegboard.Repair{Func: func(context.Context, pegboard.Tool, *pegboard.Call, error) json.RawMessage {
				return input
			}}})
		},
	}
	for _, tt := range tests {
		for way, change := range ways {
			t.Run(tt.name+" by "+way, func(t *testing.T) {
				t.Parallel()
				cfg, e := change(json.RawMessage(tt.to))
				pool := registryOf(t, tool).AssemblePool(ofTenant(t, "acme", cfg), pegboard.PoolConfig{})
				input := `{"item":"tea"}`
				if way == "repair" {
					input = `{`
				}
				out := e.Run(t.Context(), pool, call("1", "Order", input))[0]
				if tt.want == "" {
					require.Error(t, out.Err)
					require.NotContains(t, out.Result.Text(), "letters")
					return
				}
				require.NoError(t, out.Err)
				require.Equal(t, tt.want, out.Result.Text())
			})
		}
	}
}

// TestRulesOnABoundProperty cannot be compared with it, and do not pass over that.
func TestRulesOnABoundProperty(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		mode policy.Mode
		set  policy.RuleSet
		want policy.Behavior
		says string // of RuleProblems
		of   string // the target of the call; "shop" if empty
	}{
		{name: "deny", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Order(tenant:acme)"}}, want: policy.Ask, says: "every call of the tool is asked about"},
		{name: "deny another value", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Order(tenant:none)"}}, want: policy.Ask, says: "no rule is compared with it"},
		{name: "deny what a target is called like", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Order(tenant:none)"}}, of: "tenant:x", want: policy.Ask, says: "set by the program"},
		{name: "ask", set: policy.RuleSet{Ask: []string{"Order(tenant:*)"}}, want: policy.Ask, says: "set by the program"},
		{name: "allow", set: policy.RuleSet{Allow: []string{"Order(tenant:*)"}}, want: policy.Ask, says: "set by the program"},
		{name: "without any", mode: policy.ModeBypass, want: policy.Allow},
		{name: "a rule for the tool", set: policy.RuleSet{Allow: []string{"Order"}}, want: policy.Allow},
		{name: "another parameter", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Order(item:tea)"}}, want: policy.Deny},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := orders(map[string]pegboard.Binding{"tenant": boundTenant}, func(d *pegboard.Definition[order, string]) {
				d.Inspect, d.Traits = nil, pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: cmp.Or(tt.of, "shop")}}}
			})
			s := ofTenant(t, "acme", pegboard.SessionConfig{Permissions: rules(t, tt.mode, tt.set)})
			pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
			d := pool.Decide(t.Context(), call("1", "Order", `{"item":"tea"}`))
			require.Equal(t, tt.want, d.Behavior, d.Reason)
			problems := pool.RuleProblems()
			if tt.says == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].Reason, tt.says)
		})
	}
}

// TestBoundAndDeferred tells a model that has not seen the definition what the input has.
func TestBoundAndDeferred(t *testing.T) {
	t.Parallel()
	tool := orders(map[string]pegboard.Binding{"tenant": boundTenant}, func(d *pegboard.Definition[order, string]) { d.Loading = pegboard.LoadOnSearch })
	reg := registryOf(t, tool, pegboard.ToolSearch(pegboard.SearchOptions{}))
	pool := reg.AssemblePool(ofTenant(t, "acme", bypass(t)), pegboard.PoolConfig{})
	out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "Order", `{}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
	require.Contains(t, out.Result.Text(), `Its input has "item": string, required; "count": integer; "wait": string.`)
}

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
	for _, updates := range q.Suggestions(policy.SourceSession) {
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
		d.schema["$defs"] = map[string]any{hiddenName: properties[hiddenName+"0"]}
		properties[hiddenName+"0"] = map[string]any{"$ref": "#/$defs/" + hiddenName}
	}
	return d
}

func (d drawn) tool(t *testing.T, rnd *rand.Rand, got *[]string) pegboard.Tool {
	t.Helper()
	schema, err := json.Marshal(d.schema)
	require.NoError(t, err)
	definition := pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: rnd.IntN(2) == 0, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "r"}}},
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
	decisions := []policy.Behavior{policy.Undecided, policy.Allow, policy.Ask, policy.Deny}
	say, answer := decisions[rnd.IntN(4)], decisions[rnd.IntN(4)]
	set := []policy.RuleSet{
		{}, {Deny: []string{"T(more:1)"}}, {Ask: []string{"T"}}, {Allow: []string{"T"}}, {Deny: []string{"T(" + hiddenName + "0:*)"}, Ask: []string{"T(p0:x)"}},
	}[rnd.IntN(5)]
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, []policy.Mode{"", policy.ModeBypass}[rnd.IntN(2)], set),
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				l.addCall(h.Call)
				return policy.Decision{Behavior: say, Reason: "saw " + string(h.Call.Observed()), Input: h.Call.Observed()}, nil
			},
			Post:        func(_ ctx, h *pegboard.HookCall) error { l.addOutcome(h.Outcome); return nil },
			PostFailure: func(_ ctx, h *pegboard.HookCall) error { l.addOutcome(h.Outcome); return nil },
		},
		Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			l.addQuestion(q)
			return policy.Decision{Behavior: answer, Input: q.Call.Observed()}, nil
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
