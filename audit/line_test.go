package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestLines holds lines against what they have to be, to the byte. The executor
// makes the decisions; only when is set here.
func TestLines(t *testing.T) {
	t.Parallel()
	config := policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Bash(make *)", "Edit(out/**)"}, Deny: []string{"Edit(secret/**)"}, Ask: []string{"Bash(rm *)"}}
	remembered := policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Bash(git push canary)"}}
	const start = `{"time":"2026-07-01T12:00:00.000000005Z","trace":"trace-1","session":"s1","call":"toolu_1",`
	tests := []struct {
		name, tool, input string
		inputs            bool
		answer            []policy.Update // what a person has remembered who allows the call
		want              string
	}{
		{
			name: "allowed by a rule", tool: "Write", input: `{"path":"out/a"}`,
			want: start + `"tool":"Write","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"Edit(out/**)","source":"projectSettings"},"targets":["path:write"]}`,
		},
		{
			name: "denied by a rule", tool: "Write", input: `{"path":"secret/a"}`,
			want: start + `"tool":"Write","behavior":"deny","by":"rule","mode":"default","rule":{"behavior":"deny","text":"Edit(secret/**)","source":"projectSettings"},"targets":["path:write"]}`,
		},
		{
			name: "denied since nobody answers", tool: "Bash", input: `{"command":"rm -rf x"}`,
			want: start + `"tool":"Bash","behavior":"deny","by":"nobody","mode":"default","rule":{"behavior":"ask","text":"Bash(rm *)","source":"projectSettings"},"targets":["command:run","path:read?"]}`,
		},
		{
			name: "a remembered rule", tool: "Bash", input: `{"command":"git push canary"}`,
			want: start + `"tool":"Bash","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"Bash(…)","source":"sessionSource"},"targets":["command:run","path:read?"]}`,
		},
		{
			name: "allowed for good", tool: "Bash", input: `{"command":"git push"}`,
			answer: []policy.Update{{Type: policy.AddRules, Behavior: policy.Allow, Destination: policy.SourceUser, Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: "git push"}}},
				{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession}},
			want: start + `"tool":"Bash","behavior":"allow","by":"person","mode":"acceptEdits","remember":["addRules allow userSettings","setMode acceptEdits session"],"targets":["command:run","path:read?"]}`,
		},
		{
			name: "by an alias", tool: "Shell", input: `{"command":"rm -rf x"}`,
			want: start + `"tool":"Bash","as":"Shell","behavior":"deny","by":"nobody","mode":"default","rule":{"behavior":"ask","text":"Bash(rm *)","source":"projectSettings"},"targets":["command:run","path:read?"]}`,
		},
		{
			name: "no rule", tool: "Write", input: `{}`,
			want: start + `"tool":"Write","behavior":"deny","by":"nobody","mode":"default"}`,
		},
		{
			name: "with inputs", tool: "Bash", input: `{ "command": "make a && b" }`, inputs: true,
			want: start + `"tool":"Bash","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"Bash(make *)","source":"projectSettings"},"targets":["command:run","path:read?"],` +
				`"reason":"allow rule \"Bash(make *)\" from projectSettings covers it","input":{"command":"make a && b"},` +
				`"values":[{"target":"command:run","value":"make a && b"},{"target":"path:read?","value":"DIR/make a && b","real":""},{"target":"path:read?","value":"DIR/make a && b"}]}`,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := resolved(t, t.TempDir())
			log, path := opened(t, audit.Options{Inputs: tc.inputs})
			executor := &pegboard.Executor{TraceID: func(context.Context) string { return "trace-1" }, OnEvent: func(e pegboard.Event) {
				e.Time = noon
				log.Record(e)
			}}
			cfg := pegboard.SessionConfig{ID: "s1", Dir: dir, Permissions: rules(t, config, remembered)}
			if tc.answer != nil {
				cfg.Ask = func(context.Context, *pegboard.Question) (policy.Decision, error) {
					return policy.Decision{Behavior: policy.Allow, Remember: tc.answer}, nil
				}
			}
			s := session(t, cfg)
			executor.Run(t.Context(), pool(t, s, worker("Write"), worker("Bash", "Shell")), call("toolu_1", tc.tool, tc.input))
			want := strings.NewReplacer("DIR", dir, "sessionSource", string(policy.SourceSession), `,"real":""`, "").Replace(tc.want)
			require.Equal(t, want+"\n", read(t, path))
		})
	}
}

func resolved(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	return real
}

// TestCallsThatDidNotRun: each call that was neither denied nor run has a line, or two if
// it was allowed before.
func TestCallsThatDidNotRun(t *testing.T) {
	t.Parallel()
	const start = `{"time":"2026-07-01T12:00:00.000000005Z","trace":"trace-1","session":"s1","call":"c",`
	tests := []struct {
		name, tool, input string
		inputs, asks      bool // asks: the question is interrupted
		stops             bool // the batch is stopped when the call was allowed
		want              []string
	}{
		{
			name: "a name that no tool has", tool: "k4nary", input: `{}`,
			want: []string{`"tool":"sha256:65a808d554da4333d7cda660e8c3944c","behavior":"notRun","stage":"lookup","error":"unknown tool"}`},
		},
		{
			name: "the same, with inputs", tool: "k4nary", input: `{"a": 1}`, inputs: true,
			want: []string{`"tool":"k4nary","behavior":"notRun","stage":"lookup","error":"unknown tool","reason":"unknown tool: k4nary","input":{"a":1}}`},
		},
		{
			name: "an alias of a tool that a rule excludes", tool: "Shell", input: `{}`,
			want: []string{`"tool":"Bash","as":"Shell","behavior":"deny","by":"rule","mode":"default","rule":{"behavior":"deny","text":"Bash","source":"projectSettings"}}`},
		},
		{
			name: "input that is no JSON", tool: "Write", input: `{"path":"k4nary`,
			want: []string{`"tool":"Write","behavior":"notRun","stage":"decode","error":"invalid input"}`},
		},
		{
			name: "the same, with inputs", tool: "Write", input: `{"path":"k4nary`, inputs: true,
			want: []string{`"tool":"Write","behavior":"notRun","stage":"decode","error":"invalid input","reason":"REASON","input":"{\"path\":\"k4nary"}`},
		},
		{
			name: "input against the schema", tool: "Write", input: `{"way":"k4nary"}`,
			want: []string{`"tool":"Write","behavior":"notRun","stage":"decode","error":"invalid input"}`},
		},
		{
			name: "input that the tool refuses", tool: "Write", input: `{"path":"k4nary","note":"refuse"}`,
			want: []string{`"tool":"Write","behavior":"notRun","stage":"validate","error":"invalid input","targets":["path:write"]}`},
		},
		{
			name: "a question that is interrupted", tool: "Write", input: `{"path":"k4nary"}`, asks: true,
			want: []string{`"tool":"Write","behavior":"notRun","stage":"permission","error":"cancelled","targets":["path:write"]}`},
		},
		{
			name: "allowed and then stopped", tool: "Write", input: `{"path":"out/k4nary"}`, stops: true,
			want: []string{
				`"tool":"Write","behavior":"allow","by":"rule","mode":"default","rule":{"behavior":"allow","text":"Edit(out/**)","source":"projectSettings"},"targets":["path:write"]}`,
				`"tool":"Write","behavior":"notRun","stage":"limits","error":"cancelled","targets":["path:write"]}`,
			},
		},
		{
			name: "denied", tool: "Write", input: `{"path":"k4nary"}`,
			want: []string{`"tool":"Write","behavior":"deny","by":"nobody","mode":"default","targets":["path:write"]}`},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			log, path := opened(t, audit.Options{Inputs: tc.inputs})
			turn, stop := context.WithCancel(t.Context())
			defer stop()
			executor := &pegboard.Executor{TraceID: func(context.Context) string { return "trace-1" }, OnEvent: func(e pegboard.Event) {
				e.Time = noon
				log.Record(e)
				if tc.stops && e.Kind == pegboard.EventDecided {
					stop()
				}
			}}
			cfg := pegboard.SessionConfig{ID: "s1", Dir: t.TempDir(), Permissions: rules(t, policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Edit(out/**)"}, Deny: []string{"Bash"}})}
			if tc.asks {
				cfg.Ask = func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
					stop()
					return pegboard.AskLater(ctx, q)
				}
			}
			outcome := executor.Run(turn, pool(t, session(t, cfg), worker("Write"), worker("Bash", "Shell")), call("c", tc.tool, tc.input))[0]
			var refusal *pegboard.CallError
			require.ErrorAs(t, outcome.Err, &refusal)
			want := ""
			for _, line := range tc.want {
				want += start + strings.ReplaceAll(line, "REASON", quoted(t, refusal.Err.Error())) + "\n"
			}
			require.Equal(t, want, read(t, path))
		})
	}
}

// TestSameCallHasALine of its own, which names the call that it is the same as.
func TestSameCallHasALine(t *testing.T) {
	t.Parallel()
	type input struct {
		Fails bool `json:"fails,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Equivalent: pegboard.SameInput[input],
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) {
			if in.Fails {
				return "", errors.New("no")
			}
			return "yes", nil
		},
	})
	const line = `{"time":"2026-07-01T12:00:00.000000005Z","trace":"trace-1","session":"s1","call":"%s","tool":"Look","behavior":%s}` + "\n"
	for _, in := range []string{`{}`, `{"fails":true}`} {
		log, path := opened(t, audit.Options{})
		executor := &pegboard.Executor{TraceID: func(context.Context) string { return "trace-1" }, OnEvent: func(e pegboard.Event) {
			e.Time = noon
			log.Record(e)
		}}
		s := session(t, pegboard.SessionConfig{ID: "s1", Dir: t.TempDir()})
		executor.Run(t.Context(), pool(t, s, tool), call("c", "Look", in), call("d", "Look", in))
		require.Equal(t, fmt.Sprintf(line, "c", `"allow","by":"default","mode":"default"`)+fmt.Sprintf(line, "d", `"notRun","sameAs":"c"`), read(t, path))
	}
}

// quoted returns a text as it stands in JSON, without the quotes.
func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	return strings.Trim(string(data), `"`)
}

// TestAllDecisionsOfACall: of an agent, from inside a call, and in mid-call.
func TestAllDecisionsOfACall(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	main := session(t, pegboard.SessionConfig{ID: "s1", Dir: t.TempDir(), Permissions: rules(t, policy.RuleSet{Allow: []string{"Outer", "Inner"}, Deny: []string{"Read(//elsewhere)"}})})
	agent, err := main.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "agent-7"})
	require.NoError(t, err)
	pegboard.KeyModel.Set(agent, "small/2 of\nmine")
	outer := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Runs Inner.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "data"}}},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return "done", c.Run(ctx, call("in", "Inner", `{"path":"a","later":"/elsewhere"}`))[0].Err
		},
	})
	executor := &pegboard.Executor{OnEvent: log.Record}
	outcome := executor.Run(t.Context(), pool(t, agent, outer, worker("Inner")), call("out", "Outer", `{}`))[0]
	require.ErrorIs(t, outcome.Err, pegboard.ErrDenied)

	all, torn := entries(t, path)
	require.Zero(t, torn)
	require.Len(t, all, 3)
	got := [][]any{}
	for _, entry := range all {
		got = append(got, []any{entry["call"], entry["parent"], entry["behavior"], entry["agent"], entry["targets"]})
		require.Equal(t, all[0]["trace"], entry["trace"])
		require.NotEmpty(t, entry["trace"])
		require.NotEmpty(t, entry["by"])
		require.Regexp(t, "^sha256:[0-9a-f]+$", entry["model"], "it is not a plain name")
	}
	require.Equal(t, [][]any{
		{"out", nil, "allow", "agent-7", []any{"resource:read"}},
		{"in", "out", "allow", "agent-7", []any{"path:write"}},
		{"in", "out", "deny", "agent-7", []any{"path:read"}},
	}, got)
}

// TestNothingOfAnInputIsWritten puts a word into every place that a model fills,
// under decisions of every kind.
func TestNothingOfAnInputIsWritten(t *testing.T) {
	t.Parallel()
	const canary = "k4nary"
	id := "call " + canary // as no provider makes one
	inputs := []string{
		`{"path":"` + canary + `"}`,
		`{"path":"/` + canary + `/x"}`,
		`{"command":"make ` + canary + `"}`,
		`{"command":"rm ` + canary + `"}`,
		`{"command":"curl ` + canary + `"}`,
		`{"note":"` + canary + `"}`,
		`{"path":"out/` + canary + `","later":"/` + canary + `"}`,
		`{"path":"out/` + canary + `","later":"out/` + canary + `"}`,
		`{"` + canary + `":1}`,
		canary,
	}
	person := func(b policy.Behavior) pegboard.Asker {
		return func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: "about " + string(q.Call.Input)}, nil
		}
	}
	quoting := func(b policy.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: "about " + string(h.Call.Input)}, nil
		}}
	}
	failing := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		return policy.Decision{}, errors.New("about " + string(h.Call.Input))
	}}
	config := policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Bash(make *)", "Edit(out/**)"}, Ask: []string{"Bash(rm *)"}}
	remembered := policy.RuleSet{Source: policy.SourceSession, Allow: []string{"Bash(curl " + canary + ")"}}
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
	}{
		{name: "rules alone"},
		{name: "a person allows", cfg: pegboard.SessionConfig{Ask: person(policy.Allow)}},
		{name: "a person denies", cfg: pegboard.SessionConfig{Ask: person(policy.Deny)}},
		{name: "a hook allows", cfg: pegboard.SessionConfig{Hooks: quoting(policy.Allow)}},
		{name: "a hook denies", cfg: pegboard.SessionConfig{Hooks: quoting(policy.Deny)}},
		{name: "a hook fails", cfg: pegboard.SessionConfig{Hooks: failing}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			silent, path := opened(t, audit.Options{})
			full, fullPath := opened(t, audit.Options{Inputs: true})
			tc.cfg.Dir, tc.cfg.Permissions = t.TempDir(), rules(t, config, remembered)
			p := pool(t, session(t, tc.cfg), worker("Bash"), worker("Write"))
			executor := &pegboard.Executor{OnEvent: func(e pegboard.Event) { silent.Record(e); full.Record(e) }}
			for _, input := range inputs {
				for _, tool := range []string{"Bash", "Write", canary} {
					executor.Run(t.Context(), p, call(id, tool, input))
				}
			}
			all, _ := entries(t, path)
			require.Greater(t, len(all), len(inputs))
			require.NotContains(t, read(t, path), canary)
			require.Contains(t, read(t, fullPath), canary)
		})
	}
}

// TestNamesThatAreNone: what could be a sentence is written as its digest.
func TestNamesThatAreNone(t *testing.T) {
	t.Parallel()
	const digest = `^sha256:[0-9a-f]{32}$`
	tests := []struct {
		name, text string
		kept       bool
	}{
		{name: "of a provider", text: "toolu_01A09q90qw90lq917835lq9", kept: true},
		{name: "with a place", text: "functions.Bash:0", kept: true},
		{name: "of an attached tool", text: "mcp__git-hub__list_issues", kept: true},
		{name: "of another script", text: "Öffne_ファイル", kept: true},
		{name: "as long as may be", text: strings.Repeat("a", 128), kept: true},
		{name: "longer", text: strings.Repeat("a", 129)},
		{name: "longer in bytes", text: strings.Repeat("ä", 65)},
		{name: "two words", text: "rm secret"},
		{name: "quotes", text: `a"b`},
		{name: "a line", text: "a\nb"},
		{name: "hidden", text: "a\u202eb"},
		{name: "not UTF-8", text: "a\xffb"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			log, path := opened(t, audit.Options{})
			e := decided(tc.text)
			e.Call.Name, e.TraceID = tc.text, tc.text
			log.Record(e)
			all, torn := entries(t, path)
			require.Zero(t, torn)
			for _, field := range []string{"call", "tool", "trace"} {
				if tc.kept {
					require.Equal(t, tc.text, all[0][field])
				} else {
					require.Regexp(t, digest, all[0][field])
				}
			}
		})
	}
}

func TestInputsAsTheyStandInALine(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	tests := []struct {
		name, input string
		want        any
	}{
		{name: "object", input: "{\n \"a\": [1, \"<b>\"]\n}", want: map[string]any{"a": []any{1.0, "<b>"}}},
		{name: "blank", input: " \n", want: nil},
		{name: "no JSON", input: "{\"a\":\n", want: "{\"a\":\n"},
		{name: "two values", input: "1],[2", want: "1],[2"},
		{name: "not UTF-8", input: "\"\xff\"", want: "\"\ufffd\""},
		{name: "deeper than readers go", input: deep, want: deep},
		{name: "ends of lines that JSON permits", input: "\"\u2028\u0085\x7f\U000e0001\"", want: "\u2028\u0085\x7f\U000e0001"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			log, path := opened(t, audit.Options{Inputs: true})
			e := decided("1")
			e.Call.Input = json.RawMessage(tc.input)
			log.Record(e)
			all, torn := entries(t, path)
			require.Zero(t, torn)
			require.Len(t, all, 1)
			require.Equal(t, tc.want, all[0]["input"])
			require.NotContains(t, read(t, path), "\u2028")
			require.NotContains(t, read(t, path), "\x7f")
		})
	}
}

// TestObservedStandsBesideTheInput: the log has what the model wrote and what it means, and
// nothing of a property that the host has bound.
func TestObservedStandsBesideTheInput(t *testing.T) {
	t.Parallel()
	type in struct {
		Path  string `json:"path"`
		Token string `json:"token"`
	}
	tool := pegboard.Build(pegboard.Definition[in, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.",
		Bound: map[string]pegboard.Binding{"token": func(*pegboard.Session) (any, error) { return "SECRET", nil }},
		Observe: func(in in, _ *pegboard.Call) map[string]any {
			return map[string]any{"path": "/w/" + strings.TrimPrefix(in.Path, "/w/"), "token": in.Token}
		},
		Call: func(_ context.Context, in in, _ *pegboard.Call) (string, error) { return in.Token[:1], nil },
	})
	for _, inputs := range []bool{true, false} {
		log, path := opened(t, audit.Options{Inputs: inputs})
		executor := &pegboard.Executor{OnEvent: log.Record}
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Allow: []string{"Look"}})})
		out := executor.Run(t.Context(), pool(t, s, tool), call("1", "Look", `{"path":"a"}`), call("2", "Look", `{"path":"/w/a"}`))
		require.Equal(t, "S", out[0].Result.Text())
		all, _ := entries(t, path)
		require.Len(t, all, 2)
		require.NotContains(t, read(t, path), "SECRET")
		require.NotContains(t, read(t, path), "token")
		if !inputs {
			require.NotContains(t, read(t, path), "/w")
			continue
		}
		require.Equal(t, map[string]any{"path": "a"}, all[0]["input"])
		require.Equal(t, map[string]any{"path": "/w/a"}, all[0]["observed"])
		require.Equal(t, map[string]any{"path": "/w/a"}, all[1]["input"])
		require.NotContains(t, all[1], "observed")
	}
}

func TestOnlyDecisionsAreRecorded(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	for kind := pegboard.EventAdmitted; kind <= pegboard.EventFinished; kind++ {
		e := decided("1")
		e.Kind = kind
		if kind == pegboard.EventDecided {
			e.Decision = nil
		}
		log.Record(e)
	}
	log.Record(pegboard.Event{Kind: pegboard.EventDecided, Decision: &policy.Decision{}})
	require.Empty(t, read(t, path))
	require.Zero(t, log.Lost())
}

// TestLineStandsBeforeTheToolRuns, and a host can rely on it.
func TestLineStandsBeforeTheToolRuns(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	executor := &pegboard.Executor{OnEvent: log.Record}
	seen := ""
	look := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks at the log.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { seen = read(t, path); return "", nil },
	})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Allow: []string{"Look"}})})
	require.NoError(t, executor.Run(t.Context(), pool(t, s, look), call("c1", "Look", `{}`))[0].Err)
	require.Contains(t, seen, `"call":"c1"`)
}

// TestHostThatRefusesUnseenCalls does as the package says.
func TestHostThatRefusesUnseenCalls(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var told []error
	log, err := audit.Open(path, audit.Options{OnError: func(err error) { told = append(told, err) }})
	require.NoError(t, err)
	ran := 0
	count := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Count"}, Description: "Counts.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { ran++; return "", nil },
	})
	unseen := errors.New("the audit log cannot be written")
	executor := &pegboard.Executor{OnEvent: log.Record, Invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		if log.Lost() > 0 {
			return nil, unseen
		}
		return t.Call(ctx, c)
	}}
	p := pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Allow: []string{"Count"}})}), count)
	require.NoError(t, executor.Run(t.Context(), p, call("1", "Count", `{}`))[0].Err)
	require.NoError(t, log.Close())
	require.ErrorIs(t, executor.Run(t.Context(), p, call("2", "Count", `{}`))[0].Err, unseen)
	require.Equal(t, 1, ran)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], os.ErrClosed)
	require.ErrorContains(t, log.Close(), "1 decisions have no line: audit log: file already closed")
}

// FuzzLine: whatever stands in an event makes one line of JSON, with nothing hidden
// in it, and without inputs only such words as could be a name.
func FuzzLine(f *testing.F) {
	f.Add("toolu_1", "Bash", "trace", "because", `{"command":"ls"}`, "ls", "git *", int64(0))
	f.Add("a\nb", "a b", "\"", "\xff", `{"a":`, "\u2028", "\x7f", int64(-1))
	f.Add("", "", "", "", "1],[2", "\U000e0001", "…", int64(1<<62))
	f.Fuzz(func(t *testing.T, id, tool, trace, reason, input, target, pattern string, number int64) {
		dir := t.TempDir()
		for _, inputs := range []bool{false, true} {
			path := filepath.Join(dir, "log")
			log, err := audit.Open(path, audit.Options{Inputs: inputs, MaxBytes: 1})
			require.NoError(t, err)
			log.Record(pegboard.Event{
				Kind: pegboard.EventDecided, Time: noon, TraceID: trace,
				Call:    &pegboard.Call{ID: id, Name: tool, Input: json.RawMessage(input)},
				Targets: []policy.Target{{Kind: policy.Kind(number), Access: policy.Access(number), Value: target}},
				Decision: &policy.Decision{
					Behavior: policy.Behavior(number), Reason: reason, By: policy.Decider(number),
					Rule: &policy.Rule{Tool: "Bash", Pattern: pattern, Source: policy.SourceSession},
				},
			})
			log.Record(pegboard.Event{
				Kind: pegboard.EventFinished, Time: noon, TraceID: trace,
				Call:    &pegboard.Call{ID: id, Name: tool, Input: json.RawMessage(input)},
				Outcome: &pegboard.Outcome{Err: &pegboard.CallError{Tool: tool, Stage: pegboard.StageAdmit, Err: fmt.Errorf("%w: %s", pegboard.ErrDuplicate, reason)}},
			})
			require.NoError(t, log.Close())
			for _, file := range []string{path + ".1", path} { // each line has a file of its own
				text := read(t, file)
				require.True(t, utf8.ValidString(text))
				line, ok := strings.CutSuffix(text, "\n")
				require.True(t, ok)
				require.Equal(t, -1, strings.IndexFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }), line)
				require.True(t, json.Valid([]byte(line)), line)
				if !inputs {
					require.NotContains(t, line, " ")
					require.Less(t, len(line), 1500)
				}
			}
		}
	})
}

// TestALogHoldsTheRulesOfToday runs calls whose decisions are logged with inputs, reads the log
// as rows, and holds two sets of rules against them.
func TestALogHoldsTheRulesOfToday(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600))
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{Inputs: true})
	require.NoError(t, err)
	poolUnder := func(rules policy.RuleSet) *pegboard.Pool {
		permissions, err := policy.New(policy.ModeDefault, rules)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions, Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
		var registry pegboard.Registry
		require.NoError(t, registry.Add(files.Tools()...))
		return registry.AssemblePool(s, pegboard.PoolConfig{})
	}
	rules := policy.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Edit(/src/vendor/**)"}}
	executor := pegboard.Executor{OnEvent: log.Record}
	pool := poolUnder(rules)
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "Read", Input: []byte(`{"file_path":"a.txt"}`)},
		{ID: "2", Name: "Write", Input: []byte(`{"file_path":"src/b.txt","content":""}`)},
		{ID: "3", Name: "Write", Input: []byte(`{"file_path":"src/vendor/b.txt","content":""}`)},
		{ID: "4", Name: "Write", Input: []byte(`{"file_path":"new.txt","content":""}`)}, // the user allows it
		{ID: "5", Name: "Write", Input: []byte(`{"path":"new.txt"}`)},                   // is not run
	} {
		executor.Run(t.Context(), pool, c)
	}
	require.NoError(t, log.Close())

	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := tooltest.ParseRuleRows(file)
	require.NoError(t, err)
	var want []policy.Behavior
	for _, r := range rows {
		want = append(want, r.Want)
	}
	require.Equal(t, []policy.Behavior{policy.Allow, policy.Allow, policy.Deny, policy.Ask}, want)
	require.NoError(t, tooltest.CheckRules(poolUnder(rules), rows...))
	err = tooltest.CheckRules(poolUnder(policy.RuleSet{Allow: []string{"Edit(/src/**)"}}), rows...)
	require.ErrorContains(t, err, "row 3: deny is wanted, and the decision is allow:")
}
