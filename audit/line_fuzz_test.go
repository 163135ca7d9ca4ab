package audit_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
)

// FuzzLine: whatever stands in an event makes one line of JSON, with nothing hidden
// in it, and without inputs only such words as could be a name.
func FuzzLine(f *testing.F) {
	f.Add("toolu_1", "Bash", "trace", "because", `{"command":"ls"}`, "ls", "git *", int64(0))
	f.Add("a\nb", "a b", "\"", "\xff", `{"a":`, "\u2028", "\x7f", int64(-1))
	f.Add("", "", "", "", "1],[2", "\U000e0001", "…", int64(1<<62))
	f.Fuzz(func(t *testing.T, id, tool, trace, reason, input, target, pattern string, number int64) {
		dir := t.TempDir()
		for _, inputs := range []bool{false, true} {
			path := filepath.Join(dir, "log")
			log, err := audit.Open(path, audit.Options{Inputs: inputs, MaxBytes: 1})
			require.NoError(t, err)
			log.Record(pegboard.Event{
				Kind: pegboard.EventDecided, Time: noon, TraceID: trace,
				Call:    &pegboard.Call{ID: id, Name: tool, Input: json.RawMessage(input)},
				Targets: []pegboard.Target{{Kind: pegboard.TargetKind(number), Access: pegboard.Access(number), Value: target}},
				Decision: &pegboard.Decision{
					Behavior: pegboard.Behavior(number), Reason: reason, By: pegboard.Decider(number),
					Rule: &pegboard.Rule{Tool: "Bash", Pattern: pattern, Source: pegboard.SourceSession},
				},
			})
			log.Record(pegboard.Event{
				Kind: pegboard.EventFinished, Time: noon, TraceID: trace,
				Call:    &pegboard.Call{ID: id, Name: tool, Input: json.RawMessage(input)},
				Outcome: &pegboard.Outcome{Err: &pegboard.CallError{Tool: tool, Stage: pegboard.StageAdmit, Err: fmt.Errorf("%w: %s", pegboard.ErrDuplicate, reason)}},
			})
			require.NoError(t, log.Close())
			for _, file := range []string{path + ".1", path} { // each line has a file of its own
				text := read(t, file)
				require.True(t, utf8.ValidString(text))
				line, ok := strings.CutSuffix(text, "\n")
				require.True(t, ok)
				require.Equal(t, -1, strings.IndexFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }), line)
				require.True(t, json.Valid([]byte(line)), line)
				if !inputs {
					require.NotContains(t, line, " ")
					require.Less(t, len(line), 1500)
				}
			}
		}
	})
}
