package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// teller returns a tool whose result is r.
func teller(info pegboard.Info, tell func(c *pegboard.Call) (*pegboard.Result, error), targets ...pegboard.Target) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: info, Description: "Tells something.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Targets: targets},
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) { return tell(c) },
	})
}

// tell runs a tool with that result in a session with a store of its own.
func tell(t testing.TB, cfg pegboard.SessionConfig, info pegboard.Info, r *pegboard.Result, err error) (pegboard.Outcome, *pegboard.DirStore) {
	t.Helper()
	store := dirStore(t, pegboard.DirOptions{})
	if cfg.Results == nil {
		cfg.Results = store
	}
	info.Name = "Tell"
	out := run(t, registryOf(t, teller(info, func(*pegboard.Call) (*pegboard.Result, error) { return r, err })), session(t, cfg), call("call_1", "Tell", `{}`))
	return out, store
}

func dirStore(t testing.TB, o pegboard.DirOptions) *pegboard.DirStore {
	t.Helper()
	store, err := pegboard.NewDirStore(t.TempDir(), "s1", o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %05d\n", i+1)
	}
	return b.String()
}

// held returns the stored bytes of ref.
func held(t testing.TB, store pegboard.ResultStore, ref string) string {
	t.Helper()
	r, err := store.Open(t.Context(), ref)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(b)
}

func files(t testing.TB, store *pegboard.DirStore) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(store.Dir())
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

var errFull = errors.New("no space left on device")

// brokenStore is a store whose disk is full.
type brokenStore struct{ panics bool }

func (b brokenStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	_, _ = io.CopyN(io.Discard, r, 10)
	if b.panics {
		panic("broken")
	}
	return pegboard.StoredResult{}, errFull
}

func (brokenStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

// oddStore gives what no store should.
type oddStore struct{ stored pegboard.StoredResult }

func (o oddStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	return o.stored, nil
}

func (oddStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, errFull }

// onePixel is a PNG.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xfa\xcf\x00\x00\x02\a\x01\x02\x9a\x1c1q\x00\x00\x00\x00IEND\xaeB`\x82")
