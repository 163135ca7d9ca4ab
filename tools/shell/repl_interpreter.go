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
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
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
		i.lateOutput += i.child.endCode().output().Shrink(maxLateOutput).Text()
		i.lostReason = fmt.Sprintf("the one before ended after its last call (%s)", exitText(i.child.process.Exit()))
		i.child = nil
	}
	if i.child != nil && i.child.dir != dir {
		i.child.process.Stop(errRestart)
		i.child.process.Exit()
		i.lateOutput += i.child.endCode().output().Shrink(maxLateOutput).Text()
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
	all := &printed{newFile: func() (string, error) { return background.Of(t.call.Session()).NewFile("repl") }}
	defer all.close()
	number, late := t.child.beginCode(t.call.Emit, all)
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
	if !ran { // nothing of the code has run
		i.lateOutput += kept.output().Shrink(maxLateOutput).Text()
		return out, false
	}
	i.lostReason, i.lateOutput = "", ""
	if out.Ended {
		i.child = nil
	}
	if out.Interrupted {
		i.lostReason = "the last call was cancelled" // the model may have seen only that the call was cancelled
	}
	if note := all.show(ctx, t.call, &out, kept); note != "" {
		notes = append(notes, note)
	}
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
	all          *printed // by the code that runs; nil between two calls
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
		Args: args, Dir: dir, Env: inherited(o.Env, o.Withheld, o.Vars).pairs, Stdin: true,
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
	if c.all != nil {
		c.all.write(p)
	}
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
// output and all the place for it, and returns the output since the last endCode.
func (c *child) beginCode(emit func(string), all *printed) (number int, late excerpt.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.codeNumber++
	return c.codeNumber, c.takeCaptured(&lineReporter{emit: emit}, all).output()
}

// endCode returns the output since beginCode and ends the reports.
func (c *child) endCode() *capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.takeCaptured(nil, nil)
}

// takeCaptured returns the output since its last call. What follows is reported to r, and goes to
// all. The caller holds the lock.
func (c *child) takeCaptured(r *lineReporter, all *printed) *capture {
	before := c.captured
	c.captured, c.all = newREPLCapture(r), all
	return before
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
