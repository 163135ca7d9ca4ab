package shell

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

var (
	//go:embed repl/driver.py
	pythonDriver string
	//go:embed repl/driver.js
	javaScriptDriver string
)

// maxPendingBytes is how many bytes of calls may wait: those of a script that goes on
// calling tools when its own call has ended.
const maxPendingBytes = 64 << 20

// errTooManyCalls says that too many calls wait.
var errTooManyCalls = errors.New("it asked for more calls of tools than can wait")

// A child is one interpreter process.
type child struct {
	process    *proc.Process
	replyReady chan struct{} // has a token when replies wait

	mu           sync.Mutex
	frames       frames
	captured     *excerpt.Capture // since the last collect
	reporter     *lineReporter    // who is told while code runs; nil between the calls
	replies      []reply          // in the order of their arrival
	pendingBytes int              // bytes of their inputs
	codeNumber   int              // that were sent; the number of the last
}

// startChild starts the interpreter of a language.
func startChild(ctx context.Context, table *proc.Table, o REPLOptions, language, dir string) (*child, error) {
	args := slices.Concat(o.Python, []string{"-c", pythonDriver})
	if language == JavaScript {
		args = slices.Concat(o.Node, []string{"-e", javaScriptDriver})
	}
	token := "\x1e" + rand.Text()
	c := &child{replyReady: make(chan struct{}, 1), captured: &excerpt.Capture{Keep: MaxREPLShown}}
	c.frames = frames{token: []byte(token), onText: c.capture, onReply: c.queueReply}
	started := make(chan struct{})
	p, err := table.Start(context.WithoutCancel(ctx), proc.Command{ // it outlives the call
		Args: args, Dir: dir, Env: o.Env, Stdin: true,
		Keep:  maxFrame,    // what is shown is kept here
		Drain: time.Second, // with the process's own grace less than the executor's
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
	_ = c.send(map[string]string{"token": token}) // if it has ended, the code cannot be sent either
	return c, nil
}

// send sends one request. It blocks while the child reads nothing.
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

// write takes output of the process.
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

// capture keeps what code printed. The lock is held.
func (c *child) capture(p []byte) {
	_, _ = c.captured.Write(p)
	if c.reporter != nil {
		c.reporter.write(p)
	}
}

// queueReply keeps a reply until somebody takes it. The lock is held.
func (c *child) queueReply(r reply) {
	c.replies = append(c.replies, r)
	c.pendingBytes += len(r.Input)
	select {
	case c.replyReady <- struct{}{}:
	default:
	}
}

// beginCode numbers the code of a call, and returns what was printed since the last.
func (c *child) beginCode(emit func(string)) (number int, late excerpt.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reporter = &lineReporter{emit: emit}
	c.codeNumber++
	return c.codeNumber, c.takeCaptured()
}

// endCode returns what was printed since begin, and tells nobody of what comes later.
func (c *child) endCode() excerpt.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reporter = nil
	return c.takeCaptured()
}

// takeCaptured returns what was printed since it was called last. The lock is held.
func (c *child) takeCaptured() excerpt.Output {
	o := c.captured.Output()
	c.captured = &excerpt.Capture{Keep: MaxREPLShown}
	return o
}

// takeReplies returns the replies that wait: at most limit, and none after an end.
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

// ended reports whether the process has come to its end.
func (c *child) ended() bool {
	select {
	case <-c.process.Done():
		return true
	default:
		return false
	}
}
