package code_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// gopls returns the server that is installed for tests.
func gopls(t testing.TB) code.Server {
	t.Helper()
	return code.Server{
		Name: "gopls", Command: reference.Args(t, reference.Gopls),
		Languages: map[string]string{".go": "go"}, Roots: []string{"go.mod"},
	}
}

// ground is a directory and a session that works in it.
type ground struct {
	dir     string
	session *pegboard.Session
	pool    *pegboard.Pool
}

// newGround writes files into a new directory and returns a session in it, with the tool and
// those that edit.
func newGround(t testing.TB, o code.Options, cfg pegboard.SessionConfig, texts map[string]string) *ground {
	t.Helper()
	around, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	g := &ground{dir: filepath.Join(around, "work")}
	for name, text := range texts {
		g.put(t, name, text)
	}
	cfg.Dir = g.dir
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1} // tests repeat themselves
	g.session, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.session.Close(context.Background())) })
	return g.with(t, code.LSP(o))
}

// with gives the session that tool beside those that edit.
func (g *ground) with(t testing.TB, lsp pegboard.Tool) *ground {
	t.Helper()
	var registry pegboard.Registry
	require.NoError(t, registry.Add(append(files.Tools(), lsp)...))
	g.pool = registry.AssemblePool(g.session, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureLSP}}})
	return g
}

// put writes a file below the directory.
func (g *ground) put(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(g.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// call takes one call through an Executor.
func (g *ground) call(t testing.TB, name string, input map[string]any) pegboard.Outcome {
	t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	outcomes := new(pegboard.Executor).Run(t.Context(), g.pool, pegboard.Call{ID: "1", Name: name, Input: raw})
	require.Len(t, outcomes, 1)
	return outcomes[0]
}

// ask asks about a position.
func (g *ground) ask(t testing.TB, operation, file string, line, character int) pegboard.Outcome {
	t.Helper()
	return g.call(t, "LSP", map[string]any{"operation": operation, "filePath": file, "line": line, "character": character, "query": "Engl"})
}
