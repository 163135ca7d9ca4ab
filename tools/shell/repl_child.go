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

// maxWaiting is how many bytes of calls may wait: those of a script that goes on
// calling tools when its own call has ended.
const maxWaiting = 64 << 20

// errWaiting says that too many calls wait.
var errWaiting = errors.New("it asked for more calls of tools than can wait")

// A child is one interpreter process.
type child struct {
	process *proc.Process
	arrived chan struct{} // has a token when replies wait

	mu      sync.Mutex
	frames  frames
	printed *excerpt.Capture // since the last collect
	lines   *lines           // who is told while code runs; nil between the calls
	replies []reply          // in the order of their arrival
	waiting int              // bytes of their inputs
	codes   int              // that were sent; the number of the last
}

// startChild starts the interpreter of a language.
func startChild(ctx context.Context, table *proc.Table, o REPLOptions, language, dir string) (*child, error) {
	args := slices.Concat(o.Python, []string{"-c", pythonDriver})
	if language == JavaScript {
		args = slices.Concat(o.Node, []string{"-e", javaScriptDriver})
	}
	token := "\x1e" + rand.Text()
	c := &child{arrived: make(chan struct{}, 1), printed: &excerpt.Capture{Keep: DefaultREPLOutput}}
	c.frames = frames{token: []byte(token), plain: c.print, reply: c.queue}
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
	if err == nil && c.waiting > maxWaiting {
		err = errWaiting
	}
	if err != nil {
		c.frames.token = nil
		c.process.Stop(err)
	}
}

// print keeps what code printed. The lock is held.
func (c *child) print(p []byte) {
	_, _ = c.printed.Write(p)
	if c.lines != nil {
		c.lines.write(p)
	}
}

// queue keeps a reply until somebody takes it. The lock is held.
func (c *child) queue(r reply) {
	c.replies = append(c.replies, r)
	c.waiting += len(r.Input)
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

// begin numbers the code of a call, and returns what was printed since the last.
func (c *child) begin(emit func(string)) (number int, late excerpt.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = &lines{emit: emit}
	c.codes++
	return c.codes, c.collected()
}

// end returns what was printed since begin, and tells nobody of what comes later.
func (c *child) end() excerpt.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = nil
	return c.collected()
}

// collected returns what was printed since it was called last. The lock is held.
func (c *child) collected() excerpt.Output {
	o := c.printed.Output()
	c.printed = &excerpt.Capture{Keep: DefaultREPLOutput}
	return o
}

// take returns the replies that wait: at most limit, and none after an end.
func (c *child) take(limit int) (rs []reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.replies), limit)
	if end := slices.IndexFunc(c.replies[:n], func(r reply) bool { return r.Done > 0 }); end >= 0 {
		n = end + 1
	}
	rs, c.replies = c.replies[:n:n], c.replies[n:]
	for _, r := range rs {
		c.waiting -= len(r.Input)
	}
	if len(c.replies) > 0 {
		select {
		case c.arrived <- struct{}{}:
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
