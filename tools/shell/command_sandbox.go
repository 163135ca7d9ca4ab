package shell

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// wrap returns the arguments that run args in the sandbox, if k runs there. The shell reads
// the files in prelude.
func (k *command) wrap(args, prelude []string) ([]string, error) {
	if !k.sandboxes(k.in, &k.line) {
		return args, nil
	}
	sc, err := k.sandboxCommand(k.call, k.in.Command, k.dir)
	if err != nil {
		return nil, err
	}
	sc.Args = args
	for _, file := range prelude {
		sc.Readable = append(sc.Readable, realpath.Resolve(file))
	}
	if k.dirFile != "" {
		if err := os.WriteFile(k.dirFile, nil, 0o600); err != nil {
			return nil, err
		}
		sc.Writable = append(sc.Writable, realpath.Resolve(k.dirFile))
	}
	k.sandbox, k.trusted = &sc, trustedIn(sc.WorkDirs)
	if args, err = k.options.Sandbox.Wrap(sc); err != nil {
		return nil, fmt.Errorf("the sandbox: %w", err)
	}
	return args, nil
}

// refusal returns what the sandbox has refused to a command that has failed by itself, or "".
func (k *command) refusal(exit proc.Exit) string {
	if k.sandbox == nil || exit.Err != nil || exit.Code == 0 || k.exitMeaning(exit) != "" {
		return ""
	}
	return k.options.Sandbox.Refusal(*k.sandbox, SandboxExit{Code: exit.Code, Output: k.captured.output().Text()})
}

// sandboxNote tells the model what a command did in the sandbox that it may not expect.
func (k *command) sandboxNote(exit proc.Exit) string {
	if k.sandbox == nil {
		return ""
	}
	var notes []string
	if k.line.Background && len(exit.Ended) == 0 {
		note := "What the line started with & has ended with it."
		if !k.in.Background && !k.options.NoBackground {
			note += " To keep it running, start it with run_in_background and without &."
		}
		notes = append(notes, note)
	}
	if names := madeTrusted(k.sandbox.WorkDirs, k.trusted); len(names) > 0 {
		notes = append(notes, "The command made "+strings.Join(names, ", ")+", which other programs run or trust. Tell the user.")
	}
	return strings.Join(notes, "\n")
}

// whyNotOutside returns why no command leaves the sandbox, with what to do instead, or "".
func (r *runner) whyNotOutside(s *pegboard.Session) string {
	switch {
	case r.options.SandboxOnly:
		return "nothing runs without it here; do it in another way, or tell the user what is needed"
	case slices.ContainsFunc(s.Permissions().Rules(), func(rule pegboard.Rule) bool {
		return isAboutFiles(rule) && rule.Behavior == pegboard.Deny
	}):
		return "since rules deny files, nothing runs without it; do it in another way, or tell the user what is needed"
	}
	return ""
}

// leaveSandbox is called when the sandbox has refused something to a command that has ended.
// If the user allows it, the command runs again without the sandbox.
func (k *command) leaveSandbox(ctx context.Context, out Output, refusal string) (Output, error) {
	out.SandboxRefusal = refusal
	told := "The sandbox refused it: " + refusal + "."
	if why := k.whyNotOutside(k.session); why != "" {
		out.noteFirst(told + " It was not run again: " + why + ".")
		return out, nil
	}
	reason := fmt.Sprintf("the sandbox refused it (%s); it may have run in part, and would run again from its beginning, without the sandbox", refusal)
	if err := k.call.Check(ctx, outsideTargets(k.call, reason)...); err != nil {
		out.noteFirst(told + " It was not run again without the sandbox: " + err.Error())
		return out, nil //nolint:nilerr // the model is told why
	}
	inside := out.Elapsed
	in := k.in
	in.outside = true
	again, err := k.start(ctx, in, k.call)
	if err != nil {
		return Output{}, err
	}
	out, err = again.waitForeground(ctx)
	out.SandboxRefusal, out.SandboxElapsed = refusal, inside
	out.noteFirst(told + " The user allowed it, and it was run again from its beginning without the sandbox.")
	return out, err
}

// outsideTargets returns the targets of a call with the reason to ask whether it may run
// without the sandbox, which no rule and no mode answers.
func outsideTargets(c *pegboard.Call, reason string) []pegboard.Target {
	ts := c.Targets()
	asked := false
	for i := range ts {
		if ts[i].Kind == pegboard.TargetCommand || ts[i].Kind == pegboard.TargetOpaque {
			ts[i].AskReason, asked = reason, true
		}
	}
	if !asked {
		ts = append(ts, pegboard.Target{Kind: pegboard.TargetOpaque, Value: "without the sandbox", AskReason: reason})
	}
	return ts
}
