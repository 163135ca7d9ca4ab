package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// held returns what the store has under ref.
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

func TestLongResultsAreStored(t *testing.T) {
	t.Parallel()
	text := lines(5_000) // of 11 bytes
	out, store := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, pegboard.TextResult(text), nil)
	require.NoError(t, out.Err)
	require.Len(t, out.Result.Parts, 1)
	p := out.Result.Parts[0]
	require.Equal(t, text, held(t, store, p.Ref))
	require.Equal(t, []string{p.Ref}, files(t, store))
	require.True(t, strings.HasPrefix(p.Ref, "call_1"), p.Ref)
	first, rest, _ := strings.Cut(p.Text, "\n")
	for _, want := range []string{"55000 bytes", "5000 lines", filepath.Join(store.Dir(), p.Ref), "Read (offset and limit in lines)"} {
		require.Contains(t, first, want)
	}
	require.True(t, strings.HasPrefix(text, rest+"\n"), "whole lines from the beginning")
	require.LessOrEqual(t, len(rest), pegboard.DefaultPreview)
}

func TestWhatIsStored(t *testing.T) {
	t.Parallel()
	long := lines(5_000)
	png := pegboard.Part{MIME: "image/png", Data: onePixel}
	tests := []struct {
		name     string
		cfg      pegboard.SessionConfig
		info     pegboard.Info
		result   *pegboard.Result
		err      error
		stored   bool
		most     int // characters of all text
		contains []string
		parts    int
	}{
		{name: "just short enough", result: pegboard.TextResult(strings.Repeat("ä", 30_000)), most: 30_000, parts: 1},
		{name: "one character more", result: pegboard.TextResult(strings.Repeat("ä", 30_001)), stored: true, most: 2_300, contains: []string{"60002 bytes, 1 line."}, parts: 1},
		{name: "the tool's own limit", info: pegboard.Info{MaxResult: 100}, result: pegboard.TextResult(strings.Repeat("x\n", 60)), stored: true, most: 500, parts: 1},
		{name: "the session's limit", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerResult: 100, Preview: 50}}, result: pegboard.TextResult(strings.Repeat("x\n", 60)), stored: true, most: 400, parts: 1},
		{name: "never stored", info: pegboard.Info{MaxResult: -1}, result: pegboard.TextResult(long), most: len(long), parts: 1},
		{name: "several texts", result: &pegboard.Result{Parts: []pegboard.Part{{Text: long}, png, {Text: long}}}, stored: true, most: 2_300, contains: []string{"110001 bytes"}, parts: 2},
		{name: "a reference to a tool stays", result: &pegboard.Result{Parts: []pegboard.Part{{Tool: "X"}, {Text: long}}}, stored: true, most: 2_300, parts: 2},
		{name: "a failure", result: nil, err: errors.New("bad\n" + long + "the end"), stored: true, most: 10_400, contains: []string{"bad\n", "line 00001\n", "line 05000\nthe end"}, parts: 1},
		{name: "a short failure", result: nil, err: errors.New(lines(800)), most: 9_000, parts: 1},
		{name: "a failure that the tool reports", result: &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: lines(1_000)}}}, stored: true, most: 10_400, contains: []string{"line 01000"}, parts: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, store := tell(t, tt.cfg, tt.info, tt.result, tt.err)
			require.Equal(t, tt.err != nil || tt.result.IsError, out.Result.IsError, "a cut does not change what the result means")
			require.Len(t, out.Result.Parts, tt.parts)
			text := out.Result.Text()
			require.LessOrEqual(t, len([]rune(text)), tt.most)
			for _, want := range tt.contains {
				require.Contains(t, text, want)
			}
			require.Equal(t, tt.stored, len(files(t, store)) == 1)
			if tt.stored {
				require.True(t, strings.HasPrefix(text, "["), text[:20])
			}
		})
	}
}

func TestJSONIsCutByItsStructure(t *testing.T) {
	t.Parallel()
	var doc struct {
		Total int
		Items []map[string]any
	}
	for i := range 2_000 {
		doc.Items = append(doc.Items, map[string]any{"id": i, "name": strings.Repeat("n", i%50)})
	}
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	out, store := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, pegboard.TextResult(string(raw)), nil)
	note, rest, _ := strings.Cut(out.Result.Text(), "\n")
	require.Contains(t, note, filepath.Join(store.Dir(), out.Result.Parts[0].Ref))
	require.True(t, json.Valid([]byte(rest)), rest)
	require.Contains(t, rest, `more items"`)
	require.Equal(t, string(raw), held(t, store, out.Result.Parts[0].Ref))
}

func TestExternalToolsCannotOptOut(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store, Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})})
	var reg pegboard.Registry
	for name, limit := range map[string]int{"none": -1, "vast": 1 << 30, "some": 40_000} {
		_, err := reg.Attach(name, teller(pegboard.Info{Name: "t", MaxResult: limit}, func(c *pegboard.Call) (*pegboard.Result, error) {
			if strings.Contains(c.Name, "some") {
				return pegboard.TextResult(strings.Repeat("x", 40_000)), nil
			}
			return pegboard.TextResult(strings.Repeat("x", pegboard.MaxExternalResult+1)), nil
		}))
		require.NoError(t, err)
	}
	require.Len(t, run(t, &reg, s, call("1", "mcp__some__t", `{}`)).Result.Text(), 40_000)
	require.Less(t, len(run(t, &reg, s, call("2", "mcp__none__t", `{}`)).Result.Text()), 3_000)
	require.Less(t, len(run(t, &reg, s, call("3", "mcp__vast__t", `{}`)).Result.Text()), 3_000)
}

// brokenStore is a store whose disk is full.
type brokenStore struct{ panics bool }

var errFull = errors.New("no space left on device")

func (b brokenStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	_, _ = io.CopyN(io.Discard, r, 10)
	if b.panics {
		panic("broken")
	}
	return pegboard.StoredResult{}, errFull
}

func (brokenStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

func TestInvariant13AFullDisk(t *testing.T) {
	t.Parallel()
	for _, store := range []brokenStore{{}, {panics: true}} {
		out, _ := tell(t, pegboard.SessionConfig{Results: store}, pegboard.Info{}, pegboard.TextResult(lines(5_000)), nil)
		require.NoError(t, out.Err)
		require.False(t, out.Result.IsError)
		require.Empty(t, out.Result.Parts[0].Ref)
		for _, want := range []string{"could not be stored", "55000 bytes, 5000 lines", "line 00001\n", "line 05000"} {
			require.Contains(t, out.Result.Text(), want)
		}
	}
}

// TestStoredResultsAreReadUnasked and not stored again.
func TestStoredResultsAreReadUnasked(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	long := pegboard.TextResult(lines(5_000))
	first := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil })), s, call("1", "Tell", `{}`))
	path := filepath.Join(store.Dir(), first.Result.Parts[0].Ref)
	reg := registryOf(t, teller(pegboard.Info{Name: "Show"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil },
		pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}))
	again := run(t, reg, s, call("2", "Show", `{}`))
	require.NoError(t, again.Err, "nobody was there to ask")
	require.Len(t, files(t, store), 1)
	require.Empty(t, again.Result.Parts[0].Ref)
	require.Contains(t, again.Result.Text(), "ask for less at once")
	require.Greater(t, len(again.Result.Text()), 25_000, "who reads on wants to read")

	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	require.NoError(t, run(t, reg, fork, call("3", "Show", `{}`)).Err)
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Results: store})
	require.ErrorContains(t, err, "Results")
}

func TestTextOnDiskIsNotInMemory(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 5_000} {
		reg := registryOf(t, pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return lines(n), nil },
		}))
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})}), pegboard.PoolConfig{}), call("1", "T", `{}`))[0]
		require.Equal(t, n == 10, out.Result.Data != nil)
	}
}

func TestHooksSeeAndGiveLongResults(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	var seen string
	s := session(t, pegboard.SessionConfig{Results: store, Hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
		seen = h.Outcome.Result.Text()
		h.Outcome.Result = pegboard.TextResult(lines(6_000))
		return nil
	}}})
	out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(5_000)), nil })), s, call("1", "Tell", `{}`))
	require.Equal(t, lines(5_000), seen, "nothing was stored before")
	require.Contains(t, out.Result.Text(), "6000 lines")
	require.Len(t, files(t, store), 1, "what the hook took away is nowhere")
	require.Equal(t, lines(6_000), held(t, store, out.Result.Parts[0].Ref))
}

func TestCallStore(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	broken := errors.New("the line broke")
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		p, err := c.Store(t.Context(), strings.NewReader(lines(100_000)))
		require.NoError(t, err)
		cut, err := c.Store(t.Context(), io.MultiReader(strings.NewReader(lines(10)), iotestErr{broken}))
		require.ErrorIs(t, err, broken)
		require.Contains(t, cut.Text, "line 00010")
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	out := run(t, reg, s, call("1", "Tell", `{}`))
	require.Contains(t, out.Result.Text(), "1100001 bytes, 100000 lines")
	require.Equal(t, lines(100_000), held(t, store, out.Result.Parts[0].Ref))
	_, err := new(pegboard.Call).Store(t.Context(), strings.NewReader(""))
	require.ErrorIs(t, err, pegboard.ErrDenied)
}

type iotestErr struct{ err error }

func (r iotestErr) Read([]byte) (int, error) { return 0, r.err }

// TestDefaultStore is made when it is needed, and goes with the session.
func TestDefaultStore(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(5_000)), nil })), s, call("1", "Tell", `{}`))
	store := s.ResultStore()
	own, ok := store.(*pegboard.DirStore)
	require.True(t, ok)
	dir := own.Dir()
	require.Equal(t, lines(5_000), held(t, store, out.Result.Parts[0].Ref))
	require.NoError(t, s.Close(t.Context()))
	require.NoDirExists(t, dir)
}

func TestDirStoreKeepsItsTypes(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{MaxFile: 100})
	for mimeType, ext := range map[string]string{"text/plain; charset=utf-8": ".txt", "": ".txt", "image/jpeg": ".jpg", "image/png": ".png", "application/json": ".json", "nonsense": ".txt"} {
		stored, err := store.Put(t.Context(), "id", mimeType, bytes.NewReader(onePixel))
		require.NoError(t, err)
		require.Equal(t, ext, filepath.Ext(stored.Ref), mimeType)
	}
	_, err := store.Open(t.Context(), "../x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	long, err := store.Put(t.Context(), "long", "text/plain", strings.NewReader(lines(50)))
	require.NoError(t, err)
	require.LessOrEqual(t, long.Size, int64(100))
	require.NoError(t, store.Sweep(t.Context()))
}

// onePixel is a PNG.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xfa\xcf\x00\x00\x02\a\x01\x02\x9a\x1c1q\x00\x00\x00\x00IEND\xaeB`\x82")
