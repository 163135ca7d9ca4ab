package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestCallsThroughTheRunner: the definition arrives, the input is checked, and the model reads what
// pegboard says of a call that is wrong, denied or unknown.
func TestCallsThroughTheRunner(t *testing.T) {
	t.Parallel()
	write := pegboard.BuildFunc("Wipe", "Wipes the disk.", func(context.Context, struct{}) (string, error) { panic("it ran") })
	bothWays(t, func(t *testing.T, run loop) {
		s := play(t,
			tooltest.Turn{Calls: []pegboard.Call{call("Double", `{"text":"a<b"}`)}, Expect: reads("a<ba<b")},
			tooltest.Turn{Calls: []pegboard.Call{call("Double", `{"txt":"a"}`), call("Double", `{"text":"b"}`)}, Expect: func(o []pegboard.Outcome) error {
				if !strings.Contains(o[0].Result.Text(), "txt") || !o[0].Result.IsError || o[1].Result.Text() != "bb" {
					return fmt.Errorf("the model reads %q and %q", o[0].Result.Text(), o[1].Result.Text())
				}
				return nil
			}},
			tooltest.Turn{Calls: []pegboard.Call{call("Wipe", `{}`), call("Gone", `{}`)}, Expect: reads(
				"Error: Wipe was denied: no rule allows it: Wipe wants to do something unknown, and nobody can be asked; the allow rule Wipe would permit it. No person refused it; do something else or tell the user what is needed.",
				"Error: Tool 'Gone' not found")},
			tooltest.Turn{Text: "Done."})
		pool := poolOf(t, newSession(t, pegboard.SessionConfig{}), double, write)
		_, err := run(t.Context(), s.Client, &pegboard.Executor{}, pool)
		require.NoError(t, err)
		var request struct{ Tools []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(s.asked()[0]), &request))
		for d := range pool.Declarations(pegboard.Builtin) {
			require.JSONEq(t, fmt.Sprintf(`{"name":%q,"description":%q,"input_schema":%s}`, d.Name, d.Description, d.InputSchema), string(request.Tools[0]))
			require.Contains(t, string(request.Tools[0]), string(d.InputSchema), "the properties in their order")
			request.Tools = request.Tools[1:]
		}
		require.Empty(t, request.Tools)
	})
}

// TestWriteThenRead: of 200 messages, each read sees what its own message wrote.
func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	script := func(wrong *int) (turns []tooltest.Turn) {
		for n := range 200 {
			turns = append(turns, tooltest.Turn{
				Calls: []pegboard.Call{call("Write", `{"file_path":"f","content":"<%d>"}`, n), call("Read", `{"file_path":"f"}`)},
				Expect: func(o []pegboard.Outcome) error {
					if !strings.Contains(o[1].Result.Text(), fmt.Sprintf("<%d>", n)) {
						*wrong++
					}
					return nil
				},
			})
		}
		return append(turns, tooltest.Turn{Text: "Done."})
	}
	pool := func(t *testing.T) *pegboard.Pool {
		t.Helper()
		s := newSession(t, pegboard.SessionConfig{}, "Edit(/**)", "Read(/**)")
		return poolOf(t, s, files.Write(files.WriteOptions{AllowUnread: true}), files.Read(files.ReadOptions{}))
	}
	bothWays(t, func(t *testing.T, run loop) {
		wrong := 0
		_, err := run(t.Context(), play(t, script(&wrong)...).Client, &pegboard.Executor{}, pool(t))
		require.NoError(t, err)
		require.Zero(t, wrong, "of 200")
	})
	t.Run("without the message", func(t *testing.T) { // the SDK's runner with Tools
		t.Parallel()
		wrong := 0
		client := play(t, script(&wrong)...).Client
		_, err := client.Beta.Messages.NewToolRunner(pegboardanthropic.Tools(&pegboard.Executor{}, pool(t)), params()).RunToCompletion(t.Context())
		require.NoError(t, err)
		t.Logf("%d wrong of 200", wrong)
	})
}

// TestThreeAgents: runs of three forks on one tree at once lose nothing, though the tool locks nothing.
func TestThreeAgents(t *testing.T) {
	t.Parallel()
	type input struct {
		By int `json:"by"`
	}
	increment := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Increment"}, Description: "Increments the number in a file.",
		Inspect: func(input, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{policy.Writes("count")}}
		},
		Call: func(_ context.Context, in input, c *pegboard.Call) (string, error) {
			path := filepath.Join(c.Dir(), "count")
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			n, err := strconv.Atoi(string(text))
			if err != nil {
				return "", err
			}
			return "ok", os.WriteFile(path, []byte(strconv.Itoa(n+in.By)), 0o600)
		},
	})
	var turns []tooltest.Turn
	for n := range 5 {
		turns = append(turns, tooltest.Turn{Expect: reads("ok", "ok", "ok", "ok")})
		for i := range 4 {
			turns[n].Calls = append(turns[n].Calls, call("Increment", `{"by":1%s}`, strings.Repeat(" ", i))) // equal, but for the bytes
		}
	}
	turns = append(turns, tooltest.Turn{Text: "Done."})
	bothWays(t, func(t *testing.T, run loop) {
		main := newSession(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 1000}}, "Edit(/**)")
		require.NoError(t, os.WriteFile(filepath.Join(main.Dir(), "count"), []byte("0"), 0o600))
		client := play(t, turns...).Client
		var all sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			agent, err := main.Fork(pegboard.SessionConfig{AgentID: strconv.Itoa(i)})
			require.NoError(t, err)
			pool := poolOf(t, agent, increment)
			all.Go(func() { _, errs[i] = run(t.Context(), client, &pegboard.Executor{}, pool) })
		}
		all.Wait()
		require.Equal(t, make([]error, 3), errs)
		text, err := os.ReadFile(filepath.Join(main.Dir(), "count"))
		require.NoError(t, err)
		require.Equal(t, "60", string(text))
	})
}

// TestIDsAndBytes: the tool gets the id and the bytes that the model sent, of which the runner tells
// neither.
func TestIDsAndBytes(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, run loop) {
		var mu sync.Mutex
		got := map[string]string{}
		tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"$n":{"type":"integer"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: "Big number"}, Description: "Takes a big number.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(_ context.Context, in json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				got[c.ID] = string(in)
				return pegboard.TextResult("ok"), nil
			},
		})
		require.NoError(t, err)
		pool := poolOf(t, newSession(t, pegboard.SessionConfig{}), tool)
		name := pegboardanthropic.Tools(&pegboard.Executor{}, pool)[0].Name()
		require.NotEqual(t, "Big number", name, "the API takes no blanks")
		_, err = run(t.Context(), play(t,
			tooltest.Turn{Calls: []pegboard.Call{call(name, `{"_n":9007199254740993}`), call(name, `{"_n":9007199254740993}`), call(name, `{"_n":1e3}`)}, Expect: reads("ok", "ok", "ok")},
			tooltest.Turn{Text: "Done."}).Client, &pegboard.Executor{}, pool)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"turn-1-call-1": `{"$n":9007199254740993}`, "turn-1-call-2": `{"$n":9007199254740993}`, "turn-1-call-3": `{"$n":1e3}`}, got)
	})
}

// TestParts: images go in their own form, words for the conversation after the result they belong to.
func TestParts(t *testing.T) {
	t.Parallel()
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89")
	look := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{{MIME: "image/png", Data: png}}, Messages: []pegboard.Part{{Text: "The light was bad."}}}, nil
		},
	})
	bothWays(t, func(t *testing.T, run loop) {
		s := play(t, tooltest.Turn{Calls: []pegboard.Call{call("Look", `{}`)}}, tooltest.Turn{Text: "Done."})
		_, err := run(t.Context(), s.Client, &pegboard.Executor{}, poolOf(t, newSession(t, pegboard.SessionConfig{}), look))
		require.NoError(t, err)
		require.Contains(t, s.asked()[1], `"media_type":"image/png"`)
		require.Contains(t, s.asked()[1], "The light was bad.")
	})
}

// TestStopTurn: the runner ends in the place of the next request, with all results in its messages.
func TestStopTurn(t *testing.T) {
	t.Parallel()
	enough := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Enough"}, Description: "Ends the turn.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "bye"}}, StopTurn: true}, nil
		},
	})
	pay := pegboard.BuildFunc("Pay", "Pays.", func(context.Context, struct{}) (string, error) { panic("it ran") })
	journal, err := pegboard.NewFileJournal(t.TempDir())
	require.NoError(t, err)
	suspends := pegboard.SessionConfig{ID: "s", Suspend: &pegboard.Suspending{Key: make([]byte, 32), Journal: journal}}
	batch := pegboard.Hooks{Batch: func(_ context.Context, o []pegboard.Outcome) error { o[0].StopTurn = true; return nil }}
	for name, test := range map[string]struct {
		cfg   pegboard.SessionConfig
		calls []pegboard.Call
	}{
		"result":     {calls: []pegboard.Call{call("Double", `{"text":"a"}`), call("Enough", `{}`)}},
		"suspended":  {suspends, []pegboard.Call{call("Pay", `{}`), call("Double", `{"text":"a"}`)}},
		"Batch hook": {pegboard.SessionConfig{Hooks: batch}, []pegboard.Call{call("Double", `{"text":"a"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, run loop) {
				s := play(t, tooltest.Turn{Calls: test.calls})
				pool := poolOf(t, newSession(t, test.cfg), double, enough, pay)
				messages, err := run(t.Context(), s.Client, &pegboard.Executor{}, pool)
				require.ErrorIs(t, err, pegboardanthropic.ErrStopTurn)
				require.Len(t, s.asked(), 1, "nothing was tried again")
				require.Len(t, messages, 3)
				require.Len(t, messages[2].Content, len(test.calls))

				pool.Session().NewTurn()
				next := params(append(messages, sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("Go on.")))...)
				client := play(t, tooltest.Turn{Calls: test.calls}, tooltest.Turn{Text: "Done."}).Client
				message, err := pegboardanthropic.NewToolRunner(client, &pegboard.Executor{}, pool, next).RunToCompletion(t.Context())
				require.NoError(t, err)
				require.Equal(t, "Done.", message.Content[0].Text)
			})
		})
	}
}

// TestEndedRunner: a runner that was ended sends nothing more.
func TestEndedRunner(t *testing.T) {
	t.Parallel()
	ends := pegboard.Hooks{Batch: func(_ context.Context, o []pegboard.Outcome) error { o[0].StopTurn = true; return nil }}
	s := play(t, tooltest.Turn{Calls: []pegboard.Call{call("Double", `{"text":"a"}`)}})
	runner := pegboardanthropic.NewToolRunner(s.Client, &pegboard.Executor{}, poolOf(t, newSession(t, pegboard.SessionConfig{Hooks: ends}), double), params())
	for range 3 {
		_, err := runner.RunToCompletion(t.Context())
		require.ErrorIs(t, err, pegboardanthropic.ErrStopTurn)
	}
	require.Len(t, s.asked(), 1)
}

// TestEndOfTheContext: calls end with the context of the runner, and no message stays open.
func TestEndOfTheContext(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, run loop) {
		ctx, cancel := context.WithCancel(t.Context())
		wait := pegboard.BuildFunc("Wait", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
			cancel()
			<-ctx.Done()
			return "", ctx.Err()
		})
		ended := make(chan error, 2)
		s := newSession(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ context.Context, o []pegboard.Outcome) error {
			ended <- o[0].Err
			ended <- o[1].Err
			return nil
		}}}, "Wait")
		_, err := run(ctx, play(t, tooltest.Turn{Calls: []pegboard.Call{call("Wait", `{}`), call("Wait", `{}`)}}).Client, &pegboard.Executor{}, poolOf(t, s, wait))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, <-ended, pegboard.ErrCancelled)
		require.ErrorIs(t, <-ended, pegboard.ErrCancelled)
	})
}

// newest returns a runner of the newest SDK, and skips a test that an older one cannot pass.
func newest(t *testing.T, runner any) interface{ RemoveToolsByNames(names ...string) } {
	t.Helper()
	r, ok := runner.(interface{ RemoveToolsByNames(names ...string) })
	if !ok {
		t.Skip("the SDK in go.mod takes no tools away and knows no fallback; the step schema_versions tests with the newest")
	}
	return r
}

// TestRemovedTool: what the program takes away from the runner does not run.
func TestRemovedTool(t *testing.T) {
	t.Parallel()
	s := play(t, tooltest.Turn{Calls: []pegboard.Call{call("Double", `{"text":"a"}`)}, Expect: reads("Error: Tool 'Double' not found")}, tooltest.Turn{Text: "Done."})
	runner := pegboardanthropic.NewToolRunner(s.Client, &pegboard.Executor{}, poolOf(t, newSession(t, pegboard.SessionConfig{}), double), params())
	newest(t, runner).RemoveToolsByNames("Double")
	_, err := runner.RunToCompletion(t.Context())
	require.NoError(t, err)
}

// TestFallback: calls that another model made before the one that answered are not waited for.
func TestFallback(t *testing.T) {
	t.Parallel()
	newest(t, new(sdk.BetaToolRunner))
	answers := []string{`{"id":"1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[
		{"type":"tool_use","id":"a","name":"Double","input":{"text":"a"}},
		{"type":"fallback","from":{"model":"n"},"to":{"model":"m"}},
		{"type":"tool_use","id":"b","name":"Double","input":{"text":"b"}}]}`,
		`{"id":"2","type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}`}
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answers[0]))
		answers = answers[1:]
	}))
	var ids []string
	session := newSession(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ context.Context, o []pegboard.Outcome) error {
		for _, o := range o {
			ids = append(ids, o.Call.ID)
		}
		return nil
	}}})
	_, err := whole(t.Context(), s.Client, &pegboard.Executor{}, poolOf(t, session, double))
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, ids)
}
