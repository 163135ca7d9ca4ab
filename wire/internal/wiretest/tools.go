package wiretest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// RequireGolden compares the tools of a request with those in testdata.
func RequireGolden(t testing.TB, codec wire.Codec) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(codec.Tools()))
}

// RunTools declares tools to the API: none, some whose names it does not take, and one that it
// refuses.
func RunTools(t *testing.T, w Wire) {
	t.Helper()
	t.Parallel()
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		for _, codec := range []wire.Codec{w.Zero, w.New(Pool(t))} {
			require.Equal(t, "[]", string(codec.Tools()))
			require.Equal(t, "any name", codec.Name("any name"))
			require.Equal(t, "{}", string(codec.Choice(wire.Choice{Mode: wire.Required})))
			require.Empty(t, codec.Omitted())
			require.Nil(t, codec.Loaded(nil))
			require.Nil(t, codec.User())
			require.Nil(t, codec.Recall([]string{"any name"}))
		}
	})
	t.Run("names", func(t *testing.T) {
		t.Parallel()
		requireNames(t, w)
	})
	t.Run("names that are made to collide", func(t *testing.T) {
		t.Parallel()
		requireNoCollision(t, w)
	})
	t.Run("one that is refused", func(t *testing.T) {
		t.Parallel()
		var r pegboard.Registry
		require.NoError(t, r.Add(Plain(t, "edit", "", AnyObject)))
		_, err := r.Attach("maps", Declared{Plain(t, "bad", "", AnyObject), w.Refused}, Plain(t, "route", "", AnyObject))
		require.NoError(t, err)
		p := Hosted(t, &r, Session(t))
		codec := w.New(p)
		require.Equal(t, []string{"edit", "mcp__maps__route"}, w.Names(t, codec.Tools()), "it costs nobody but itself")
		require.Len(t, codec.Omitted(), 1)
		problem := codec.Omitted()[0]
		require.Equal(t, wire.Problem{Tool: "mcp__maps__bad", Reason: problem.Reason, Omitted: true}, problem)
		require.Contains(t, problem.Reason, w.Reason)
		told := wire.Lint(p, w.Provider)
		require.Len(t, told, 1)
		require.Contains(t, told[0].String(), problem.Reason)
	})
}

// callOf returns a call of a tool by the name that the API knows, and the messages that hold it.
func (w Wire) callOf(t *testing.T, codec wire.Codec, apiName string) (tool string, m *wire.Message) {
	t.Helper()
	_, m, err := Read(codec, strings.NewReader(w.Reply(w.Call("a", apiName, "{}"))))
	require.NoError(t, err)
	require.Len(t, m.Calls, 1)
	return m.Calls[0].Name, m
}

func requireNames(t *testing.T, w Wire) {
	t.Helper()
	given := []string{"plain", "with-dash_9", "notes.add", "notes_add", "notes/add", "notes add", "ümlaut", "日本語", "_", ".", "..", "9lives", "-dash", strings.Repeat("é", 40), strings.Repeat("n", 65) + "!"}
	for n := 62; n < 70; n++ {
		given = append(given, strings.Repeat("n", n))
	}
	var tools []pegboard.Tool
	for _, name := range given {
		tools = append(tools, Plain(t, name, "", AnyObject))
	}
	codec := w.New(Pool(t, tools...))
	seen := map[string]string{}
	for _, name := range given {
		api := codec.Name(name)
		require.Regexp(t, w.APIName, api)
		require.NotContains(t, seen, api, "%q and %q share a name", name, seen[api])
		seen[api] = name
		if w.APIName.MatchString(name) {
			require.Equal(t, name, api)
		}
		called, m := w.callOf(t, codec, api)
		require.Equal(t, name, called)
		require.Equal(t, []string{name}, codec.Loaded(m.History))
		require.Contains(t, fmt.Sprintf("%s", m.History), `"`+api+`"`)
	}
	require.Equal(t, codec.Name("notes.add"), w.New(Pool(t, tools[2])).Name("notes.add"), "a name depends on the other tools")
	require.Regexp(t, `^notes_add_[0-9a-f]{12}$`, codec.Name("notes.add"))
	called, _ := w.callOf(t, codec, "unknown")
	require.Equal(t, "unknown", called)
	require.Len(t, w.Names(t, codec.Tools()), len(given))
	for _, name := range w.Names(t, codec.Tools()) {
		require.Contains(t, seen, name)
	}
}

// requireNoCollision attaches a tool whose name is the one that a built-in was given: the
// built-in keeps it.
func requireNoCollision(t *testing.T, w Wire) {
	t.Helper()
	const builtin = "mcp__maps__route."
	taken := w.New(Pool(t, Plain(t, builtin, "", AnyObject))).Name(builtin)
	var r pegboard.Registry
	require.NoError(t, r.Add(Plain(t, builtin, "", AnyObject)))
	_, err := r.Attach("maps", Plain(t, strings.TrimPrefix(taken, "mcp__maps__"), "", AnyObject))
	require.NoError(t, err)
	p := Hosted(t, &r, Session(t))
	_, clash := p.Lookup(taken)
	require.True(t, clash, "the attack needs a tool named %s", taken)

	codec := w.New(p)
	require.Equal(t, taken, codec.Name(builtin))
	require.NotEqual(t, taken, codec.Name(taken))
	require.Regexp(t, w.APIName, codec.Name(taken))
	for _, tool := range []string{builtin, taken} {
		called, _ := w.callOf(t, codec, codec.Name(tool))
		require.Equal(t, tool, called)
	}
}

// RunBuiltinPrefix attaches and detaches sources at random, with so many seeds. The request's
// tools begin with the same bytes all the time, in each of the forms that codecs make of a pool.
// Check looks at each Codec; it may be nil.
func RunBuiltinPrefix(t *testing.T, w Wire, seeds uint64, builtins []pegboard.Tool, codecs map[string]func(*pegboard.Pool) wire.Codec, check func(t testing.TB, codec wire.Codec)) {
	t.Helper()
	t.Parallel()
	for seed := range seeds {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(builtins...))
		s := Session(t)
		alone := Hosted(t, &r, s)
		for range 10 {
			AttachOrDetach(t, w, random, &r)
			p, again := Hosted(t, &r, s), Hosted(t, &r, s)
			for name, form := range codecs {
				prefix := strings.TrimSuffix(string(form(alone).Tools()), w.ToolsEnd)
				codec := form(p)
				tools := string(codec.Tools())
				rest, ok := strings.CutPrefix(tools, prefix)
				require.True(t, ok, "%s: the prefix changed:\n%s\n%s", name, prefix, tools)
				require.True(t, rest == w.ToolsEnd || rest[0] == ',' || rest[0] == '{' && strings.HasSuffix(prefix, "["), rest)
				require.Equal(t, tools, string(form(again).Tools()), name)
				refused := len(slices.DeleteFunc(codec.Omitted(), func(p wire.Problem) bool { return !p.Omitted }))
				require.Equal(t, p.Len(), len(w.Names(t, codec.Tools()))+refused, name)
				if check != nil {
					check(t, codec)
				}
			}
		}
	}
}

// AttachOrDetach attaches a source of a few tools, some of which the API refuses, or detaches it.
func AttachOrDetach(t testing.TB, w Wire, random *rand.Rand, r *pegboard.Registry) {
	t.Helper()
	source := fmt.Sprintf("source%d.%d", random.IntN(3), random.IntN(2))
	r.Detach(source) // which need not be there
	if random.IntN(3) == 0 {
		return
	}
	schemas := []string{
		AnyObject, `{}`, OnePath, `{"anyOf":[{}]}`, w.Refused,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]}},"required":["b"],"additionalProperties":false}`,
	}
	var tools []pegboard.Tool
	for i := range random.IntN(4) {
		name := []string{"add", "notes.add", "zoom", "日本", strings.Repeat("long", 20)}[random.IntN(5)]
		info := pegboard.Info{Name: fmt.Sprint(name, i), Loading: pegboard.Loading(random.IntN(3)), Strict: random.IntN(3) == 0}
		schema := schemas[random.IntN(len(schemas))]
		if schema == w.Refused {
			tools = append(tools, Declared{Tool(t, info, "", AnyObject), schema})
		} else {
			tools = append(tools, Tool(t, info, "", schema))
		}
	}
	_, err := r.Attach(source, tools...)
	require.NoError(t, err)
}
