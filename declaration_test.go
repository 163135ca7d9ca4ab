package pegboard_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
