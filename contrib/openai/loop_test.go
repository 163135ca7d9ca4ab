package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardopenai "github.com/seed49eaa51d/pegboard/contrib/openai"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire"
)

// TestLoop: the input is checked, and the model reads what pegboard says of a call that is wrong,
// denied or unknown.
func TestLoop(t *testing.T) {
	t.Parallel()
	everyWay(t, func(t *testing.T, run loop) {
		client := dial(t, tooltest.Provider{Turns: []tooltest.Turn{
			reads([]pegboard.Call{call("Double", `{"text":"a<b"}`)}, "a<ba<b"),
			reads([]pegboard.Call{call("Double", `{"txt":"a"}`), call("Double", `{"text":"b"}`)}, "txt", "bb"),
			reads([]pegboard.Call{call("Wipe", `{}`), call("Gone", `{}`)}, "Wipe was denied: no rule allows it", "Gone"),
			{Text: "Done."},
		}})
		text, err := run(t.Context(), client, &pegboard.Executor{}, poolOf(t, newSession(t, pegboard.SessionConfig{}), tools()...))
		require.NoError(t, err)
		require.Equal(t, "Done.", text)
	})
}

// TestTools: the definitions are sent as the wires write them.
func TestTools(t *testing.T) {
	t.Parallel()
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}), tools()[0])
	for want, params := range map[string]any{
		`{"model":"m","tools":[{"type":"function","name":"Double","description":"Says a text twice.","parameters":%s,"strict":false}]}`: responses.ResponseNewParams{Model: "m", Tools: pegboardopenai.ResponseTools(pool)},
		`{"model":"m","tools":[{"type":"function","function":{"name":"Double","description":"Says a text twice.","parameters":%s,"strict":false}}]}`: sdk.ChatCompletionNewParams{
			Model: "m", Tools: pegboardopenai.ChatTools(pool)},
		`{"tools":[{"type":"function","name":"Double","description":"Says a text twice.","parameters":%s}]}`: sdk.BetaAgentSessionNewParamsAgent{Tools: pegboardopenai.AgentTools(pool)},
	} {
		got, err := json.Marshal(params)
		require.NoError(t, err)
		for d := range pool.Declarations(pegboard.Builtin) {
			require.JSONEq(t, fmt.Sprintf(want, d.InputSchema), string(got))
		}
	}
}

// TestWriteThenRead: of 200 messages, each read sees what its own message wrote.
func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	var turns []tooltest.Turn
	for n := range 200 {
		turns = append(turns, reads([]pegboard.Call{
			call("Write", `{"file_path":"f","content":"<%d>"}`, n), call("Read", `{"file_path":"f"}`),
		}, "", fmt.Sprintf("<%d>", n)))
	}
	turns = append(turns, tooltest.Turn{Text: "Done."})
	everyWay(t, func(t *testing.T, run loop) {
		pool := poolOf(t, newSession(t, pegboard.SessionConfig{}, "Edit(/**)"), files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
		text, err := run(t.Context(), dial(t, tooltest.Provider{Turns: turns}), &pegboard.Executor{}, pool)
		require.NoError(t, err)
		require.Equal(t, "Done.", text)
	})
}

// TestThreeAgents: runs of three forks on one tree at once lose nothing, though the tool locks nothing.
func TestThreeAgents(t *testing.T) {
	t.Parallel()
	increment := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Increment"}, Description: "Increments the number in a file.",
		Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{policy.Writes("count")}},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			path := filepath.Join(c.Dir(), "count")
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			n, err := strconv.Atoi(string(text))
			if err != nil {
				return "", err
			}
			return "ok", os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600)
		},
	})
	four := []pegboard.Call{call("Increment", `{}`), call("Increment", `{}`), call("Increment", `{}`), call("Increment", `{}`)}
	var turns []tooltest.Turn
	for range 5 {
		turns = append(turns, reads(four, "ok", "ok", "ok", "ok"))
	}
	turns = append(turns, tooltest.Turn{Text: "Done."})
	everyWay(t, func(t *testing.T, run loop) {
		main := newSession(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 1000}}, "Edit(/**)")
		require.NoError(t, os.WriteFile(filepath.Join(main.Dir(), "count"), []byte("0"), 0o600))
		client := dial(t, tooltest.Provider{Turns: turns})
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

// TestStopTurn: the turn is done, and all its calls have results.
func TestStopTurn(t *testing.T) {
	t.Parallel()
	everyWay(t, func(t *testing.T, run loop) {
		client := dial(t, tooltest.Provider{Turns: []tooltest.Turn{{Calls: []pegboard.Call{call("Enough", `{}`)}}}})
		text, err := run(t.Context(), client, &pegboard.Executor{}, poolOf(t, newSession(t, pegboard.SessionConfig{}), tools()...))
		require.NoError(t, err)
		require.Empty(t, text)
	})
}

// TestReplyThatIsNoAnswer: no call of it runs, and each is answered.
func TestReplyThatIsNoAnswer(t *testing.T) {
	t.Parallel()
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}, "Wipe"), tools()...)
	var r responses.Response
	require.NoError(t, json.Unmarshal([]byte(`{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[
		{"type":"function_call","call_id":"a","name":"Wipe","arguments":"{}","status":"completed"},
		{"type":"function_call","call_id":"b","name":"Wipe","arguments":"{","status":"incomplete"}]}`), &r))
	turn, err := pegboardopenai.RunResponse(t.Context(), &pegboard.Executor{}, pool, &r)
	var ended *wire.EndingError
	require.ErrorAs(t, err, &ended)
	require.True(t, ended.Continue)
	require.Empty(t, turn.Outcomes)
	text, err := json.Marshal(turn.Results)
	require.NoError(t, err)
	require.Contains(t, string(text), "Wipe was not run")
	require.NotContains(t, strings.ReplaceAll(string(text), "Wipe was not run", ""), `"call_id":"b"`)

	for _, empty := range []*sdk.ChatCompletion{{}, {Choices: []sdk.ChatCompletionChoice{{}}}} {
		_, err := pegboardopenai.RunChat(t.Context(), &pegboard.Executor{}, pool, empty)
		require.Error(t, err)
	}
	_, err = pegboardopenai.RunResponse(t.Context(), &pegboard.Executor{}, pool, &responses.Response{})
	require.Error(t, err)
}
