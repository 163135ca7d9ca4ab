package pegboard_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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

// The error of Call.Store is that of its reader or of its context.
func TestCallStoreReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p, err := c.Store(cancelled, strings.NewReader(lines(20_000)))
		got <- err
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.Canceled)
}

func TestCallStoreOfAnEndlessReaderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		stop := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stop) })
		_, err := c.Store(soon, readerFunc(func(p []byte) (int, error) {
			select {
			case <-stop:
				return 0, io.EOF
			default:
				return len(p), nil
			}
		}))
		got <- err
		return pegboard.TextResult("ok"), nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.DeadlineExceeded)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

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
