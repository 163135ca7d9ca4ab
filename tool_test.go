package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestDeclaredNameIsTheOneThatResolves renames a tool by a wrapper around its
// facts. The model must be told a name that a call can use.
func TestDeclaredNameIsTheOneThatResolves(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, called("New"))
	_, err := reg.Attach("src", called("new"))
	require.NoError(t, err)
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for _, name := range declared(pool, part) {
			_, ok := pool.Lookup(name)
			require.True(t, ok, name)
		}
	}
}

// telling is a wrapper that declares the session's id.
type telling struct{ pegboard.Tool }

func (w telling) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	d, _ := w.Tool.Declare(s)
	d.Description = "In " + idOf(s.Session)
	return d, true
}

// idOf returns the id of s, which is nil where sources are compared.
func idOf(s *pegboard.Session) string {
	if s == nil {
		return ""
	}
	return s.ID()
}

// TestEachPoolAsksWhatDependsOnTheSession has tools of one registry declare
// themselves in different sessions, and in one again.
func TestEachPoolAsksWhatDependsOnTheSession(t *testing.T) {
	t.Parallel()
	prompting := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:   pegboard.Info{Name: "Prompting"},
		Prompt: func(s pegboard.Scope) string { return "In " + idOf(s.Session) },
		Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	somewhere := switched("Somewhere", func(s *pegboard.Session) bool { return idOf(s) != "none" })
	tools := []pegboard.Tool{prompting, somewhere, telling{inert("Wrapped")}, described("Still", "Anywhere")}
	reg := registryOf(t, tools...)
	_, err := reg.Attach("src", tools...)
	require.NoError(t, err)
	for _, id := range []string{"one", "none", "two", "one"} {
		pool := reg.AssemblePool(session(t, pegboard.SessionConfig{ID: id}), pegboard.PoolConfig{})
		for part, prefix := range map[pegboard.Partition]string{pegboard.Builtin: "", pegboard.External: "mcp__src__"} {
			want := []string{prefix + "Prompting: In " + id, prefix + "Somewhere: For a test.", prefix + "Still: Anywhere", prefix + "Wrapped: In " + id}
			if id == "none" {
				want = slices.Delete(want, 1, 2)
			}
			var got []string
			for d := range pool.Declarations(part) {
				got = append(got, d.Name+": "+d.Description)
			}
			require.Equal(t, want, got)
		}
	}
}

// redeclared is a tool that declares another schema.
type redeclared struct{ pegboard.Tool }

func (r redeclared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	d, ok := r.Tool.Declare(s)
	d.InputSchema = json.RawMessage(`{"type":"object","description":"narrowed"}`)
	return d, ok
}

// TestEncodedFormIsOfTheDeclaredSchema, whichever of a tool and its wrapper is
// encoded first.
func TestEncodedFormIsOfTheDeclaredSchema(t *testing.T) {
	t.Parallel()
	encode := func(d pegboard.Declaration) []byte { return append([]byte("form of "), d.InputSchema...) }
	inner := inert("T")
	for _, order := range [][]pegboard.Tool{{inner, redeclared{inner}}, {redeclared{inner}, inner}} {
		for _, tool := range order {
			d, ok := tool.Declare(pegboard.Scope{})
			require.True(t, ok)
			require.Equal(t, "form of "+string(d.InputSchema), string(d.Encoded("test", encode)))
		}
	}
	once := 0
	for range 2 {
		d, _ := inner.Declare(pegboard.Scope{})
		d.Encoded("counted", func(pegboard.Declaration) []byte { once++; return nil })
	}
	require.Equal(t, 1, once)
}

// TestInfoIsASnapshot registers tools that turn into others afterwards.
func TestInfoIsASnapshot(t *testing.T) {
	t.Parallel()
	info := pegboard.Info{Name: "Before", Aliases: []string{"Old"}}
	tool := posing{inert("T"), func() pegboard.Info { return info }}
	reg := registryOf(t, tool)
	_, err := reg.Attach("src", tool)
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	early := reg.AssemblePool(s, pegboard.PoolConfig{})

	info.Aliases[0] = "Stolen"
	info = pegboard.Info{Name: "After", Aliases: []string{"Stolen"}}
	for _, pool := range []*pegboard.Pool{early, reg.AssemblePool(s, pegboard.PoolConfig{})} {
		for _, name := range []string{"Before", "Old", "mcp__src__Before"} {
			_, ok := pool.Lookup(name)
			require.True(t, ok, name)
		}
		for _, name := range []string{"After", "Stolen", "mcp__src__After"} {
			_, ok := pool.Lookup(name)
			require.False(t, ok, name)
		}
	}
	require.ErrorIs(t, reg.Add(inert("Before")), pegboard.ErrDuplicate)
	require.NoError(t, reg.Add(inert("After")))
}

// TestQuarantineIsExplained takes the name of a tool that cannot be offered, as
// its source and as a model would say it.
func TestQuarantineIsExplained(t *testing.T) {
	t.Parallel()
	broken := errors.New("the schema is broken")
	tests := []struct {
		name string
		tool pegboard.Tool
		key  string
		says string
	}{
		{name: "unusable", tool: pegboard.InvalidTool("c.d", broken), key: "c.d", says: "the schema is broken"},
		{name: "unusable without a reason", tool: pegboard.InvalidTool("c.d", nil), key: "c.d", says: "quarantined"},
		{name: "a control character", tool: called("c\td"), key: "c\td", says: "control character"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			report, err := reg.Attach("src", inert("good"), tc.tool)
			require.NoError(t, err)
			require.Contains(t, report.Quarantined, tc.key)
			clear(report.Quarantined) // the report is the caller's own

			pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			require.Equal(t, []string{"mcp__src__good"}, names(pool))
			require.Len(t, pool.Excluded(), 1)
			out := pool.Excluded()[0]
			require.Contains(t, out.Reason, tc.says)
			require.Contains(t, pool.Explain(tc.key), tc.says)
			require.Equal(t, pegboard.Origin{Source: "src", Tool: tc.key}, out.Origin)
			require.Equal(t, "mcp__src__c_d", out.Name)
			require.Contains(t, pool.Explain("mcp__src__c_d"), tc.says)
		})
	}
}

// fromServer returns a tool as a server defines it.
func fromServer(name, description, property, annotations string) pegboard.Tool {
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"`+property+`":{"type":"string"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: name}.WithAnnotations(json.RawMessage(annotations)),
		Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	if err != nil {
		panic(err)
	}
	return tool
}

func TestRuleForAnOtherDefinition(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		tool   pegboard.Tool // in place of fromServer("get", "reads", "id", `{"readOnlyHint":true}`)
		set    policy.RuleSet
		mode   policy.Mode
		report []string // what changed
		want   policy.Behavior
		says   string
	}{
		{name: "the same", tool: fromServer("get", "reads", "id", `{"readOnlyHint":true}`), set: policy.RuleSet{Allow: []string{"mcp__srv__get"}}, want: policy.Allow},
		{name: "the description", tool: fromServer("get", "reads everything", "id", `{"readOnlyHint":true}`), set: policy.RuleSet{Allow: []string{"mcp__srv__get"}}, report: []string{"mcp__srv__get"}, want: policy.Ask, says: `allow rule "mcp__srv__get" does not count: the source has changed the definition`},
		{name: "the schema", tool: fromServer("get", "reads", "path", `{"readOnlyHint":true}`), set: policy.RuleSet{Allow: []string{"mcp__srv__get"}}, report: []string{"mcp__srv__get"}, want: policy.Ask, says: "does not count"},
		{name: "a hint", tool: fromServer("get", "reads", "id", `{"readOnlyHint":false}`), set: policy.RuleSet{Allow: []string{"mcp__srv__get"}}, report: []string{"mcp__srv__get"}, want: policy.Ask, says: "does not count"},
		{name: "a rule with a wildcard", tool: fromServer("get", "deletes", "id", ``), set: policy.RuleSet{Allow: []string{"mcp__srv__g*"}}, report: []string{"mcp__srv__get"}, want: policy.Ask, says: "does not count"},
		{name: "a rule for the server", tool: fromServer("get", "deletes", "id", ``), set: policy.RuleSet{Allow: []string{"mcp__srv"}}, report: []string{"mcp__srv__get"}, want: policy.Allow},
		{name: "a rule for all of the server", tool: fromServer("get", "deletes", "id", ``), set: policy.RuleSet{Allow: []string{"mcp__srv__*"}}, report: []string{"mcp__srv__get"}, want: policy.Allow},
		{name: "a deny rule", tool: fromServer("get", "deletes", "id", ``), mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"mcp__srv__get"}}, report: []string{"mcp__srv__get"}, want: policy.Deny},
		{name: "no rule", tool: fromServer("get", "deletes", "id", ``), report: []string{"mcp__srv__get"}, want: policy.Ask, says: "no rule allows it"},
		{name: "bypass", tool: fromServer("get", "deletes", "id", ``), mode: policy.ModeBypass, report: []string{"mcp__srv__get"}, want: policy.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, tc.mode, tc.set)})
			_, err := reg.Attach("srv", fromServer("get", "reads", "id", `{"readOnlyHint":true}`))
			require.NoError(t, err)
			report, err := reg.Replace("srv", tc.tool)
			require.NoError(t, err)
			require.Equal(t, tc.report, report.Changed)
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			d := pool.Decide(t.Context(), call("1", "mcp__srv__get", `{}`))
			require.Equal(t, tc.want, d.Behavior, d.Reason)
			require.Contains(t, d.Reason, tc.says)
			reg.Detach("srv") // a server that comes back is no new one
			_, err = reg.Attach("srv", tc.tool)
			require.NoError(t, err)
			again := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "mcp__srv__get", `{}`))
			require.Equal(t, d.Behavior, again.Behavior)
		})
	}
}

// TestFingerprintOfWhoMustAllow: a definition without the demand that the user allows each call
// is another one. What else _meta says, and the title, change no meaning of a rule.
func TestFingerprintOfWhoMustAllow(t *testing.T) {
	t.Parallel()
	const user = `{"anthropic/requiresUserInteraction":true}`
	for _, tc := range []struct {
		name, before, after, title string
		changed                    []string
		want                       policy.Behavior
	}{
		{name: "lifted", before: user, after: `{}`, changed: []string{"mcp__srv__get"}, want: policy.Ask},
		{name: "added", before: `{}`, after: user, changed: []string{"mcp__srv__get"}, want: policy.Ask},
		{name: "spelled in another way", before: `{}`, after: `{"anthropic/requiresUserInteraction":false}`, want: policy.Allow},
		{name: "other members", before: `{}`, after: `{"anthropic/searchHint":"x","anthropic/maxResultSizeChars":9,"other":1}`, want: policy.Allow},
		{name: "the title", before: `{}`, after: `{}`, title: "Get", want: policy.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"mcp__srv__get"}})})
			_, err := reg.Attach("srv", withMeta(tc.before, ""))
			require.NoError(t, err)
			report, err := reg.Replace("srv", withMeta(tc.after, tc.title))
			require.NoError(t, err)
			require.Equal(t, tc.changed, report.Changed)
			d := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "mcp__srv__get", `{}`))
			require.Equal(t, tc.want, d.Behavior, d.Reason)
		})
	}
}

// withMeta returns a tool whose server sent meta with it.
func withMeta(meta, title string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "get", Title: title}.WithMeta(json.RawMessage(meta)),
		Description: "reads",
		Call:        func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
	})
}

// TestUserAllowsAnOtherDefinition: an answer of the user approves it, that of others does not.
func TestUserAllowsAnOtherDefinition(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer policy.Decision
		by     string
		want   policy.Behavior // of the next call
	}{
		{name: "the user allows", answer: policy.Decision{Behavior: policy.Allow}, want: policy.Allow},
		{name: "the user denies", answer: policy.Decision{Behavior: policy.Deny}, want: policy.Ask},
		{name: "an approver allows", answer: policy.Decision{Behavior: policy.Allow}, by: "approver", want: policy.Ask},
		{name: "a hook allows", answer: policy.Decision{Behavior: policy.Allow}, by: "hook", want: policy.Ask},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ask := func(context.Context, *pegboard.Question) (policy.Decision, error) { return tc.answer, nil }
			cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"mcp__srv__get"}})}
			switch tc.by {
			case "approver":
				cfg.Approvers = []pegboard.Asker{ask}
			case "hook":
				cfg.Hooks.Permission = ask
			default:
				cfg.Ask = ask
			}
			var reg pegboard.Registry
			s := session(t, cfg)
			_, err := reg.Attach("srv", fromServer("get", "reads", "id", ``))
			require.NoError(t, err)
			first := reg.Fingerprints()
			_, err = reg.Replace("srv", fromServer("get", "deletes", "id", ``))
			require.NoError(t, err)
			require.Equal(t, first, reg.Fingerprints())
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), pool, call("1", "mcp__srv__get", `{}`))[0]
			require.Equal(t, tc.answer.Behavior, out.Decision.Behavior)
			require.Equal(t, tc.want, pool.Decide(t.Context(), call("2", "mcp__srv__get", `{}`)).Behavior)
			approved := tc.want == policy.Allow
			require.Equal(t, approved, first["srv"]["get"] != reg.Fingerprints()["srv"]["get"])

			// The next process knows what was approved.
			var next pegboard.Registry
			next.Expect(reg.Fingerprints())
			_, err = next.Attach("srv", fromServer("get", "deletes", "id", ``))
			require.NoError(t, err)
			require.Equal(t, tc.want, next.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("3", "mcp__srv__get", `{}`)).Behavior)
		})
	}
}

// TestSuggestionForAnOtherDefinition: an answer that remembers it approves the definition, too.
func TestSuggestionForAnOtherDefinition(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	s := session(t, pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		suggestions := q.Suggestions(policy.SourceSession)
		require.Len(t, suggestions, 1)
		return policy.Decision{Behavior: policy.Allow, Remember: suggestions[0]}, nil
	}})
	_, err := reg.Attach("srv", fromServer("get", "reads", "id", ``))
	require.NoError(t, err)
	_, err = reg.Replace("srv", fromServer("get", "deletes", "id", ``))
	require.NoError(t, err)
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "mcp__srv__get", `{}`))[0].Err)
	require.Equal(t, policy.Allow, pool.Decide(t.Context(), call("2", "mcp__srv__get", `{}`)).Behavior)
}

// TestFingerprintsAreCopies and do not grow with a source that renames its tools.
func TestFingerprintsAreCopies(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.Empty(t, reg.Fingerprints())
	known := pegboard.Fingerprints{"srv": {"get": "other"}}
	reg.Expect(known)
	known["srv"]["get"] = "changed"
	reg.Fingerprints()["srv"]["get"] = "changed"
	require.Equal(t, pegboard.Fingerprints{"srv": {"get": "other"}}, reg.Fingerprints())
	many := func(prefix string) (tools []pegboard.Tool) {
		for i := range 6000 {
			tools = append(tools, fromServer(prefix+strconv.Itoa(i), "", "id", ``))
		}
		return tools
	}
	_, err := reg.Attach("many", many("a")...)
	require.NoError(t, err)
	_, err = reg.Replace("many", many("b")...)
	require.NoError(t, err)
	require.Len(t, reg.Fingerprints()["many"], 6000, "those of the first list are forgotten")
}
