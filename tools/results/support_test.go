package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
)

// memory is a store of its own kind: its references are no file names, and its readers
// cannot seek.
type memory struct {
	texts  map[string]string
	opens  error // of Open, instead of fs.ErrNotExist
	breaks int   // after how many bytes reading fails; 0 means never
}

var errLine = errors.New("the line broke")

func (m memory) Put(_ context.Context, id, _ string, r io.Reader) (pegboard.StoredResult, error) {
	b, err := io.ReadAll(r)
	m.texts["mem:/"+id] = string(b)
	return pegboard.StoredResult{Ref: "mem:/" + id, Size: int64(len(b))}, err
}

func (m memory) Open(_ context.Context, ref string) (io.ReadCloser, error) {
	text, ok := m.texts[ref]
	if m.opens != nil {
		return nil, m.opens
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	if m.breaks > 0 {
		return io.NopCloser(io.MultiReader(strings.NewReader(text[:m.breaks]), broken{})), nil
	}
	return io.NopCloser(struct{ io.Reader }{strings.NewReader(text)}), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errLine }

// kept returns a session with a store that can seek and holds text, and the reference.
func kept(t testing.TB, text string) (*pegboard.Session, pegboard.StoredResult) {
	t.Helper()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	stored, err := store.Put(t.Context(), "call_1", "text/plain", strings.NewReader(text))
	require.NoError(t, err)
	return sessionWith(t, store), stored
}

// inMemory is kept with a store that cannot seek.
func inMemory(t testing.TB, text string) (*pegboard.Session, pegboard.StoredResult) {
	t.Helper()
	store := memory{texts: map[string]string{}}
	stored, err := store.Put(t.Context(), "call_1", "text/plain", strings.NewReader(text))
	require.NoError(t, err)
	return sessionWith(t, store), stored
}

// sessionWith returns a session in which nobody can be asked.
func sessionWith(t testing.TB, store pegboard.ResultStore) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: t.TempDir(), Results: store,
		Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}, // tests repeat themselves
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

type fields map[string]any

func call(ctx context.Context, t testing.TB, s *pegboard.Session, o results.Options, in fields) pegboard.Outcome {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(results.Read(o)))
	var ex pegboard.Executor
	return ex.Run(ctx, reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "ReadResult", Input: raw})[0]
}

// read makes a call that must succeed, and returns the notice and what is below it.
func read(t testing.TB, s *pegboard.Session, o results.Options, in fields) (notice, text string, out results.Output) {
	t.Helper()
	outcome := call(t.Context(), t, s, o, in)
	require.NoError(t, outcome.Err, outcome.Result.Text())
	out, ok := outcome.Result.Data.(results.Output)
	require.True(t, ok)
	notice, text, _ = strings.Cut(outcome.Result.Text(), "\n")
	require.Equal(t, out.Content, text)
	return notice, text, out
}
