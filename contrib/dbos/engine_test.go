package dbos_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // for the URLs of the tests
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/dbos"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// open returns an engine that records in a file. It is shut down by close.
func open(file string) (e *dbos.Engine, close func() error, err error) {
	d, err := sdk.NewContext(context.Background(), sdk.Config{
		AppName: "test", DatabaseURL: "sqlite:" + file, ApplicationVersion: "1", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, nil, err
	}
	e = dbos.NewEngine(d)
	return e, func() error { return sdk.Shutdown(d, time.Minute) }, sdk.Launch(d)
}

// opened is open for a test.
func opened(t *testing.T, file string) (e *dbos.Engine, shutDown func()) {
	t.Helper()
	e, shutDownNow, err := open(file)
	require.NoError(t, err)
	shutDown = func() { require.NoError(t, shutDownNow()) }
	t.Cleanup(shutDown)
	return e, shutDown
}

type text struct {
	Text string `json:"text,omitempty"`
}

// tool returns a tool that may run.
func tool(name string, traits pegboard.Traits, run func(context.Context, text, *pegboard.Call) (*pegboard.Result, error)) pegboard.Tool {
	traits.Targets = []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: name}} // which conflicts with nothing
	return pegboard.Build(pegboard.Definition[text, *pegboard.Result]{Info: pegboard.Info{Name: name}, Description: "For a test.", Traits: traits, Call: run})
}

// poolOf returns the pool of a session that is told everything.
func poolOf(id string, tools ...pegboard.Tool) (*pegboard.Pool, error) {
	permissions, err := policy.New(policy.ModeBypass)
	if err != nil {
		return nil, err
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: id, Dir: "/", Permissions: permissions, Breaker: pegboard.BreakerLimits{Repeats: -1}})
	if err != nil {
		return nil, err
	}
	var registry pegboard.Registry
	if err := registry.Add(tools...); err != nil {
		return nil, err
	}
	return registry.AssemblePool(s, pegboard.PoolConfig{}), nil
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// ask runs a message of one call with an engine.
func ask(t *testing.T, e *dbos.Engine, session string, c pegboard.Call, tools ...pegboard.Tool) pegboard.Outcome {
	t.Helper()
	pool, err := poolOf(session, tools...)
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.Session().Close(context.Background())) }()
	executor := pegboard.Executor{Invoke: e.Invoke, Logger: slog.New(slog.DiscardHandler)}
	return executor.Run(pegboard.WithTurn(t.Context(), "turn"), pool, c)[0]
}

// TestInvokeKeepsItsContract is the suite for every Invoke.
func TestInvokeKeepsItsContract(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, filepath.Join(t.TempDir(), "calls.db"))
	require.NoError(t, tooltest.CheckInvoke(func(*pegboard.Pool) (pegboard.Invoke, error) { return e.Invoke, nil }))
}

// TestResultsOutliveTheProgram: what has ended is not run again, whatever its end was.
func TestResultsOutliveTheProgram(t *testing.T) {
	t.Parallel()
	file, ran := filepath.Join(t.TempDir(), "calls.db"), 0
	run := func(_ context.Context, in text, _ *pegboard.Call) (*pegboard.Result, error) {
		ran++
		switch in.Text {
		case "fail":
			return nil, errors.New("no luck")
		case "panic":
			panic("no index")
		}
		return &pegboard.Result{Parts: []pegboard.Part{{Text: "paid"}, {MIME: "application/pdf", Data: []byte{1, 2}}}, Data: map[string]int{"cents": 5}}, nil
	}
	pay := tool("Pay", pegboard.Traits{}, run)
	for again := range 2 {
		e, shutDown := opened(t, file)
		good := ask(t, e, "s", call("1", "Pay", `{}`), pay)
		require.NoError(t, good.Err)
		require.Equal(t, "paid", good.Result.Parts[0].Text)
		require.Equal(t, []byte{1, 2}, good.Result.Parts[1].Data)
		data, err := json.Marshal(good.Result.Data)
		require.NoError(t, err)
		require.JSONEq(t, `{"cents":5}`, string(data))
		bad := ask(t, e, "s", call("2", "Pay", `{"text":"fail"}`), pay)
		require.ErrorContains(t, bad.Err, "no luck")
		worse := ask(t, e, "s", call("3", "Pay", `{"text":"panic"}`), pay)
		require.ErrorIs(t, worse.Err, pegboard.ErrPanic)
		require.Equal(t, 3, ran, "the run %d", again)
		shutDown()
	}
}

// TestOtherCalls: another session, another turn and another id are other calls; another input
// under a used id is refused.
func TestOtherCalls(t *testing.T) {
	t.Parallel()
	ran := 0
	pay := tool("Pay", pegboard.Traits{}, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		ran++
		return pegboard.TextResult("paid"), nil
	})
	e, _ := opened(t, filepath.Join(t.TempDir(), "calls.db"))
	require.NoError(t, ask(t, e, "a", call("1", "Pay", `{}`), pay).Err)
	require.NoError(t, ask(t, e, "b", call("1", "Pay", `{}`), pay).Err)
	require.NoError(t, ask(t, e, "a", call("2", "Pay", `{}`), pay).Err)
	require.Equal(t, 3, ran)
	reused := ask(t, e, "a", call("1", "Pay", `{"text":"more"}`), pay)
	require.ErrorIs(t, reused.Err, dbos.ErrReused)
	require.Contains(t, reused.Result.Text(), "an earlier call had its id")
	require.Equal(t, 3, ran)
	for range 2 { // these are not recorded
		require.NoError(t, ask(t, e, "", call("1", "Pay", `{}`), pay).Err)
		require.NoError(t, ask(t, e, "a", call("", "Pay", `{}`), pay).Err)
	}
	require.Equal(t, 7, ran)
}

// TestAttempts: the executor's attempts after a failure of the transport are made, and the last
// end counts.
func TestAttempts(t *testing.T) {
	t.Parallel()
	file, ran := filepath.Join(t.TempDir(), "calls.db"), 0
	look := pegboard.Build(pegboard.Definition[text, string]{
		Info:        pegboard.Info{Name: "Look", Retry: pegboard.RetryPolicy{Attempts: 3, Delay: time.Millisecond}},
		Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, text, *pegboard.Call) (string, error) {
			if ran++; ran < 3 {
				return "", &pegboard.TransientError{Err: errors.New("busy")}
			}
			return "seen", nil
		},
	})
	for range 2 {
		e, shutDown := opened(t, file)
		out := ask(t, e, "s", call("1", "Look", `{}`), look)
		require.NoError(t, out.Err)
		require.Equal(t, "seen", out.Result.Text())
		require.Equal(t, 3, ran)
		shutDown()
	}
}

// TestTwoAtOnce: a call that is asked for twice at once, as after its host has lost patience, runs
// once.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	begun, end := make(chan struct{}), make(chan struct{})
	pay := tool("Pay", pegboard.Traits{}, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		ran.Add(1)
		close(begun)
		<-end
		return pegboard.TextResult("paid"), nil
	})
	e, _ := opened(t, filepath.Join(t.TempDir(), "calls.db"))
	texts := make(chan string, 2)
	go func() { texts <- ask(t, e, "s", call("1", "Pay", `{}`), pay).Result.Text() }()
	<-begun
	go func() { texts <- ask(t, e, "s", call("1", "Pay", `{}`), pay).Result.Text() }()
	close(end)
	require.Equal(t, []string{"paid", "paid"}, []string{<-texts, <-texts})
	require.EqualValues(t, 1, ran.Load())
}

// TestDatabaseThatIsGone: nothing runs that cannot be recorded.
func TestDatabaseThatIsGone(t *testing.T) {
	t.Parallel()
	e, shutDown := opened(t, filepath.Join(t.TempDir(), "calls.db"))
	shutDown()
	ran := false
	out := ask(t, e, "s", call("1", "Pay", `{}`), tool("Pay", pegboard.Traits{}, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		ran = true
		return pegboard.TextResult("paid"), nil
	}))
	require.ErrorIs(t, out.Err, dbos.ErrEngine)
	require.False(t, ran)
}
