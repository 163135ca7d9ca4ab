package pegboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The tests in this file are named after the invariants of the design. Each
// would fail without the mechanism that keeps its invariant.

// TestInvariant5ZeroValuesAreCautious walks through everything a tool can say about a
// call, without rules. Only harmless reads run.
func TestInvariant5ZeroValuesAreCautious(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	read := func(v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: v}
	}
	tests := []struct {
		name     string
		traits   pegboard.Traits
		attached bool
		user     bool
		runs     bool
		remedy   string // what the denial must name
	}{
		{name: "says nothing", remedy: "T"},
		{name: "read-only without targets", traits: pegboard.Traits{ReadOnly: true}, runs: true},
		{name: "the same, attached", traits: pegboard.Traits{ReadOnly: true}, attached: true, remedy: "mcp__src__T"},
		{name: "reads inside", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("a")}}, runs: true},
		{name: "reads inside, attached", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("a")}}, attached: true, runs: true},
		{name: "reads outside", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read(outside + "/x")}}, remedy: "Read(/" + outside + "/x)"},
		{name: "reads outside through a link", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("link/x")}}, remedy: "Read("},
		{name: "reads outside by dots", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("a/../../x")}}, remedy: "Read("},
		{name: "one of two outside", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("a"), read("/x")}}, remedy: "Read("},
		{name: "an other name outside", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: "a", Aliases: []string{"/x"}}}}, remedy: "Read("},
		{name: "reads and writes inside", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "a"}}}, remedy: "Edit(/a)"},
		{name: "open world", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{read("a")}}, remedy: "Read("},
		{name: "a free command", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "ls", Shell: policy.ShellFacts{ReadOnly: true}}}}, runs: true},
		{name: "a free command, attached", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "ls", Shell: policy.ShellFacts{ReadOnly: true}}}}, attached: true, remedy: "mcp__src__T"},
		{name: "a command", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "ls"}}}, remedy: "T"},
		{name: "a host", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Host, Access: policy.Read, Value: "example.com"}}}, remedy: "WebFetch(domain:example.com)"},
		{name: "opaque", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{}}}, remedy: "T"},
		{name: "opaque among others", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("a"), {}}}, remedy: "T"},
		{name: "needs a person", traits: pegboard.Traits{ReadOnly: true}, user: true, remedy: "person"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ran := false
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T", RequiresUser: tc.user}, Description: "For a test.", Traits: tc.traits,
				Call: func(ctx ctx, _ struct{}, _ *pegboard.Call) (string, error) { ran = true; return "ran", nil },
			})
			var reg pegboard.Registry
			name := "T"
			if tc.attached {
				_, err := reg.Attach("src", tool)
				require.NoError(t, err)
				name = "mcp__src__T"
			} else {
				require.NoError(t, reg.Add(tool))
			}
			out := run(t, &reg, session(t, pegboard.SessionConfig{Dir: dir}), call("1", name, `{}`))
			require.Equal(t, tc.runs, ran)
			if !tc.runs {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Contains(t, out.Result.Text(), tc.remedy)
			}
		})
	}
}

// TestInvariant6InputIsDecodedOnceStrictly sends what two readers of one JSON
// text could understand differently. None of it may reach the tool.
func TestInvariant6InputIsDecodedOnceStrictly(t *testing.T) {
	t.Parallel()
	type input struct {
		Path string `json:"path,omitempty"`
		Opts struct {
			Deep bool `json:"deep,omitempty"`
		} `json:"opts,omitzero"`
	}
	open := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"opts":{"type":"object","properties":{"deep":{"type":"boolean"}}}}}`)
	tests := []struct {
		name, input string
		ok          bool
		says        string
	}{
		{name: "plain", input: `{"path":"a"}`, ok: true},
		{name: "empty", input: ``, ok: true},
		{name: "blank", input: " \n\t", ok: true},
		{name: "key twice", input: `{"path":"/ok","path":"/etc/shadow"}`, says: `"path" appears twice`},
		{name: "key twice by escape", input: `{"path":"/ok","p\u0061th":"/etc/shadow"}`, says: `twice`},
		{name: "key in another case", input: `{"path":"/ok","PATH":"/etc/shadow"}`, says: `PATH`},
		{name: "only in another case", input: `{"Path":"/etc/shadow"}`, says: `path`},
		{name: "folded by Unicode", input: `{"opts":{"dee\u0050":true}}`, says: `deep`},
		{name: "nested twice", input: `{"opts":{"deep":true,"deep":false}}`, says: `twice`},
		{name: "nested other case", input: `{"opts":{"Deep":true}}`, says: `deep`},
		{name: "trailing", input: `{"path":"a"}{"path":"b"}`, says: `JSON`},
		{name: "cut off", input: `{"path":"a`, says: `JSON`},
		{name: "not an object", input: `["a"]`, says: `object`},
		{name: "null", input: `null`, says: `object`},
		{name: "a comment", input: `{"path":"a"} // done`, says: `JSON`},
		{name: "lone surrogate", input: `{"path":"\ud800"}`, says: `half a character`},
	}
	for _, tc := range tests {
		for _, raw := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/raw=%v", tc.name, raw), func(t *testing.T) {
				t.Parallel()
				ran := false
				tool := pegboard.Build(pegboard.Definition[input, string]{
					Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Targets: readsData.Targets},
					Call: func(ctx ctx, _ input, _ *pegboard.Call) (string, error) { ran = true; return "", nil },
				})
				if raw {
					var err error
					tool, err = pegboard.BuildRaw(open, pegboard.Definition[json.RawMessage, *pegboard.Result]{
						Info: pegboard.Info{Name: "T"}, Traits: pegboard.Traits{ReadOnly: true, Targets: readsData.Targets},
						Call: func(ctx ctx, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
							ran = true
							require.True(t, json.Valid(in))
							return nil, nil
						},
					})
					require.NoError(t, err)
				}
				var reg pegboard.Registry
				require.NoError(t, reg.Add(tool))
				out := run(t, &reg, session(t, pegboard.SessionConfig{}), call("1", "T", tc.input))
				require.Equal(t, tc.ok, ran)
				if !tc.ok {
					require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
					require.Contains(t, out.Result.Text(), tc.says)
				}
			})
		}
	}
}

// TestInvariant7BuiltinPrefixIsStable attaches and detaches sources at random
// and registers built-ins in random order: what precedes the external tools
// stays the same to the byte.
func TestInvariant7BuiltinPrefixIsStable(t *testing.T) {
	t.Parallel()
	names := []string{"Read", "Write", "Zed", "Bash", "mcp__a__x", "Ärger", "a b", "Agent"}
	prefix := ""
	for seed := range effort.Of(t, uint64(20)) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var reg pegboard.Registry
		for _, i := range rnd.Perm(len(names)) {
			require.NoError(t, reg.Add(inert(names[i])))
		}
		s := session(t, pegboard.SessionConfig{})
		for range 30 {
			src := fmt.Sprintf("s%d", rnd.IntN(4))
			if rnd.IntN(3) == 0 {
				reg.Detach(src)
			} else {
				var tools []pegboard.Tool
				for i := range rnd.IntN(5) {
					tools = append(tools, inert(fmt.Sprintf("t%d", i)))
				}
				_, err := offer(&reg, src, tools...)
				require.NoError(t, err)
			}
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			got := pool.Fingerprint(pegboard.Builtin)
			for d := range pool.Declarations(pegboard.Builtin) {
				got += d.Name + d.Description + string(d.InputSchema)
			}
			if prefix == "" {
				prefix = got
			}
			require.Equal(t, prefix, got)
		}
	}
}

// TestInvariant8OneBadToolIsQuarantined attaches every kind of bad tool beside a
// good one.
func TestInvariant8OneBadToolIsQuarantined(t *testing.T) {
	t.Parallel()
	type hollow struct{ pegboard.Tool }
	_, broken := pegboard.BuildRaw(json.RawMessage(`{"type":"objekt"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "broken"},
		Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.Error(t, broken)
	var reg pegboard.Registry
	report, err := reg.Attach("src",
		inert("good"), hollow{}, nil, pegboard.InvalidTool("broken", broken), inert("twin"), inert("twin"), hollow{inert("wrapped")})
	require.NoError(t, err)
	require.Equal(t, []string{"mcp__src__good", "mcp__src__twin", "mcp__src__wrapped"}, report.Added)
	require.Len(t, report.Quarantined, 4)
	require.ErrorIs(t, report.Quarantined["twin"], pegboard.ErrDuplicate)
	require.ErrorIs(t, report.Quarantined["broken"], broken)

	s := session(t, pegboard.SessionConfig{})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	require.Equal(t, 3, pool.Len())
	require.Contains(t, pool.Explain("broken"), "objekt")
	out := run(t, &reg, s, call("1", "mcp__src__broken", `{}`))
	require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
}

// TestInvariant14EveryErrorSpeaksToBothSides makes a call fail at every stage.
// The model's text names the tool and the next step; the host's error is typed.
func TestInvariant14EveryErrorSpeaksToBothSides(t *testing.T) {
	t.Parallel()
	type input struct {
		N int `json:"n" jsonschema:"minimum=1"`
	}
	boom := errors.New("boom")
	build := func(change func(*pegboard.Definition[input, string])) pegboard.Tool {
		d := pegboard.Definition[input, string]{
			Description: "Goes wrong.",
			Info:        pegboard.Info{Name: "Trial"}, Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
		}
		change(&d)
		return pegboard.Build(d)
	}
	plain := func(*pegboard.Definition[input, string]) {}
	tests := []struct {
		name   string
		def    func(*pegboard.Definition[input, string])
		hooks  pegboard.Hooks
		called string
		input  string
		is     error
		stage  pegboard.Stage
		says   []string
	}{
		{name: "unknown", def: plain, called: "Trail", is: pegboard.ErrUnknownTool, stage: pegboard.StageLookup, says: []string{"Trail is not", "Did you mean Trial?"}},
		{name: "invalid", def: plain, input: `{"n":0,"m":1}`, is: pegboard.ErrInvalidInput, stage: pegboard.StageDecode, says: []string{"n", "m", "Correct the input"}},
		{name: "validate", def: func(d *pegboard.Definition[input, string]) {
			d.Validate = func(ctx, input, *pegboard.Call) error { return errors.New("n must be prime; take 7") }
		}, is: pegboard.ErrInvalidInput, stage: pegboard.StageValidate, says: []string{"take 7"}},
		{name: "hook fails", def: plain, hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return policy.Decision{}, boom }}, is: boom, stage: pegboard.StageHook, says: []string{"hook", "Tell the user"}},
		{name: "hook denies", def: plain, hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "not on Fridays"}, nil
		}}, is: pegboard.ErrDenied, stage: pegboard.StagePermission, says: []string{"not on Fridays", "do something else"}},
		{name: "hook panics", def: plain, hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { panic(boom) }}, is: pegboard.ErrPanic, stage: pegboard.StageHook, says: []string{"Tell the user"}},
		{name: "tool denies", def: func(d *pegboard.Definition[input, string]) {
			d.Permit = func(ctx, input, *pegboard.Call) policy.Decision {
				return policy.Decision{Behavior: policy.Deny, Reason: "protected"}
			}
		}, is: pegboard.ErrDenied, stage: pegboard.StagePermission, says: []string{"protected"}},
		{name: "nobody to ask", def: func(d *pegboard.Definition[input, string]) { d.Traits = pegboard.Traits{} }, is: pegboard.ErrDenied, stage: pegboard.StagePermission, says: []string{"allow rule Trial"}},
		{name: "fails", def: func(d *pegboard.Definition[input, string]) {
			d.Call = func(ctx, input, *pegboard.Call) (string, error) { return "", boom }
		}, is: boom, stage: pegboard.StageCall, says: []string{"boom"}},
		{name: "panics", def: func(d *pegboard.Definition[input, string]) {
			d.Call = func(ctx, input, *pegboard.Call) (string, error) { panic("oh") }
		}, is: pegboard.ErrPanic, stage: pegboard.StageCall, says: []string{"not the input"}},
		{name: "cannot be encoded", def: func(d *pegboard.Definition[input, string]) {
			d.Result = func(string) *pegboard.Result { panic("oh") }
		}, is: pegboard.ErrPanic, stage: pegboard.StageCall, says: []string{"not the input"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			require.NoError(t, reg.Add(build(tc.def)))
			name, input := "Trial", `{"n":1}`
			if tc.called != "" {
				name = tc.called
			}
			if tc.input != "" {
				input = tc.input
			}
			out := run(t, &reg, session(t, pegboard.SessionConfig{Hooks: tc.hooks}), call("7", name, input))
			require.ErrorIs(t, out.Err, tc.is)
			var ce *pegboard.CallError
			require.ErrorAs(t, out.Err, &ce)
			require.Equal(t, tc.stage, ce.Stage)
			require.Equal(t, "7", ce.CallID)
			require.True(t, out.Result.IsError)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
			require.NotContains(t, strings.ToLower(out.Result.Text()), "goroutine")
		})
	}
}
