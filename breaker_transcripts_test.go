package pegboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// recordedCall is one call of a real session, with its result.
type recordedCall struct {
	Session string          `json:"session"`
	Turn    int             `json:"turn"`
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	IsError bool            `json:"is_error"`
	Result  string          `json:"result"`
}

// TestTranscriptsAreNoLoop replays real sessions, message by message, as if each were one
// turn of the user: the strictest case. The loop breaker may neither ask about a call nor
// end the turn.
func TestTranscriptsAreNoLoop(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		sessions := map[string][]recordedCall{}
		for n, line := range corpus.Lines(t, path) {
			var row recordedCall
			require.NoError(t, json.Unmarshal(line, &row), "line %d", n)
			sessions[row.Session] = append(sessions[row.Session], row)
		}
		calls, messages, failed := 0, 0, 0
		for _, rows := range sessions {
			for at := 0; at < len(rows); {
				end := at
				for end < len(rows) && rows[end].Turn == rows[at].Turn {
					end++
				}
				at, messages = end, messages+1
			}
			for _, o := range replayRecorded(t, rows) {
				calls++
				require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s", o.Call.ID)
				require.False(t, o.StopTurn, "%s", o.Call.ID)
				if o.Result.IsError {
					failed++
				}
			}
		}
		corpus.Report(t, folder, "%d calls in %d messages, %d of them failed: no false alarm", calls, messages, failed)
		require.Positive(t, failed, "sessions without a failure prove little")
	}
}

// replayRecorded makes the calls of a session, whose results are the recorded ones. Nobody
// can be asked, so that a question would be a denial.
func replayRecorded(t *testing.T, rows []recordedCall) (outcomes []pegboard.Outcome) {
	t.Helper()
	results := map[string]recordedCall{}
	var registry pegboard.Registry
	known := map[string]bool{}
	for _, row := range rows {
		results[row.ID] = row
		if known[row.Tool] {
			continue
		}
		known[row.Tool] = true
		tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: row.Tool}, Description: "Gives the recorded result.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(_ ctx, _ json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
				recorded := results[c.ID]
				r := pegboard.TextResult(recorded.Result)
				r.IsError = recorded.IsError
				return r, nil
			},
		})
		require.NoError(t, err)
		require.NoError(t, registry.Add(tool))
	}
	s := session(t, pegboard.SessionConfig{})
	for at := 0; at < len(rows); {
		var message []pegboard.Call
		for turn := rows[at].Turn; at < len(rows) && rows[at].Turn == turn; at++ {
			message = append(message, pegboard.Call{ID: rows[at].ID, Name: rows[at].Tool, Input: rows[at].Input})
		}
		e := executor(pegboard.Executor{})
		outcomes = append(outcomes, e.Run(t.Context(), registry.AssemblePool(s, pegboard.PoolConfig{}), message...)...)
	}
	return outcomes
}

// TestHonestWorkIsNoLoop holds sequences that a breaker must not mistake for a loop: a
// test that fails until the code is right, guessed paths, and a status between edits.
func TestHonestWorkIsNoLoop(t *testing.T) {
	t.Parallel()
	type step struct {
		tool, input string
		result      string
		failed      bool
	}
	red, edit := step{"Bash", `{"command":"python3 t.py"}`, "1 test failed", true}, func(n int) step {
		return step{"Edit", fmt.Sprintf(`{"new_string":"%d"}`, n), "edited", false}
	}
	missing := func(path string) step {
		return step{"Read", `{"file_path":"` + path + `"}`, path + " does not exist", true}
	}
	status := step{"Bash", `{"command":"git status"}`, "nothing to commit", false}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"a red test between edits", []step{red, edit(1), red, edit(2), red, edit(3), red, edit(4), red, edit(5), red}},
		{"six guessed paths", []step{missing("a"), missing("b"), missing("c"), missing("d"), missing("e"), missing("f")}},
		{"a status after each edit", []step{status, edit(1), status, edit(2), status, edit(3), status}},
		{"different commands that fail", []step{
			{"Bash", `{"command":"make"}`, "no rule", true}, {"Bash", `{"command":"make all"}`, "no rule", true},
			{"Bash", `{"command":"make test"}`, "no rule", true}, {"Bash", `{"command":"ninja"}`, "not found", true},
		}},
		{"the same command until it works", []step{
			{"Bash", `{"command":"curl localhost"}`, "refused after 1 ms", true}, {"Bash", `{"command":"curl localhost"}`, "refused after 2 ms", true},
			{"Bash", `{"command":"curl localhost"}`, "refused after 3 ms", true}, {"Bash", `{"command":"curl localhost"}`, "ok", false},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var rows []recordedCall
			for i, s := range test.steps {
				rows = append(rows, recordedCall{Turn: i, ID: fmt.Sprint(i), Tool: s.tool, Input: json.RawMessage(s.input), Result: s.result, IsError: s.failed})
			}
			for _, o := range replayRecorded(t, rows) {
				require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s", o.Call.ID)
				require.False(t, o.StopTurn, "%s", o.Call.ID)
			}
		})
	}
}
