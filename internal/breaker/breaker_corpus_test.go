package breaker_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// TestNoFalseAlarmInTranscripts replays real sessions as if the user had said nothing
// after the first message: the breaker never steps in.
func TestNoFalseAlarmInTranscripts(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		breakers, messages := map[string]*breaker.Breaker{}, 0
		var m breaker.Message
		var calls []transcribed
		end := func() {
			for i, row := range calls {
				o := breaker.Succeeded
				if row.IsError {
					o = breaker.Failed
				}
				require.Empty(t, m.End(i, o, row.Result), row.ID)
			}
			if len(calls) > 0 {
				m.Close()
				messages++
			}
			calls = nil
		}
		for _, line := range corpus.Lines(t, path) {
			var row transcribed
			require.NoError(t, json.Unmarshal(line, &row))
			if breakers[row.Session] == nil {
				breakers[row.Session] = new(breaker.Breaker)
			}
			if row.Index == 0 {
				end()
				m = breakers[row.Session].Message()
			}
			_, ask := m.Add(breaker.CallOf(row.Tool, row.Input))
			require.Empty(t, ask, row.ID)
			calls = append(calls, row)
		}
		end()
		corpus.Report(t, folder, "%d messages of %d sessions, no alarm", messages, len(breakers))
		require.Positive(t, messages)
	}
}

// transcribed is one call of a real session.
type transcribed struct {
	Session string
	Index   int `json:"index_in_turn"`
	ID      string
	Tool    string
	Input   json.RawMessage
	IsError bool `json:"is_error"`
	Result  string
}
