package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// REPLOutput is the Result.Data of [REPL].
type REPLOutput struct {
	Language      string        `json:"language"`
	Output        string        `json:"output"` // both streams in the order of arrival, as the model sees them
	Failed        bool          `json:"failed"` // by an exception, or the process ended with an error
	Ended         bool          `json:"ended"`  // the process has ended and its state is lost
	Interrupted   bool          `json:"interrupted"`
	TimedOutAfter time.Duration `json:"-"` // zero if the code did not time out
	Omitted       int64         `json:"-"` // bytes of output that are not in Output
	Elapsed       time.Duration `json:"-"`

	text string // for the model
}

// line says for a person how the code ended.
func (out *REPLOutput) line() string {
	printed := "no output"
	if n := lineCount(strings.TrimRight(out.Output, "\n")); n > 0 {
		printed = plural(n, "line") + " of output"
	}
	switch {
	case out.Interrupted:
		return "Stopped, " + printed
	case out.TimedOutAfter > 0 && !out.Ended:
		return fmt.Sprintf("Interrupted after %v, %s", out.TimedOutAfter, printed)
	case out.TimedOutAfter > 0:
		return fmt.Sprintf("Ended after %v, %s", out.TimedOutAfter, printed)
	case out.Failed && out.Ended:
		return "The interpreter ended, " + printed
	case out.Failed:
		return "Ended by an error, " + printed
	}
	return "Ran, " + printed
}

// noteInterrupt records that the code was interrupted and has ended then, and returns a
// sentence about it for the model.
func (out *REPLOutput) noteInterrupt(limit time.Duration) string {
	out.TimedOutAfter = limit
	note := fmt.Sprintf("The code was interrupted because it took longer than %v. Variables and imports are kept. Ask for more time with timeout, or do less at once.", limit)
	if out.Language == JavaScript {
		note += " What it waits for may go on; restart ends that."
	}
	return note
}

// noteEnd records that the process has ended while the code ran, perhaps because its time
// was over, and returns a sentence about it for the model.
func (out *REPLOutput) noteEnd(exit proc.Exit, late bool, limit time.Duration) string {
	out.Ended, out.Failed = true, true
	var note string
	switch {
	case errors.Is(exit.Err, errCodeTime), late && exit.Err == nil && exit.Signal != "":
		out.TimedOutAfter = limit
		note = fmt.Sprintf("The code was ended because it took longer than %v, and could not be interrupted. Ask for more time with timeout, or do less at once.", limit)
	case errors.Is(exit.Err, proc.ErrOutputLimit), errors.Is(exit.Err, errBadReply), errors.Is(exit.Err, errTooManyCalls):
		note = fmt.Sprintf("The code was ended: %v. Do less at once, and write large data to a file.", exit.Err)
	case exit.Err != nil:
		out.Interrupted = true
		note = "The code was ended before it finished: the call was cancelled."
	case exit.Signal != "":
		note = fmt.Sprintf("The interpreter was ended by a signal: %s.", exit.Signal)
	default:
		out.Failed = exit.Code != 0
		note = fmt.Sprintf("The code ended the interpreter, with exit code %d.", exit.Code)
	}
	return note + " Its variables and imports are gone; the next call begins with a new interpreter."
}

// exitText returns a phrase for the way in which a process has ended.
func exitText(e proc.Exit) string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// replTools are tools that scripts often call, with what these take and return.
func replTools() []describedTool {
	return []describedTool{
		{"Read", "{file_path, offset?, limit?}", "the whole text as a string, without line numbers; of a notebook {cells}, of an image a ToolFile"},
		{"Write", "{file_path, content}", "{filePath, type, structuredPatch}"},
		{"Edit", "{file_path, old_string, new_string, replace_all?}", "{filePath, structuredPatch}"},
		{"NotebookEdit", "{notebook_path, cell_id?, new_source, cell_type?, edit_mode?}", "{cell_id, notebook_path}"},
		{"Glob", "{pattern, path?}", "{filenames}, all of them"},
		{"Grep", "{pattern, path?, glob?, output_mode?}", "{filenames}; with output_mode content {matches: [{file, line, text}]}, with count {counts: {file: number}}; all of them"},
		{"Bash", "{command, timeout?}", "{stdout, exitCode}; stdout has both streams, and an exit code other than 0 is no exception"},
	}
}

// replPrompt returns the description of the tool for the model.
func replPrompt(o REPLOptions, s pegboard.Scope) string {
	languages := o.Languages
	example := "tools.NAME({...})"
	if s.CanRun("Read") {
		example = `tools.Read({"file_path": "a.txt"})`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Runs code in %s and returns what it prints, and the value of an expression at its end. ", strings.Join(languages, " or "))
	if len(languages) > 1 {
		fmt.Fprintf(&b, "Without language it is %s. ", languages[0])
	}
	b.WriteString("Variables, functions and imports are kept from call to call, also when code takes too long and is interrupted; the result says when they are lost. " +
		"There is no terminal and no input.\n\n" +
		"Work with files and commands through the tools, which code calls by name with one object, as in " + example + ". " +
		"They are checked like your own calls, so a script can do in one step what would take many: loop over files, filter results, and print only what you need. " +
		"A call returns data, and you see of it only what the code prints. ")
	if slices.Contains(languages, Python) {
		b.WriteString("In Python objects are dicts, and a call that fails or is refused raises ToolError. await works outside of functions; for calls at the same time: " +
			"await asyncio.gather(*(asyncio.to_thread(tools.NAME, x) for x in inputs)). ")
	}
	if slices.Contains(languages, JavaScript) {
		b.WriteString("In JavaScript a call is awaited, as in await tools.NAME({...}); it throws ToolError. A promise at the end is awaited. Use require or await import() for modules. ")
	}
	b.WriteString("A ToolError has tool, kind (such as denied, invalid_input, timeout or failed) and value, what the tool could do. " +
		"What is over 4 MiB, or no text, is a ToolFile instead: path, size, read() for all of it, lines() for the lines one by one")
	if slices.Contains(languages, JavaScript) {
		b.WriteString("; in JavaScript await read(), and for await over lines()")
	}
	b.WriteString(".\n\nWhat the tools take, and what they return:\n")
	for _, t := range describedTools(o.Describe, s) {
		fmt.Fprintf(&b, "%s(%s): %s\n", t.name, t.input, t.value)
	}
	b.WriteString("Other tools take what their descriptions say, and return what their output schemas say, or a text. REPL itself cannot be called.")
	return b.String()
}

// A reply is one message of a driver.
type reply struct {
	Begun int  `json:"begun"` // the number of a code that has begun
	Done  int  `json:"done"`  // the number of a code that has ended
	Error bool `json:"error"` // the code ended with an exception, which was printed

	Call  int             `json:"call"` // the number of a request to call a tool
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// valid reports whether exactly one of Begun, Done and Call is set.
func (r reply) valid() bool {
	kinds := 0
	for _, number := range []int{r.Begun, r.Done, r.Call} {
		if number < 0 {
			return false
		}
		kinds += min(number, 1)
	}
	return kinds == 1
}

// A stopwatch calls a function after a time, not counting the time in which it was
// paused. It is not safe for concurrent use.
type stopwatch struct {
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func startStopwatch(limit time.Duration, f func()) *stopwatch {
	return &stopwatch{left: limit, since: time.Now(), timer: time.AfterFunc(limit, f)}
}

// pause stops the clock. It returns false if the time was over.
func (w *stopwatch) pause() bool {
	inTime := w.timer.Stop()
	w.left -= time.Since(w.since)
	return inTime
}

// resume starts the clock again after pause.
func (w *stopwatch) resume() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}

const (
	maxBatch      = 32   // tool calls that run as one batch, whose values are in memory together
	maxLateOutput = 5000 // bytes shown of the output between two calls
)

// The causes that stop a process, besides the cancellation of its call.
var (
	errCodeTime = errors.New("the code took too long")
	errRestart  = errors.New("a new interpreter was asked for")
)

// Errors of a turn whose code did not end.
var (
	errNotBegun    = errors.New("the process ended before the code began")
	errNotFinished = errors.New("the process ended before the code did")
)

// A turn is the run of the code of one call.
type turn struct {
	child   *child
	call    *pegboard.Call
	timeout time.Duration
}

// A turnEnd says how the code of a turn ended.
type turnEnd struct {
	failed bool // by an exception
	late   bool // it was interrupted, or its process ended, because its time was over
}

// run runs code and, in batches, the tools that it calls. If it returns an error,
// errNotBegun or errNotFinished, the process has ended or is ending.
func (t turn) run(ctx context.Context, number int, code string) (end turnEnd, err error) {
	release := context.AfterFunc(ctx, func() { t.child.process.Stop(context.Cause(ctx)) })
	limit := deadline{child: t.child}
	watch := startStopwatch(t.timeout, limit.pass)
	defer func() {
		watch.pause()
		passed, killed := limit.end()
		if own := release(); err == nil && (killed || !own) {
			err = errNotFinished // the process is being stopped
		}
		end.late = passed
	}()
	if t.child.send(map[string]any{"run": number, "code": code}) != nil {
		return turnEnd{}, errNotBegun
	}
	err = errNotBegun
	for {
		over := false
		select {
		case <-t.child.replyReady:
		case <-t.child.process.Done():
			over = true // every reply has been queued
		}
		replies := t.child.takeReplies(maxBatch)
		if len(replies) == 0 && over {
			return turnEnd{}, err
		}
		var calls []reply
		for _, r := range replies {
			switch {
			case r.Call > 0:
				calls = append(calls, r)
			case r.Begun == number:
				err = errNotFinished
				limit.begin()
			case r.Done == number:
				t.callTools(ctx, watch, calls) // the code does not wait for these calls
				return turnEnd{failed: r.Error}, nil
			}
		}
		if !over {
			t.callTools(ctx, watch, calls)
		}
	}
}

// callTools runs the tool calls that the code asks for as calls inside its own call,
// and sends the results to the code. The calls are cancelled if the process ends.
func (t turn) callTools(ctx context.Context, watch *stopwatch, asked []reply) {
	if len(asked) == 0 {
		return
	}
	watch.pause() // tools have their own timeouts, and a user may have to answer a question
	defer watch.resume()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	goroutine.Go(func() {
		select {
		case <-t.child.process.Done():
			cancel(errNotFinished)
		case <-ctx.Done():
		}
	})
	calls := make([]pegboard.Call, len(asked))
	for i, r := range asked {
		calls[i] = pegboard.Call{Name: r.Name, Input: r.Input}
		if t.call.ID != "" {
			calls[i].ID = fmt.Sprintf("%s/%d", t.call.ID, r.Call)
		}
		if string(r.Input) == "null" {
			calls[i].Input = json.RawMessage("{}")
		}
	}
	answers := make([]any, len(asked))
	outcomes := t.call.Run(ctx, calls...)
	for i := range outcomes {
		answers[i] = newToolAnswer(asked[i].Call, &outcomes[i], background.Of(t.call.Session()))
		outcomes[i] = pegboard.Outcome{} // for the garbage collector
	}
	_ = t.child.send(answers...) // after an error the process ends, which run notices
}
