package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// An interpreter runs the code of one language in one session. It keeps its state in
// a process. When the process has ended, the next call starts another one.
type interpreter struct {
	table    *proc.Table
	language string

	running    sync.Mutex // held by the call whose code runs
	child      *child     // nil before the first call and after the process has ended
	lostReason string     // why the state was lost; empty if that was reported to the model
	lateOutput string     // printed after the last call and not yet shown to the model
}

// errBusy is the error of a call that arrives while the code of another call runs.
var errBusy = errors.New("the interpreter runs the code of another call; wait for that to end, then send the code again")

// run runs the code of one call.
func (i *interpreter) run(ctx context.Context, o REPLOptions, in replInput, c *pegboard.Call) (REPLOutput, error) {
	if !i.running.TryLock() {
		return REPLOutput{}, errBusy
	}
	defer i.running.Unlock()
	begin := time.Now()
	if in.Restart && i.child != nil {
		i.child.process.Stop(errRestart)
		i.child.process.Exit()
		i.child = nil
	}
	for {
		before := i.child
		if err := i.ensureChild(ctx, o, c.Dir()); err != nil {
			return REPLOutput{}, err
		}
		if in.Restart && strings.TrimSpace(in.Code) == "" {
			i.lostReason, i.lateOutput = "", ""
			return REPLOutput{Language: i.language, text: "A new interpreter was started."}, nil
		}
		t := turn{child: i.child, call: c, timeout: o.timeoutFor(in.Timeout)}
		if out, ran := i.runCode(ctx, t, in.Code, i.child != before); ran {
			out.Elapsed = time.Since(begin)
			return out, nil
		} // otherwise the process had ended before the call, and a new one is needed
	}
}

// ensureChild starts a process if none is running.
func (i *interpreter) ensureChild(ctx context.Context, o REPLOptions, dir string) error {
	if i.child != nil && i.child.ended() {
		i.lateOutput += i.child.endCode().Shrink(maxLateOutput).Text()
		i.lostReason = fmt.Sprintf("the one before ended after its last call (%s)", exitText(i.child.process.Exit()))
		i.child = nil
	}
	if i.child != nil && i.child.dir != dir {
		i.child.process.Stop(errRestart)
		i.child.process.Exit()
		i.lateOutput += i.child.endCode().Shrink(maxLateOutput).Text()
		i.lostReason = fmt.Sprintf("the session has moved from %s to %s", i.child.dir, dir)
		i.child = nil
	}
	if i.child != nil {
		return nil
	}
	child, err := startChild(ctx, i.table, o, i.language, dir)
	if err != nil {
		return fmt.Errorf("the interpreter of %s could not be started: %w; without it, use another tool, or tell the user", i.language, err)
	}
	i.child = child
	return nil
}

// runCode runs the code of one call in the present process. ran is false if the
// process had ended by itself before the code began, unless the process is fresh:
// then a new one would not help.
func (i *interpreter) runCode(ctx context.Context, t turn, code string, fresh bool) (out REPLOutput, ran bool) {
	number, late := t.child.beginCode(t.call.Emit)
	i.lateOutput += late.Shrink(maxLateOutput).Text()
	var notes []string
	if i.lostReason != "" {
		notes = append(notes, fmt.Sprintf("A new interpreter runs this, as %s: variables and imports of earlier calls are gone.", i.lostReason))
	}
	if i.lateOutput != "" {
		notes = append(notes, "Printed after the last call had ended:", strings.TrimRight(i.lateOutput, "\n"), "Printed by this call:")
	}
	end, err := t.run(ctx, number, code)
	out = REPLOutput{Language: i.language, Failed: end.failed}
	if end.late && err == nil {
		notes = append(notes, out.noteInterrupt(t.timeout))
	}
	if ran = true; err != nil {
		exit := t.child.process.Exit()
		ran = fresh || !errors.Is(err, errNotBegun) || exit.Err != nil
		notes = append(notes, out.noteEnd(exit, end.late, t.timeout))
	}
	kept := t.child.endCode()
	if !ran {
		i.lateOutput += kept.Shrink(maxLateOutput).Text()
		return out, false
	}
	i.lostReason, i.lateOutput = "", ""
	if out.Ended {
		i.child = nil
	}
	if out.Interrupted {
		i.lostReason = "the last call was cancelled" // the model may have seen only that the call was cancelled
	}
	out.Omitted, out.Output = kept.Omitted, strings.TrimRight(kept.Text(), "\n")
	out.text = strings.Join(append(notes, out.Output), "\n")
	return out, true
}
