package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
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

func idleHooks() pegboard.Hooks {
	idle := func(ctx, *pegboard.HookCall) error { return nil }
	return pegboard.Hooks{Post: idle, PostFailure: idle}
}

// A hook that changes nothing must not make the preview be stored as if it were the result.
func TestReviewFitTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		info   pegboard.Info
		limits pegboard.ResultLimits
		text   string
		err    error
	}{
		{name: "a failure, default limits", text: strings.Repeat("0123456789\n", 3000), err: errors.New(strings.Repeat("0123456789\n", 3000))},
		{name: "a small limit of the tool", info: pegboard.Info{MaxResult: 1000}, text: strings.Repeat("0123456789\n", 3000)},
		{name: "a small limit of the session", limits: pegboard.ResultLimits{PerResult: 2000}, text: strings.Repeat("0123456789\n", 3000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r *pegboard.Result
			if tt.err == nil {
				r = pegboard.TextResult(tt.text)
			}
			out, store := tell(t, pegboard.SessionConfig{Hooks: idleHooks(), Limits: tt.limits}, tt.info, r, tt.err)
			require.Len(t, files(t, store), 1)
			require.Equal(t, tt.text, held(t, store, out.Result.Parts[0].Ref))
		})
	}
}

// What Call.Store made is not to be stored once more.
func TestReviewStoreThenFit(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell", MaxResult: 1000}, func(c *pegboard.Call) (*pegboard.Result, error) {
		p, err := c.Store(t.Context(), strings.NewReader(lines(5_000)))
		return &pegboard.Result{Parts: []pegboard.Part{p}}, err
	}))
	out := run(t, reg, s, call("1", "Tell", `{}`))
	require.Len(t, files(t, store), 1)
	require.Equal(t, lines(5_000), held(t, store, out.Result.Parts[0].Ref))
}

func TestReviewBatchHook(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	bad := pegboard.Part{MIME: "image/png", Data: []byte("x")}
	s := session(t, pegboard.SessionConfig{Results: store, Hooks: pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error {
		outs[0].Result = &pegboard.Result{Parts: []pegboard.Part{{Text: lines(100_000)}, bad}}
		return nil
	}}})
	out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("a"), nil })), s, call("1", "Tell", `{}`))
	require.Less(t, len(out.Result.Text()), 30_000)
	require.Empty(t, out.Result.Parts[1].Data)
}

// A request that was cancelled while it was put together says nothing for ever.
func TestReviewTrimCancelled(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Limits: pegboard.ResultLimits{PerMessage: 1_000}})
	history := []pegboard.HistoryResult{past(1, "a", 40_000)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.TrimResults(ctx, history)
	require.NotContains(t, s.TrimResults(t.Context(), history)[0], "could not be stored")
}

// The error is that of r, or of ctx.
func TestReviewStoreCancelled(t *testing.T) {
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

func TestReviewStoreOfAnEndlessReader(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		stop := make(chan struct{})
		time.AfterFunc(5*time.Second, func() { close(stop) })
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
	begun := time.Now()
	run(t, reg, s, call("1", "Tell", `{}`))
	require.Less(t, time.Since(begun), 3*time.Second, "Store goes on when ctx has ended")
	require.ErrorIs(t, <-got, context.DeadlineExceeded)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type hangingStore struct{ release chan struct{} }

func (h hangingStore) Put(context.Context, string, string, io.Reader) (pegboard.StoredResult, error) {
	<-h.release
	return pegboard.StoredResult{}, errFull
}
func (hangingStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, errFull }

// Invariant 1, "whatever happens": a store that never returns.
func TestReviewAStoreThatHangs(t *testing.T) {
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

// What is not on disk must not be taken from the host.
func TestReviewDataWithoutAStore(t *testing.T) {
	t.Parallel()
	r := pegboard.TextResult(lines(5_000))
	r.Data = lines(5_000)
	out, _ := tell(t, pegboard.SessionConfig{Results: brokenStore{}}, pegboard.Info{}, r, nil)
	require.NotNil(t, out.Result.Data)
}

// Wires take the MIME in any case, and with space before it.
func TestReviewImageTypesAreSpelledInManyWays(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"IMAGE/PNG", "Image/png", " image/png", "image/png; x=y"} {
		out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{{MIME: kind, Data: []byte("nonsense")}}}, nil)
		require.Empty(t, out.Result.Parts[0].Data, kind)
	}
}

// Result.Messages enters the history as well.
func TestReviewMessages(t *testing.T) {
	t.Parallel()
	bad := pegboard.Part{MIME: "image/png", Data: []byte("x")}
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Messages: []pegboard.Part{bad, {Text: lines(100_000)}}}, nil)
	require.Empty(t, out.Result.Messages[0].Data)
	require.Less(t, len(out.Result.Messages[1].Text), 100_000)
}

// Structured parts keep what they are: the source of a search result.
func TestReviewSearchResults(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{
		{Text: lines(2_000), Title: "A", Source: "https://a.example"}, {Text: lines(2_000), Title: "B", Source: "https://b.example"}}}, nil)
	b, err := json.Marshal(out.Result.Parts)
	require.NoError(t, err)
	require.Contains(t, string(b), "https://b.example")
}

// What is said before a call runs is shown to the model as well.
func TestReviewLongObjections(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	reg := registryOf(t, pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Validate: func(ctx, struct{}, *pegboard.Call) error { return errors.New(lines(50_000)) },
		Call:     func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	}))
	require.Less(t, len(run(t, reg, s, call("1", "T", `{}`)).Result.Text()), 30_000)
}

// The failure of a tool without a limit.
func TestReviewFailureOfAToolWithoutLimit(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{MaxResult: -1}, nil, errors.New(lines(100_000)))
	require.Less(t, len(out.Result.Text()), 100_000)
}

// A fork that was made before the store is closed after it.
func TestReviewForkOutlivesTemporaryStore(t *testing.T) {
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

// TestReviewCloseWhileStoring runs many calls with long results and closes in their midst.
func TestReviewCloseWhileStoring(t *testing.T) {
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

// An image that is refused is not one that is shown.
func TestReviewCountOfImages(t *testing.T) {
	t.Parallel()
	good := picture(t, 10, 10)
	out, _ := tell(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Count: 1}}}, pegboard.Info{},
		&pegboard.Result{Parts: []pegboard.Part{{MIME: "image/svg+xml", Data: []byte("<svg/>")}, good}}, nil)
	require.Equal(t, good.Data, out.Result.Parts[1].Data)
}

// Smaller gives back what no provider takes.
func TestReviewSmallerGivesNothing(t *testing.T) {
	t.Parallel()
	limits := pegboard.ResultLimits{Downscale: func(ctx, pegboard.Part) (pegboard.Part, error) { return pegboard.Part{}, nil }}
	out, _ := tell(t, pegboard.SessionConfig{Limits: limits}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{picture(t, 9_000, 1)}}, nil)
	require.NotEmpty(t, out.Result.Text(), "the model sees nothing at all")
}

// oddStore gives what no store should.
type oddStore struct{ stored pegboard.StoredResult }

func (o oddStore) Put(_ context.Context, _, _ string, r io.Reader) (pegboard.StoredResult, error) {
	return o.stored, nil
}
func (oddStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, errFull }

func TestReviewOddStores(t *testing.T) {
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

// Two forks have a call of the same id each.
func TestReviewForksWithOneID(t *testing.T) {
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

// Calls from inside a call bring all they have.
func TestReviewNegativeFailure(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{Results: brokenStore{}, Limits: pegboard.ResultLimits{PerError: -1}}, pegboard.Info{}, pegboard.TextResult(lines(5_000)), nil)
	require.Contains(t, out.Result.Text(), "line 00001")
}

// A Post hook that withholds a result leaves nothing of it for who looks in the store.
func TestReviewWithheldResultsAreNotStored(t *testing.T) {
	t.Parallel()
	out, store := tell(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(_ ctx, h *pegboard.HookCall) error {
		if strings.Contains(h.Outcome.Result.Text(), "SECRET") {
			return errors.New("no")
		}
		return nil
	}}}, pegboard.Info{}, pegboard.TextResult(lines(5_000)+"SECRET"), nil)
	require.True(t, out.Result.IsError, "the hook was not shown the secret")
	require.Empty(t, files(t, store))
}
