package shell

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

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
