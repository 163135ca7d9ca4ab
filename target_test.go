package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestTargetsCannotMoveTheCursor: the text of a target in a question cannot move the
// cursor of a terminal.
func TestTargetsCannotMoveTheCursor(t *testing.T) {
	t.Parallel()
	shows := map[string]string{
		"ls":                              "run ls",
		"a\nb":                            "run a\nb", // as a script has it
		"rm -rf /\r\x1b[2Krun ls":         `run "rm -rf /\r\x1b[2Krun ls"`,
		"a\x00b":                          `run "a\x00b"`,
		"\u009b2K":                        `run "\u009b2K"`,
		"a\bb" + string(rune(0x7f)) + "c": `run "a\bb\x7fc"`,
	}
	for value, want := range shows {
		require.Equal(t, want, pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: value}.String())
	}
	var questions []*pegboard.Question
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm\x1b[2K"}}}}
	s := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Deny}, nil)})
	ex := executor(pegboard.Executor{})
	ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.Len(t, questions, 1)
	require.NotContains(t, questions[0].Reason, "\x1b")
}
