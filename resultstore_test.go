package pegboard_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

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

type hangingStore struct{ release chan struct{} }

func (h hangingStore) Put(context.Context, string, string, io.Reader) (pegboard.StoredResult, error) {
	<-h.release
	return pegboard.StoredResult{}, errFull
}

func (hangingStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, errFull }

// Invariant 1 holds for a store that never returns.
func TestStoreThatHangsDoesNotHoldUpTheOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := hangingStore{make(chan struct{})}
		s := session(t, pegboard.SessionConfig{Results: h})
		reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(5_000)), nil }))
		done := make(chan []pegboard.Outcome, 1)
		pool, ex := reg.AssemblePool(s, pegboard.PoolConfig{}), executor(pegboard.Executor{})
		go func() { done <- ex.Run(context.Background(), pool, call("1", "Tell", `{}`)) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		answered := len(done) == 1
		close(h.release)
		<-done
		require.True(t, answered, "no outcome after ten minutes")
	})
}

func TestNonsenseFromAStoreIsNotShown(t *testing.T) {
	t.Parallel()
	for _, st := range []pegboard.StoredResult{{}, {Ref: "r", Size: -1}, {Ref: "a\nb", Size: 1 << 60}, {Ref: strings.Repeat("r", 50_000)}} {
		out, _ := tell(t, pegboard.SessionConfig{Results: oddStore{st}}, pegboard.Info{}, pegboard.TextResult(lines(5_000)), nil)
		note, _, _ := strings.Cut(out.Result.Text(), "\n")
		t.Logf("%.300s", note)
		require.Contains(t, note, "55000 bytes, 5000 lines")
		require.NotContains(t, note, "-1 bytes")
		require.True(t, strings.HasSuffix(note, "]"), "the notice is one line")
		require.Less(t, len(out.Result.Text()), 30_000)
	}
}

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

// The temporary store is closed after the forks that were made before it.
func TestForkMayStoreUntilItIsClosed(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
	require.NoError(t, err)
	store := s.ResultStore()
	fork.OnClose("last words", func(c context.Context) error {
		_, err := store.Put(c, "1", "text/plain", strings.NewReader("x"))
		return err
	})
	require.NoError(t, s.Close(t.Context()))
}

// TestCloseWhileStoringLeavesNoDirectory runs many calls with long results and closes in their midst.
func TestCloseWhileStoringLeavesNoDirectory(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 30) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{})
		require.NoError(t, err)
		store, ok := s.ResultStore().(*pegboard.DirStore)
		require.True(t, ok)
		dir := store.Dir()
		text := lines(200_000)
		reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(text), nil }))
		var calls []pegboard.Call
		for i := range 8 {
			calls = append(calls, call(fmt.Sprint("c", i), "Tell", `{}`))
		}
		done := make(chan []pegboard.Outcome, 1)
		go func() {
			ex := executor(pegboard.Executor{})
			done <- ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}), calls...)
		}()
		time.Sleep(time.Duration(len(calls)) * time.Millisecond)
		err = s.Close(t.Context())
		<-done
		require.NoError(t, err)
		require.NoDirExists(t, filepath.Dir(dir))
	}
}

// Two forks may have calls of the same id. Each result is stored by itself.
func TestForksWithTheSameCallIDDoNotOverwrite(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	for i := range 3 {
		f, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: fmt.Sprint(i)})
		require.NoError(t, err)
		text := fmt.Sprint(i) + lines(5_000)
		for range 2 {
			out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(text), nil })), f, call("", "Tell", `{}`))
			require.Equal(t, text, held(t, store, out.Result.Parts[0].Ref))
		}
	}
	require.Len(t, files(t, store), 3)
}

func TestDirStoreKeepsItsTypes(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{MaxFile: 100})
	for mimeType, ext := range map[string]string{"text/plain; charset=utf-8": ".txt", "": ".txt", "image/jpeg": ".jpg", "image/png": ".png", "application/json": ".json", "nonsense": ".txt"} {
		stored, err := store.Put(t.Context(), "id", mimeType, bytes.NewReader(onePixel))
		require.NoError(t, err)
		require.Equal(t, ext, filepath.Ext(stored.Ref), mimeType)
	}
	long, err := store.Put(t.Context(), "long", "text/plain", strings.NewReader(lines(50)))
	require.NoError(t, err)
	require.LessOrEqual(t, long.Size, int64(100))
	require.NoError(t, store.Sweep(t.Context()))
}
