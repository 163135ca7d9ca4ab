package shell

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A command is one run of a command line.
type command struct {
	*runner
	in            commandInput
	call          *pegboard.Call // until its Call returns
	session       *pegboard.Session
	tasks         *background.Tasks
	line          lines.Line
	dir           string // where it started
	dirFile       string // the shell writes there the directory in which it ends; empty if that is not recorded
	preludeFile   string // the shell may read it before the line; empty if it cannot be named
	outputFile    string // holds its output; empty if the file could not be named
	outputFileErr error  // why outputFile is empty
	timeout       time.Duration
	captured      *capture
	sandbox       *SandboxCommand // nil if it runs without a sandbox
	trusted       []string        // the files that other programs run or trust and that existed before it ran in the sandbox
	process       *proc.Process
	started       time.Time
}

// errTooLong is the cause that ends a command at its timeout.
var errTooLong = errors.New("the command took too long")

// waitForeground waits until the command has ended or has moved to the background.
func (k *command) waitForeground(ctx context.Context) (Output, error) {
	defer k.captured.reporter.stop() // no event may follow the return of the call
	wait := k.timeout
	if k.in.Background {
		wait = startWait
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	quiet := newSilenceTimer(k)
	defer quiet.timer.Stop()
	for {
		select {
		case <-k.process.Done():
			return k.finish(ctx, ""), nil
		case <-ctx.Done():
			k.process.Stop(context.Cause(ctx))
			return k.finish(ctx, ""), nil
		case <-limit.C:
			if ctx.Err() == nil { // the timer and the context may both have fired
				return k.handleTimeout(ctx)
			}
		case <-quiet.timer.C:
			quiet.report()
		}
	}
}

// handleTimeout is called when the time of the command in the foreground is over. It
// moves the command to the background or ends it.
func (k *command) handleTimeout(ctx context.Context) (Output, error) {
	if k.in.Background {
		out, err := k.moveToBackground(k.timeout)
		if err != nil {
			k.discard(err)
		}
		k.setValue(&out, "", out.Stderr)
		return out, err
	}
	reason := k.foregroundOnly()
	if reason == "" {
		out, err := k.moveToBackground(k.options.BackgroundTimeout)
		if err == nil {
			k.setFailure(&out, pegboard.KindTimeout, out.text()) // code expects the output of the whole command
			return out, nil
		}
		reason = "it could not be moved to the background: " + err.Error()
	}
	k.process.Stop(errTooLong)
	return k.finish(ctx, reason), nil
}

// finish waits for the end of a command that stayed in the foreground. reason says
// why it did not move to the background, if it took too long.
func (k *command) finish(ctx context.Context, reason string) Output {
	exit := k.process.Exit()
	out := k.output(ctx, exit, reason)
	if out.PersistedOutputPath != k.outputFile && out.RawOutputPath != k.outputFile && !out.keepFile {
		k.remove(k.outputFile)
	}
	k.remove(k.preludeFile)
	if k.dirFile != "" {
		if exit.Err == nil {
			out.note(k.updateCwd())
		}
		k.remove(k.dirFile)
	}
	return out
}

// discard ends a command and removes its files.
func (k *command) discard(cause error) {
	k.process.Stop(cause)
	k.process.Exit()
	k.remove(k.outputFile)
	k.remove(k.dirFile)
	k.remove(k.preludeFile)
}

// remove removes a file that is no longer needed. If that fails, the file is removed
// with its directory.
func (k *command) remove(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}

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
	release() // before the end is reported
	k.remove(k.dirFile)
	k.remove(k.preludeFile)
	switch {
	case k.outputFile == "":
	case exit.FileErr != nil:
		h.Notify(fmt.Sprintf("its output file holds %d of %d bytes: %v", exit.Stored, exit.Output.Total, exit.FileErr))
	case exit.Stored < exit.Output.Total:
		h.Notify(fmt.Sprintf("its output file holds the first %d of %d bytes, more is not stored", exit.Stored, exit.Output.Total))
	}
	if note := leftoversNote(exit, k.options, true); note != "" {
		h.Notify(note)
	}
	if note := k.sandboxNote(exit); note != "" {
		h.Notify(note)
	}
	if refusal := k.refusal(exit); refusal != "" {
		h.Notify("the sandbox refused it: " + refusal)
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
		if name := shellparse.ProgramOf(c.Text); i == 0 && (name == "sleep" || strings.EqualFold(name, "start-sleep")) {
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
		switch shellparse.ProgramOf(k.line.Commands[i].Text) {
		case "cd", "pushd", "popd":
			return true
		}
	}
	return false
}

// A capture keeps the beginning and the end of the output of a command as the model sees
// it: without what only a terminal needs. Its methods may be called concurrently, except write.
type capture struct {
	reporter *lineReporter // receives the lines; nil if they are not reported

	mu      sync.Mutex
	cleaner terminal.Cleaner
	buffer  []byte // for reuse
	kept    excerpt.Capture
	ends    int64 // line ends in the whole output
	binary  bool  // it holds a NUL byte
}

// write adds a piece of output.
func (c *capture) write(p []byte) {
	p = c.add(p)
	if c.reporter != nil {
		c.reporter.write(p)
	}
}

// add keeps a piece of output and returns the bytes that it adds to the clean output.
func (c *capture) add(p []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends += int64(bytes.Count(p, []byte{'\n'}))
	if c.binary = c.binary || bytes.IndexByte(p, 0) >= 0; c.binary && c.reporter != nil {
		c.reporter.stop()
	}
	c.buffer = c.cleaner.Append(c.buffer[:0], p)
	p = c.buffer
	_, _ = c.kept.Write(p)
	return p
}

// output returns the clean output so far, with its unfinished line.
func (c *capture) output() excerpt.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, rest := c.kept.Output(), c.cleaner.Rest()
	if o.Omitted == 0 {
		all := excerpt.Capture{Keep: c.kept.Keep}
		for _, p := range [][]byte{o.Head, o.Tail, rest} {
			_, _ = all.Write(p)
		}
		return all.Output()
	}
	o.Tail = slices.Concat(o.Tail[min(len(rest), len(o.Tail)):], rest)
	o.Total += int64(len(rest))
	o.Omitted = o.Total - int64(len(o.Head)) - int64(len(o.Tail))
	return o
}

// replaced returns how many bytes of text are not in the output because later text has
// replaced them on the screen.
func (c *capture) replaced() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cleaner.Replaced()
}

// isBinary reports whether the output is binary.
func (c *capture) isBinary() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.binary
}

// lines returns the number of lines of an output that output has returned.
func (c *capture) lines(o excerpt.Output) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return o.Lines(c.ends)
}

// maxDirName is the number of bytes that are read of a file that names a directory.
const maxDirName = 16 << 10

// updateCwd makes the directory in which k ended the working directory. It returns a note for the
// model.
func (k *command) updateCwd() string {
	f, err := realpath.Open(realpath.Resolve(k.dirFile))
	if err != nil {
		return "" // the shell was replaced by another program, or could not write the file
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDirName))
	_ = f.Close() // it was only read
	dir, last, whole := strings.Cut(string(data), "\n\x00")
	if err != nil || !whole || !filepath.IsAbs(dir) || !isDir(dir) {
		return ""
	}
	return changeDir(k.call, dir, last)
}

// exitMeanings are the programs whose exit code 1 is an answer and not a failure,
// from the documentation of Claude Code.
var exitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"find": "some places could not be searched", "diff": "the files differ",
	"test": "the condition is false", "[": "the condition is false",
	"git grep": "nothing matched", "git diff": "there are differences",
}

// powerShellExitMeanings is the same table for PowerShell.
var powerShellExitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"findstr": "nothing matched", "git grep": "nothing matched", "git diff": "there are differences",
}

// windowsExitMeanings holds on Windows if the program printed something.
var windowsExitMeanings = map[string]string{
	"where": "some names were not found", "fc": "the files differ", "diff": "the files differ",
}

// maxRobocopy is the highest exit code of robocopy that is not a failure.
const maxRobocopy = 7

// exitMeaning returns the meaning of the command's exit code if the code is not a
// failure. The meaning is that of the last simple command of the line, also in a
// pipe. It is empty for a failure, for 0, and if the code may come from another
// simple command.
func (k *command) exitMeaning(exit proc.Exit) string {
	if exit.Err != nil || exit.Signal != "" || exit.Code <= 0 || len(k.line.Commands) == 0 || k.mayEndEarly() {
		return ""
	}
	name := shellparse.SubcommandOf(k.line.Commands[len(k.line.Commands)-1].Text)
	if k.inspector.shell != lines.PowerShell {
		if exit.Code == 1 {
			return exitMeanings[name]
		}
		return ""
	}
	name = strings.ToLower(name)
	switch {
	case name == "robocopy" && exit.Code <= maxRobocopy:
		return "robocopy says what it copied and what it found besides"
	case exit.Code != 1:
		return ""
	case powerShellExitMeanings[name] != "":
		return powerShellExitMeanings[name]
	case runtime.GOOS == "windows" && exit.Output.Total > 0:
		return windowsExitMeanings[name]
	}
	return ""
}

// negation matches a ! before a command, which inverts its exit code.
var negation = regexp.MustCompile(`(^|[;&|({\n]|\b(then|do|else|if|while|until))\s*!\s`)

// setupPrograms are programs before a && that print a message if they fail, or never
// fail.
var setupPrograms = map[string]bool{"cd": true, "pushd": true, "popd": true, "echo": true, "printf": true, "true": true, ":": true, "set": true, "export": true}

// mayEndEarly reports whether the exit code of the line may come from a command
// before the last one or may be inverted. A command whose exit code 1 is an answer as
// well does not count.
func (k *command) mayEndEarly() bool {
	if k.inspector.shell == lines.PowerShell {
		return false
	}
	if negation.MatchString(k.in.Command) {
		return true
	}
	before := k.line.Commands[:len(k.line.Commands)-1]
	depends := strings.Contains(k.in.Command, "&&")
	for i := range before {
		switch shellparse.ProgramOf(before[i].Text) {
		case "exit", "return", "exec", "trap", "set":
			depends = true
		}
	}
	return depends && slices.ContainsFunc(before, func(c lines.Command) bool {
		return !setupPrograms[shellparse.ProgramOf(c.Text)] && exitMeanings[shellparse.SubcommandOf(c.Text)] == ""
	})
}

type commandInput struct {
	Command     string `json:"command" jsonschema_description:"The command line to run"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long it may take, in milliseconds (default 120000, at most 600000; in the background 1800000 and 7200000)"`
	Description string `json:"description,omitempty" jsonschema_description:"What the command does, in five to ten words"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema_description:"Start it and go on; its output goes to a file, and you are told when it ends"`

	outside bool // it runs without the sandbox
}

// sandboxedInput is the input of a tool whose commands run in a sandbox.
type sandboxedInput struct {
	commandInput
	NoSandbox bool `json:"dangerouslyDisableSandbox,omitempty" jsonschema_description:"Runs it without the sandbox; only after the sandbox has refused it, or when the user asks for it"`
}

// command returns the input of the command.
func (in sandboxedInput) command() commandInput {
	k := in.commandInput
	k.outside = in.NoSandbox
	return k
}

// lines returns the lines about the call for a person. Before the call runs, the line shows the
// command and not the description by the model.
func (in commandInput) lines(*pegboard.Call) pegboard.Summary {
	lines := pegboard.Summary{Before: "Run " + pegboard.OneLine(in.Command), While: "Running " + pegboard.OneLine(in.Command)}
	if in.outside {
		lines.Before = "Run without the sandbox: " + pegboard.OneLine(in.Command)
	}
	if about := pegboard.OneLine(in.Description); about != "" {
		lines.While = about
	}
	return lines
}

func validateInput(_ context.Context, in commandInput, _ *pegboard.Call) error {
	if strings.ContainsRune(in.Command, 0) {
		return fmt.Errorf("the command holds a NUL character; no command line can")
	}
	if strings.TrimSpace(in.Command) == "" {
		return fmt.Errorf("the command is blank; send the command line to run")
	}
	return nil
}

// output returns the output of a command that ended in the foreground. reason says
// why it was ended at its timeout.
func (k *command) output(ctx context.Context, exit proc.Exit, reason string) Output {
	out := Output{ExitCode: exit.Code, Elapsed: exit.Elapsed, NoSandbox: k.options.Sandbox != nil && k.sandbox == nil, NoOutputExpected: printsNothing(&k.line)}
	meaning := k.exitMeaning(exit)
	out.failed = true
	switch {
	case errors.Is(exit.Err, errTooLong):
		out.TimedOutAfterMS = k.timeout.Milliseconds()
		out.note(fmt.Sprintf("The command was ended because it took longer than %v; %s. "+
			"Ask for more time with timeout, or do less at once.", k.timeout, reason))
	case errors.Is(exit.Err, proc.ErrOutputLimit):
		out.note(fmt.Sprintf("The command was ended because it printed more than %d bytes. "+
			"Print less, or send the output to a file or through head.", k.options.MaxOutput))
	case exit.Err != nil:
		out.Interrupted = true
		out.note("The command was ended before it finished: the call was cancelled.")
	case exit.Signal != "":
		out.note("The command was ended by a signal: " + exit.Signal + ".")
	case meaning != "":
		out.failed, out.ReturnCodeInterpretation = false, meaning
		out.note(fmt.Sprintf("Exit code %d: %s.", exit.Code, meaning))
	case exit.Code != 0:
		out.note(fmt.Sprintf("Exit code %d.", exit.Code))
	default:
		out.failed = false
	}
	aboutExit := len(out.Stderr)
	if k.in.Background && !out.Interrupted {
		out.note("The command ended at once, so that there is no background task.")
	}
	out.note(leftoversNote(exit, k.options, k.in.Background))
	out.note(k.sandboxNote(exit))
	if k.options.Env == nil {
		out.note(withheldNote(k.in.Command, k.options.Withheld, slices.DeleteFunc(os.Environ(), func(pair string) bool {
			_, isSet := k.options.Vars[nameOf(pair)]
			return isSet
		})))
	}
	out.note(k.startupOf(k.session).takeNote())
	if k.forCode() {
		k.fillValue(&out, exit, strings.TrimPrefix(out.Stderr[aboutExit:], "\n"))
		return out
	}
	k.fillStdout(ctx, &out, exit)
	if out.Omitted == 0 && !out.failed {
		out.complete = slices.Concat(exit.Output.Head, exit.Output.Tail)
	}
	return out
}

// fillStdout sets out.Stdout to the part of the output that the model sees, and
// stores the output if that part is not all of it.
func (k *command) fillStdout(ctx context.Context, out *Output, exit proc.Exit) {
	total, shown := exit.Output.Total, k.captured.output()
	limit := k.options.MaxShown
	if out.failed {
		limit = min(limit, MaxShownFailed)
	}
	switch {
	case k.captured.isBinary():
		at := k.store(ctx, exit, "application/octet-stream")
		out.Omitted, out.RawOutputPath, out.ref = total, at.path, at.ref
		out.note(at.binaryNote(total))
	case shown.Total > int64(limit):
		k.fillExcerpt(ctx, out, exit, limit)
	default:
		out.Stdout = strings.TrimRight(shown.Text(), "\n")
		if n := k.captured.replaced(); n > 0 && !out.Interrupted {
			at := k.store(ctx, exit, "text/plain")
			out.Omitted, out.RawOutputPath, out.ref = n, at.path, at.ref
			out.note(at.replacedNote(total))
		}
	}
}

// fillExcerpt stores an output that is too long to be shown, and sets out.Stdout to a part of
// it: to the beginning if the command succeeded, and to both ends if it did not.
func (k *command) fillExcerpt(ctx context.Context, out *Output, exit proc.Exit, limit int) {
	s := k.excerptSource(exit)
	at := storedOutput{err: errNotStored}
	if !out.Interrupted { // its result is still awaited
		at = k.store(ctx, exit, "text/plain")
	}
	s.Path, s.Stored, s.Hint = at.path, at.size, k.session.ReadMoreHint()
	switch {
	case errors.Is(at.err, pegboard.ErrAlreadyStored):
		s.Hint = "ask for less at once"
	case errors.Is(at.err, errNotStored):
		s.Hint = advice
	case at.err != nil:
		s.Hint = fmt.Sprintf("it could not be stored (%v); %s", at.err, advice)
	case out.failed:
		out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
	default:
		out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
		s.Output = s.Shrink(2 * PreviewSize) // half of it is the beginning
		out.setExcerpt(excerpt.Beginning(s, PreviewSize), s.Total)
		return
	}
	s.Output = s.Shrink(limit)
	out.setExcerpt(excerpt.Ends(s, limit), s.Total)
}

// errNotStored says that an output was not to be stored.
var errNotStored = errors.New("not stored")

// advice tells the model how to see an output that was not stored.
const advice = "to see it, run the command with its output going to a file, or through head, tail or grep"

// excerptSource returns the output for an excerpt. Its size is that of the output as it was
// printed, and so of the file that holds it.
func (k *command) excerptSource(exit proc.Exit) excerpt.Source {
	shown := k.captured.output()
	s := excerpt.Source{Name: "Output", Output: shown, Lines: k.captured.lines(shown)}
	s.Total = exit.Output.Total
	return s
}

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

// refusal returns the refusal by the sandbox of a command that has failed by itself, or "".
func (k *command) refusal(exit proc.Exit) string {
	if k.sandbox == nil || exit.Err != nil || exit.Code == 0 || k.exitMeaning(exit) != "" {
		return ""
	}
	return k.options.Sandbox.Refusal(*k.sandbox, SandboxExit{Code: exit.Code, Output: k.captured.output().Text()})
}

// sandboxNote tells the model about effects of a command in the sandbox that it may not expect.
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

// whyNotOutside returns why no command leaves the sandbox, with advice for the model, or "".
func (r *runner) whyNotOutside(s *pegboard.Session) string {
	switch {
	case r.options.SandboxOnly:
		return "nothing runs without it here; do it in another way, or tell the user what is needed"
	case slices.ContainsFunc(s.Permissions().Rules(), func(rule policy.Rule) bool {
		return isAboutFiles(rule) && rule.Behavior == policy.Deny
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
func outsideTargets(c *pegboard.Call, reason string) []policy.Target {
	ts := c.Targets()
	asked := false
	for i := range ts {
		if ts[i].Kind == policy.Command || ts[i].Kind == policy.Opaque {
			ts[i].AskReason, asked = reason, true
		}
	}
	if !asked {
		ts = append(ts, policy.Target{Kind: policy.Opaque, Value: "without the sandbox", AskReason: reason})
	}
	return ts
}

const storeTimeout = time.Minute // the executor's own limit for the store

// store copies the output of a command from its file to the session's store. If the
// store does not accept it, the output stays in the file.
func (k *command) store(ctx context.Context, exit proc.Exit, mimeType string) storedOutput {
	switch {
	case k.outputFile == "":
		return storedOutput{err: k.outputFileErr}
	case exit.FileErr != nil:
		return storedOutput{err: exit.FileErr}
	}
	at, err := storeFile(ctx, k.call, k.outputFile, exit.Stored, mimeType)
	if errors.Is(err, pegboard.ErrAlreadyStored) && showsFiles(&k.line) {
		return storedOutput{err: err}
	}
	return at
}

// storeFile copies a file of size bytes to the session's store. With an error of the store, the
// output is said to be in the file.
func storeFile(ctx context.Context, c *pegboard.Call, path string, size int64, mimeType string) (storedOutput, error) {
	f, err := os.Open(path)
	if err != nil {
		return storedOutput{err: err}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	stored, err := c.StoreRaw(ctx, mimeType, f)
	_ = f.Close() // it was only read
	if err != nil {
		return storedOutput{path: path, size: size}, err
	}
	return storedOutput{path: cmp.Or(stored.Path, stored.Ref), ref: stored.Ref, size: stored.Size}, nil
}

// filesOf returns the files that a command names.
func filesOf(c *lines.Command) []policy.Target {
	return slices.DeleteFunc(slices.Clone(c.Targets), func(t policy.Target) bool { return t.Kind != policy.Path })
}

// showsFiles reports whether the line prints only the content of files. The output of
// such a line can be had again; another line may print something else the next time.
func showsFiles(line *lines.Line) bool {
	for i := range line.Commands {
		cmd := &line.Commands[i]
		if !cmd.ReadOnly || len(filesOf(cmd)) == 0 && !cmd.ReadsInput {
			return false
		}
	}
	return line.Unknown == ""
}
