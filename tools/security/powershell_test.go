package security_test

import "testing"

// powerShellRow is a row of powershell.jsonl, which holds its line as the input of a call.
type powerShellRow struct {
	shellRow
	Input struct{ Command string }
}

// TestPowerShell decides every command line with the real tool. It runs none.
func TestPowerShell(t *testing.T) {
	run(t, "powershell", func(t *testing.T, src source) func(*testing.T, powerShellRow, answer) outcome {
		t.Helper()
		b := newBase(t, src)
		return func(t *testing.T, r powerShellRow, a answer) outcome {
			t.Helper()
			r.Command = r.Input.Command
			return r.decide(t, b, a)
		}
	})
}
