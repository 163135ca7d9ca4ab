package shell_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestModelIsToldWhatBecomesOfTasks: where nobody goes on with the conversation, a task ends
// with the model's answer, and no notice comes after it.
func TestModelIsToldWhatBecomesOfTasks(t *testing.T) {
	t.Parallel()
	needBash(t)
	yes, no := true, false
	tests := []struct {
		name        string
		interactive *bool // nil: the host does not say
		ends        bool
	}{
		{name: "the host does not say"},
		{name: "a person is there", interactive: &yes},
		{name: "nobody is there", interactive: &no, ends: true},
	}
	const says = "This conversation ends with your answer, and the "
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "Bash", "Monitor")
			if tt.interactive != nil {
				pegboard.KeyInteractive.Set(s, *tt.interactive)
			}
			handle, err := background.Of(s).Add(s, background.Work{Stop: func(error) {}})
			require.NoError(t, err)
			defer handle.Done(background.Completed, nil, nil)
			texts := []string{
				bash(t, s, shell.Options{}, `{"command":"sleep 60","run_in_background":true}`).Result.Text(),
				bash(t, s, shell.Options{BackgroundTimeout: time.Minute}, `{"command":"tail -f /dev/null","timeout":300}`).Result.Text(),
				tooltest.Run(t.Context(), shell.Monitor(shell.Options{}), s, `{"description":"x","command":"sleep 60"}`).Result.Text(),
				tooltest.Run(t.Context(), shell.TaskOutput(shell.TaskOutputOptions{}), s, `{"task_id":"`+handle.ID()+`","timeout":1}`).Result.Text(),
			}
			for i, text := range texts {
				if tt.ends {
					require.Contains(t, text, says, i)
					require.NotContains(t, text, "ou will be told when it ends", i)
					require.NotContains(t, text, "you are told when it has", i)
				} else {
					require.NotContains(t, text, says, i)
				}
			}
		})
	}
}
