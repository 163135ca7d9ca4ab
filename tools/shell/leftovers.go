package shell

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

const (
	maxLeftovers    = 5   // processes that are named
	maxLeftoverName = 120 // bytes of a name
)

// leftoversNote tells the model which processes a command left running, that they were
// ended, and how to keep one. inBackground says that the command was a background task.
func leftoversNote(exit proc.Exit, o Options, inBackground bool) string {
	n := len(exit.Ended)
	switch {
	case n == 0 && exit.Lingering:
		return "A process that the command left behind kept the output open; what it printed later is not shown."
	case n == 0:
		return ""
	}
	names := make([]string, 0, maxLeftovers)
	for _, left := range exit.Ended[:min(n, maxLeftovers)] {
		name := cmp.Or(output.Line(left.Command), "a subshell of the line")
		if len(name) > maxLeftoverName {
			name = strings.ToValidUTF8(name[:maxLeftoverName], "") + "…"
		}
		names = append(names, name)
	}
	text := "It had left a process running, which was ended with it: " + names[0]
	if n > 1 {
		text = fmt.Sprintf("It had left %d processes running, which were ended with it: %s", n, strings.Join(names, "; "))
	}
	if n > maxLeftovers {
		text += "; …"
	}
	switch {
	case o.NoBackground:
		return text + ". Nothing goes on after a command here."
	case inBackground:
		return text + ". What is to go on must not be put into the background with &: the task ends with its shell."
	}
	return text + ". To keep one running, start it with run_in_background and without &."
}
