package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// REPL returns the tool that runs Python or JavaScript. It panics if o names another
// language, or describes a nil tool.
//
// # State
//
// Each session, and so each agent, has one process per language. The process starts
// with the first call and keeps variables, imports and the directory between calls.
// Code that takes too long is interrupted, as by Ctrl-C, and the state is kept. It is
// lost when the code ends or crashes the interpreter, cannot be interrupted within three
// seconds or prints more than 5 GB in all; when the call is cancelled; and when a call
// asks for a restart. The result of that call or of the next one says so. What JavaScript
// waits for when it is interrupted may go on until a restart. Closing the session ends
// the processes and everything that they have started.
//
// # Tools
//
// Code calls the agent's tools: tools.Read({...}) in Python returns the result or raises
// ToolError; in JavaScript it returns a promise. A result is data, see
// [pegboard.Outcome.Value], and a ToolFile stands for each [pegboard.FileValue]. Its
// read method returns all of it, lines the lines one by one. A whole value that is longer
// than [pegboard.MaxInMemory] is such a file, too. Nothing of it reaches the model but
// what the code prints. An exception has the text for the model, the tool, the kind as in
// [pegboard.CodeError], and as value the result's data. The page docs/shell.md says what
// each tool returns. These are ordinary calls, each with its own decision, whose parent is the call of REPL;
// see [pegboard.Call.Run]. Calls that are made at the same time form a batch. A call
// that a thread or a timer makes after the call of REPL has ended waits for the next
// call of REPL. With [pegboard.Gates].REPL, the tools that scripts can call are not
// offered to the model itself.
//
// # Permission and concurrency
//
// Code can do anything. Therefore it runs alone and is allowed only by a user or by a
// rule for all of REPL; the rule does not count if any deny or ask rule could match
// something that code does. There is no sandbox: the actions of code that do not go
// through tools are not subject to rules. On Windows, a program that JavaScript
// starts with the standard input of its own process can read requests that are meant
// for that process. If a host makes two calls at the same time in one session, the
// second one is refused while the first one runs.
func REPL(o REPLOptions) pegboard.Tool {
	o = o.withDefaults()
	for _, l := range o.Languages {
		if l != Python && l != JavaScript {
			panic(fmt.Sprintf("shell: REPL: there is no language %q", l))
		}
	}
	for i, t := range o.Describe {
		if t == nil {
			panic(fmt.Sprintf("shell: REPL: Describe[%d] is nil", i))
		}
	}
	sessions := pegboard.NewClonedKey("interpreters", func(*interpreters) *interpreters { return &interpreters{} })
	return pegboard.Build(pegboard.Definition[replInput, REPLOutput]{
		Info:        pegboard.Info{Name: "REPL", Title: "Run code", MaxResult: -1}, // the tool limits its output itself
		Description: "Runs code that can call the other tools, and keeps its variables.",
		Prompt:      func(s pegboard.Scope) string { return replPrompt(o, s) },
		Inspect: func(in replInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetOpaque, Value: o.languageOf(in) + " code"}}, Kind: pegboard.KindRun}
		},
		Lines: func(in replInput, _ *pegboard.Call) pegboard.Lines {
			code := o.languageOf(in) + ": " + pegboard.OneLine(in.Code)
			lines := pegboard.Lines{Before: "Run " + code, While: "Running " + code}
			if about := pegboard.OneLine(in.Description); about != "" {
				lines.While = about
			}
			return lines
		},
		Validate:        func(_ context.Context, in replInput, _ *pegboard.Call) error { return o.validate(in) },
		ClassifierInput: func(in replInput, _ *pegboard.Call) string { return o.languageOf(in) + "\n" + in.Code },
		Call: func(ctx context.Context, in replInput, c *pegboard.Call) (REPLOutput, error) {
			s, err := sessionOf(c, "REPL")
			if err != nil {
				return REPLOutput{}, err
			}
			is := sessions.GetOrInit(s, func() *interpreters { return &interpreters{} })
			return is.get(s, o.languageOf(in)).run(ctx, o, in, c)
		},
		Result: func(out REPLOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text)
			r.IsError, r.Data, r.Line = out.Failed, out, out.line()
			return r
		},
	})
}

type replInput struct {
	Code        string `json:"code" jsonschema_description:"The code to run; the value of an expression at its end is shown"`
	Language    string `json:"language,omitempty" jsonschema:"enum=python,enum=javascript" jsonschema_description:"The language of the code"`
	Description string `json:"description,omitempty" jsonschema_description:"What the code does, in five to ten words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long it may run, in milliseconds (default 30000, at most 600000); time in tools does not count"`
	Restart     bool   `json:"restart,omitempty" jsonschema_description:"Begin with a new interpreter; code may be empty then"`
}

var (
	//go:embed repl/driver.py
	pythonDriver string
	//go:embed repl/driver.js
	javaScriptDriver string
)

// maxPendingBytes is the number of bytes of queued tool calls. A script may go on
// calling tools after its own call has ended.
const maxPendingBytes = 64 << 20

// errTooManyCalls ends a process that exceeds maxPendingBytes.
var errTooManyCalls = errors.New("it asked for more calls of tools than can wait")

// A child is one interpreter process.
type child struct {
	process    *proc.Process
	dir        string        // of the session when it was started
	bySignal   bool          // a signal interrupts its code; otherwise a request does
	replyReady chan struct{} // holds a token when replies are queued

	mu           sync.Mutex
	frames       frames
	captured     *capture // output since the last takeCaptured; it has a reporter while code runs
	replies      []reply  // queued, in the order of arrival
	pendingBytes int      // bytes of the queued inputs
	codeNumber   int      // number of the last code that was sent
}

// startChild starts the interpreter of a language.
func startChild(ctx context.Context, table *proc.Table, o REPLOptions, language, dir string) (*child, error) {
	args := slices.Concat(o.python(), []string{"-c", pythonDriver})
	if language == JavaScript {
		args = slices.Concat(o.Node, []string{"-e", javaScriptDriver})
	}
	token := "\x1e" + rand.Text()
	c := &child{dir: dir, bySignal: language == Python && runtime.GOOS != "windows", replyReady: make(chan struct{}, 1), captured: newREPLCapture(nil)}
	c.frames = frames{token: []byte(token), onText: c.capture, onReply: c.queueReply}
	started := make(chan struct{})
	p, err := table.Start(context.WithoutCancel(ctx), proc.Command{ // the process outlives the call
		Args: args, Dir: dir, Env: inherited(o.Env, o.Withheld).pairs, Stdin: true,
		Keep:  maxFrame,    // the output is kept in captured
		Drain: time.Second, // less than the executor's grace, also with the grace of the process added
		Output: func(p []byte) {
			<-started
			c.write(p)
		},
	})
	c.process = p
	close(started)
	if err != nil {
		return nil, err
	}
	_ = c.send(map[string]string{"token": token}) // if the process has ended, sending the code fails as well
	return c, nil
}

// send sends requests. It blocks while the child does not read.
func (c *child) send(requests ...any) error {
	var lines []byte
	for _, r := range requests {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("request: %w", err)
		}
		lines = append(append(lines, line...), '\n')
	}
	_, err := c.process.Stdin().Write(lines)
	return err
}

// interrupt asks the code that runs to end, without waiting. With all it also interrupts the
// processes that the code has started.
func (c *child) interrupt(all bool) {
	if all || c.bySignal {
		_ = c.process.Interrupt(all) // where the system cannot, the driver does it
	}
	if !c.bySignal {
		goroutine.Go(func() { _ = c.send(map[string]bool{"interrupt": true}) }) // blocks while the process does not read
	}
}

// write handles output of the process.
func (c *child) write(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frames.token == nil {
		return
	}
	err := c.frames.write(p)
	if err == nil && c.pendingBytes > maxPendingBytes {
		err = errTooManyCalls
	}
	if err != nil {
		c.frames.token = nil
		c.process.Stop(err)
	}
}

// capture stores and reports text that the code printed. The caller holds the lock.
func (c *child) capture(p []byte) {
	c.captured.write(p)
}

func newREPLCapture(r *lineReporter) *capture {
	return &capture{reporter: r, kept: excerpt.Capture{Keep: MaxREPLShown}}
}

// queueReply queues a reply for takeReplies. The caller holds the lock.
func (c *child) queueReply(r reply) {
	c.replies = append(c.replies, r)
	c.pendingBytes += len(r.Input)
	select {
	case c.replyReady <- struct{}{}:
	default:
	}
}

// beginCode assigns the number of the next code, makes emit the reporter of its
// output, and returns the output since the last endCode.
func (c *child) beginCode(emit func(string)) (number int, late excerpt.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.codeNumber++
	return c.codeNumber, c.takeCaptured(&lineReporter{emit: emit})
}

// endCode returns the output since beginCode and ends the reports.
func (c *child) endCode() excerpt.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.takeCaptured(nil)
}

// takeCaptured returns the output since its last call. What follows is reported to r. The
// caller holds the lock.
func (c *child) takeCaptured(r *lineReporter) excerpt.Output {
	o := c.captured.output()
	c.captured = newREPLCapture(r)
	return o
}

// takeReplies removes and returns at most limit queued replies. A reply that ends a
// code is the last one returned.
func (c *child) takeReplies(limit int) (rs []reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.replies), limit)
	if end := slices.IndexFunc(c.replies[:n], func(r reply) bool { return r.Done > 0 }); end >= 0 {
		n = end + 1
	}
	rs, c.replies = c.replies[:n:n], c.replies[n:]
	for _, r := range rs {
		c.pendingBytes -= len(r.Input)
	}
	if len(c.replies) > 0 {
		select {
		case c.replyReady <- struct{}{}:
		default:
		}
	}
	return rs
}

// ended reports whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.process.Done():
		return true
	default:
		return false
	}
}

// How code is interrupted whose time is over. The state of the interpreter outlives that; it
// is lost if the code does not end all the same.
const (
	interruptEvery = time.Second
	interruptTries = 3 // before the process is ended
)

// A deadline ends code that takes too long: it interrupts the code, and if that does not end,
// the process. Its methods may be called concurrently.
type deadline struct {
	child *child

	mu       sync.Mutex
	begun    bool // the code runs; before, the driver may not be ready for an interrupt
	passed   bool // the time is over
	killed   bool // the process was ended
	over     bool // the code has ended
	attempts int
	timer    *time.Timer // of the next attempt
}

// pass is called when the time of the code is over.
func (d *deadline) pass() {
	d.mu.Lock()
	first := !d.passed && !d.over
	d.passed = d.passed || first
	d.mu.Unlock()
	if first {
		d.interrupt()
	}
}

// interrupt makes the next attempt to end the code.
func (d *deadline) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	d.attempts++
	if d.attempts > interruptTries {
		d.killed = true
		d.child.process.Stop(errCodeTime)
		return
	}
	all := d.attempts > 1 // what the code waits for may keep it from being interrupted itself
	d.timer = time.AfterFunc(interruptEvery, d.interrupt)
	if d.begun {
		d.child.interrupt(all)
	}
}

// begin is called when the code begins to run.
func (d *deadline) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun = true
}

// end is called when the code has ended, and reports whether its time was over, and
// whether its process is being ended.
func (d *deadline) end() (passed, killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.timer != nil {
		d.timer.Stop()
	}
	return d.passed, d.killed
}

// A describedTool is a line of the prompt: a tool that code calls, with what it takes and returns.
type describedTool struct{ name, input, value string }

// describedTools returns the tools that are told to the model: those of listed, which are
// REPLOptions.Describe, by their definitions, then those of the table that none of them answers to.
func describedTools(listed []pegboard.Tool, s pegboard.Scope) (all []describedTool) {
	table := replTools()
	for _, t := range listed {
		info := t.Info()
		table = slices.DeleteFunc(table, func(known describedTool) bool {
			return known.name == info.Name || slices.Contains(info.Aliases, known.name)
		})
		if !s.CanRun(info.Name) {
			continue
		}
		if d, ok := describe(t, s); ok {
			all = append(all, d)
		}
	}
	for _, known := range table {
		if s.CanRun(known.name) {
			all = append(all, known)
		}
	}
	return all
}

// describe returns the line of a tool. A tool that cannot declare itself has none.
func describe(t pegboard.Tool, s pegboard.Scope) (line describedTool, ok bool) {
	var d pegboard.Declaration
	if err := goroutine.Try(func() error { d, ok = t.Declare(pegboard.Scope{Session: s.Session}); return nil }); err != nil || !ok {
		return describedTool{}, false
	}
	input, names := inputOf(d.InputSchema)
	line = describedTool{name: d.Name, input: input}
	if i := slices.IndexFunc(replTools(), func(known describedTool) bool { return known.takes(d.Name, names) }); i >= 0 {
		line.value = replTools()[i].value
		return line, true
	}
	line.value = pegboard.OneLine(d.About)
	if value := outputOf(d.OutputSchema); value != "" {
		line.value += " Returns " + value + "."
	}
	return line, true
}

// takes reports whether a tool of the table has that name and no properties but these, so that what
// the table knows of its value holds.
func (d describedTool) takes(name string, properties []string) bool {
	if d.name != name {
		return false
	}
	for property := range strings.SplitSeq(strings.Trim(d.input, "{}"), ",") {
		if !slices.Contains(properties, strings.TrimRight(strings.TrimSpace(property), "?")) {
			return false
		}
	}
	return true
}

// The most that a line shows of a schema, which a server may have written. Our choice.
const (
	maxShownProperties = 30
	maxShownChoices    = 10
)

// anyProperties are keywords by which an input may have properties that are not declared.
var anyProperties = []string{"$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas"}

// inputOf words the properties of an input, the required ones first, and returns their names.
// Properties that are not declared, or too many, are "...".
func inputOf(schema []byte) (text string, names []string) {
	object, err := jsonobject.Parse(schema)
	if err != nil {
		return "{...}", nil
	}
	properties, err := jsonobject.Parse(object.Get("properties"))
	if err != nil || len(properties) == 0 {
		if further, err := jsonobject.Parse(object.Get("additionalProperties")); err == nil && len(further) > 0 ||
			slices.ContainsFunc(anyProperties, func(keyword string) bool { return object.Get(keyword) != nil }) {
			return "{...}", nil
		}
		return "{}", nil
	}
	required := stringsOf(object.Get("required"))
	var must, may []string
	for _, p := range properties {
		names = append(names, p.Name)
		name := pegboard.OneLine(p.Name)
		if slices.Contains(required, p.Name) {
			must = append(must, name+typeOf(p.Value))
		} else {
			may = append(may, name+"?"+typeOf(p.Value))
		}
	}
	return "{" + strings.Join(upTo(maxShownProperties, append(must, may...)), ", ") + "}", names
}

// upTo returns the first of a list, and "..." in place of the others.
func upTo(most int, list []string) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), "...")
}

// outputOf words the properties of the value of a tool; "" if they are not known.
func outputOf(schema []byte) string {
	text, names := inputOf(schema)
	if len(names) == 0 {
		return ""
	}
	return strings.ReplaceAll(text, "?", "") // the marks of what may be left out
}

// typeOf words the choices for a property; "" if there are none.
func typeOf(schema []byte) string {
	object, err := jsonobject.Parse(schema)
	if err != nil {
		return ""
	}
	if choices := upTo(maxShownChoices, stringsOf(object.Get("enum"))); len(choices) > 0 {
		for i := range choices {
			choices[i] = pegboard.OneLine(choices[i])
		}
		return ": " + strings.Join(choices, "|")
	}
	return ""
}

// stringsOf returns a list of strings; nil for anything else.
func stringsOf(raw []byte) (list []string) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// maxReply is the maximum size of a driver's reply in bytes. The drivers refuse to
// send more than 16 MiB.
const maxReply = 17 << 20

// maxFrame is the maximum size of a frame in bytes.
const maxFrame = 4096

// errBadReply ends an interpreter that sends an invalid frame or reply.
var errBadReply = errors.New("its replies could not be read")

// frames separates the output of an interpreter into the text that code and its child
// processes print and the replies of the driver.
//
// A reply is one or more frames. A frame is the token, "." in the last frame of a
// reply and "+" in the others, a piece of JSON in ASCII, and a newline. Each process
// has its own random token, so printed text cannot imitate it. A frame is written
// with one system call and is small enough that the system does not mix it with the
// output of other processes. It may stand anywhere in their output, also inside a
// line.
type frames struct {
	token   []byte
	onText  func([]byte) // called with text that belongs to no frame; must not keep it
	onReply func(reply)

	rest    []byte // the beginning of a possible frame
	partial []byte // the pieces of an incomplete reply
}

// write handles a piece of output. An error wraps errBadReply; the output after it
// cannot be interpreted.
func (f *frames) write(p []byte) error {
	if len(f.rest) > 0 {
		p = append(f.rest, p...)
		f.rest = nil
	}
	for {
		at := bytes.Index(p, f.token)
		if at < 0 {
			keep := overlap(p, f.token)
			f.passText(p[:len(p)-keep])
			f.rest = bytes.Clone(p[len(p)-keep:])
			return nil
		}
		f.passText(p[:at])
		p = p[at:]
		end := bytes.IndexByte(p, '\n')
		if end > maxFrame || end < 0 && len(p) > maxFrame {
			return fmt.Errorf("%w: a frame has no end", errBadReply)
		}
		if end < 0 {
			f.rest = bytes.Clone(p)
			return nil
		}
		if err := f.parseFrame(p[len(f.token):end]); err != nil {
			return err
		}
		p = p[end+1:]
	}
}

// passText passes on text that belongs to no frame.
func (f *frames) passText(p []byte) {
	if len(p) > 0 {
		f.onText(p)
	}
}

// parseFrame handles the bytes between a token and the end of its line.
func (f *frames) parseFrame(p []byte) error {
	if len(p) == 0 || p[0] != '.' && p[0] != '+' {
		return fmt.Errorf("%w: a frame has no mark", errBadReply)
	}
	if len(f.partial)+len(p) > maxReply {
		return fmt.Errorf("%w: one is larger than %d bytes", errBadReply, maxReply)
	}
	f.partial = append(f.partial, p[1:]...)
	if p[0] == '+' {
		return nil
	}
	var r reply
	if err := json.Unmarshal(f.partial, &r); err != nil {
		return fmt.Errorf("%w: %w", errBadReply, err)
	}
	if !r.valid() {
		return fmt.Errorf("%w: one is not a beginning, an end or a call", errBadReply)
	}
	f.partial = nil
	f.onReply(r)
	return nil
}

// overlap returns how many bytes at the end of p may be the beginning of token.
func overlap(p, token []byte) int {
	for n := min(len(p), len(token)-1); n > 0; n-- {
		if bytes.HasSuffix(p, token[:n]) {
			return n
		}
	}
	return 0
}

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

// interpreters are the interpreters of one session.
type interpreters struct {
	registered sync.Once // with the session, which closes the table
	table      proc.Table

	mu  sync.Mutex
	all map[string]*interpreter // by language
}

// get returns the interpreter of a language in the session s.
func (is *interpreters) get(s *pegboard.Session, language string) *interpreter {
	is.registered.Do(func() { s.OnClose("interpreters", is.table.Close) })
	is.mu.Lock()
	defer is.mu.Unlock()
	i := is.all[language]
	if i == nil {
		i = &interpreter{table: &is.table, language: language}
		if is.all == nil {
			is.all = map[string]*interpreter{}
		}
		is.all[language] = i
	}
	return i
}

// The languages of [REPL].
const (
	Python     = "python"
	JavaScript = "javascript"
)

// The defaults of [REPL].
const (
	DefaultREPLTimeout    = 30 * time.Second
	DefaultMaxREPLTimeout = 10 * time.Minute
	MaxREPLShown          = 30_000 // bytes of the code's output that the model sees
)

// REPLOptions change [REPL]. The zero value works.
type REPLOptions struct {
	// Languages are the languages that the tool offers, Python or JavaScript. A call
	// that names none uses the first. None means both.
	Languages []string
	// Python is the program and its flags; nil means {"python3", "-u"}, and on Windows
	// the Python 3 in PATH, or that which py finds. It must be Python 3.8 or newer.
	Python []string
	// Node is the program and its flags; nil means {"node"}. It must be Node 18 or
	// newer.
	Node []string
	// Env and Withheld say what the interpreter inherits, as in [Options].
	Env, Withheld []string
	// Timeout is how long code may run if its call does not say; 0 means
	// DefaultREPLTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest timeout of a call; a longer one is reduced to it. 0
	// means DefaultMaxREPLTimeout.
	MaxTimeout time.Duration
	// Describe are tools whose definitions the model is not shown, since they are hidden
	// behind REPL, see [pegboard.Gates]: the host registers them, too. The prompt tells what
	// each of them takes and returns if code can call it. Nil means only the tools that this
	// module has for files and commands, which are told in any case.
	Describe []pegboard.Tool
}

func (o REPLOptions) withDefaults() REPLOptions {
	if len(o.Languages) == 0 {
		o.Languages = []string{Python, JavaScript}
	}
	o.Describe = slices.Clone(o.Describe)
	if o.Node == nil {
		o.Node = []string{"node"}
	}
	if o.Withheld == nil {
		o.Withheld = DefaultWithheld()
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = DefaultMaxREPLTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = min(DefaultREPLTimeout, o.MaxTimeout)
	}
	return o
}

// python returns the program of Python and its flags.
func (o REPLOptions) python() []string {
	if o.Python != nil {
		return o.Python
	}
	return append(newFinder().python(), "-u")
}

// timeoutFor returns the timeout of a call that asks for ms milliseconds.
func (o REPLOptions) timeoutFor(ms int) time.Duration {
	if ms <= 0 {
		return o.Timeout
	}
	if int64(ms) > o.MaxTimeout.Milliseconds() {
		return o.MaxTimeout
	}
	return time.Duration(ms) * time.Millisecond
}

// languageOf returns the language of a call.
func (o REPLOptions) languageOf(in replInput) string {
	if in.Language == "" {
		return o.Languages[0]
	}
	return in.Language
}

func (o REPLOptions) validate(in replInput) error {
	if l := o.languageOf(in); !slices.Contains(o.Languages, l) {
		return fmt.Errorf("%s is not offered here; write the code in %s", l, strings.Join(o.Languages, " or "))
	}
	if strings.TrimSpace(in.Code) == "" && !in.Restart {
		return fmt.Errorf("the code is blank; send the code to run")
	}
	return nil
}
