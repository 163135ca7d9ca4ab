package shell

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// moveToBackground adds the command to the background tasks, where it may run for
// limit, and returns the output of its call. If that fails, the command stays as it
// was.
func (k *command) moveToBackground(limit time.Duration) (Output, error) {
	work := background.Work{
		Kind: "shell", Description: k.in.Description, Command: k.in.Command,
		OutputFile: k.outputFile, Started: k.started, Stop: k.process.Stop,
	}
	if _, err := k.process.Stored(); k.outputFile == "" || err != nil {
		work.OutputFile = ""
		work.Output = func() string { return k.captured.output().Text() }
	}
	h, err := k.tasks.Add(k.session, work)
	if err != nil {
		return Output{}, err
	}
	release := k.call.Hold(holdText(h.ID(), k.in.Command), heldTargets(&k.line, k.call)...)
	goroutine.Go(func() { k.superviseTask(h, limit, release) })
	return k.backgroundOutput(h.ID(), work.OutputFile), nil
}

// superviseTask waits until a background task has ended, calls release and reports its end.
func (k *command) superviseTask(h *background.Handle, limit time.Duration, release func()) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-k.process.Done():
	case <-timeout.C:
		k.process.Stop(errTooLong)
	}
	exit := k.process.Exit()
	release() // before anybody is told
	k.remove(k.dirFile)
	k.remove(k.preludeFile)
	switch {
	case k.outputFile == "":
	case exit.FileErr != nil:
		h.Tell(fmt.Sprintf("its output file holds %d of %d bytes: %v", exit.Stored, exit.Output.Total, exit.FileErr))
	case exit.Stored < exit.Output.Total:
		h.Tell(fmt.Sprintf("its output file holds the first %d of %d bytes, more is not stored", exit.Stored, exit.Output.Total))
	}
	if note := leftoversNote(exit, k.options, true); note != "" {
		h.Tell(note)
	}
	if note := k.sandboxNote(exit); note != "" {
		h.Tell(note)
	}
	if refusal := k.refusal(exit); refusal != "" {
		h.Tell("the sandbox refused it: " + refusal)
	}
	h.Done(k.taskEnd(exit, limit))
}

// taskEnd returns how a background task ended.
func (k *command) taskEnd(exit proc.Exit, limit time.Duration) (background.State, *int, error) {
	var code *int
	if exit.Code >= 0 {
		code = &exit.Code
	}
	switch {
	case errors.Is(exit.Err, errTooLong):
		return background.Failed, code, fmt.Errorf("it was ended because it took longer than %v", limit)
	case errors.Is(exit.Err, proc.ErrOutputLimit):
		return background.Failed, code, fmt.Errorf("it was ended because it printed more than %d bytes", k.options.MaxOutput)
	case exit.Err != nil:
		return background.Killed, code, exit.Err
	case exit.Signal != "":
		return background.Failed, nil, errors.New("it was ended by a signal: " + exit.Signal)
	case exit.Code != 0 && k.exitMeaning(exit) == "":
		return background.Failed, code, nil
	}
	return background.Completed, code, nil
}

// backgroundOutput returns the output of a call whose command goes on in the
// background. It includes the command's own output so far if that is short.
func (k *command) backgroundOutput(id, file string) Output {
	out := Output{BackgroundTaskID: id, RawOutputPath: file, ExitCode: -1, Elapsed: time.Since(k.started), NoSandbox: k.options.Sandbox != nil && k.sandbox == nil}
	if k.in.Background {
		out.note("Command runs in the background.")
	} else {
		out.TimedOutAfterMS = k.timeout.Milliseconds()
		out.note(fmt.Sprintf("Command did not complete within its %s timeout and was moved to the background.", seconds(k.timeout)))
	}
	where := "Its output is kept in memory; ask for it with TaskOutput."
	if file != "" {
		where = "Output file: " + file
	}
	out.note(fmt.Sprintf("Task id: %s\n%s\n%s Go on with something else; TaskStop ends it.", id, where, endAdvice(k.session)))
	if !k.in.Background && k.changesDir() {
		out.BackgroundCwdHint = fmt.Sprintf("Session cwd remains %s; directory changes made by the backgrounded command do not apply to subsequent commands.", k.dir)
		out.note(out.BackgroundCwdHint)
	}
	if so := k.captured.output(); so.Total > 0 && so.Total <= PreviewSize && !k.captured.isBinary() {
		out.note("Output so far:")
		out.Stdout = strings.TrimRight(so.Text(), "\n")
	}
	return out
}

// seconds formats a duration as in the documented text, such as 120s.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// foregroundOnly returns why a command that takes too long must be ended and not
// moved to the background, or "". A command that sleeps does nothing that is worth
// waiting for; git holds locks that later commands need; and a line that was not
// fully parsed may do either.
func (k *command) foregroundOnly() string {
	switch {
	case k.options.NoBackground:
		return "nothing runs in the background here"
	case k.line.Unknown != "":
		return "it was not moved to the background because it is not fully understood: " + k.line.Unknown
	}
	for i := range k.line.Commands {
		c := &k.line.Commands[i]
		if name := programOf(c.Text); i == 0 && (name == "sleep" || strings.EqualFold(name, "start-sleep")) {
			return "commands that begin with sleep are not moved to the background"
		}
		for _, text := range append([]string{c.Text}, c.Nested...) {
			if namesGit(text) {
				return "commands that use git are not moved to the background"
			}
		}
	}
	return ""
}

// changesDir reports whether the line contains a command that changes the directory.
func (k *command) changesDir() bool {
	for i := range k.line.Commands {
		switch programOf(k.line.Commands[i].Text) {
		case "cd", "pushd", "popd":
			return true
		}
	}
	return false
}
