package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// An agentCall is one agent of a run. It implements [goroutine.Task].
type agentCall struct {
	conductor *conductor
	future    *future
	number    int             // from 0, in the order of the starts
	ctx       context.Context //nolint:containedctx // of the agent
	request   agentRequest
	phase     string
	began     time.Time

	result agentResult
	err    error
}

// name returns the agent as the log and the errors name it.
func (a *agentCall) name() string {
	return fmt.Sprintf("agent %d (%s)", a.number+1, a.request.title())
}

// start starts an agent: at once, when fewer are running, or never if the run that is
// resumed has its result.
func (c *conductor) start(a *agentCall) {
	a.conductor, a.number = c, c.started
	c.started++
	if a.phase = a.request.Phase; a.phase == "" {
		a.phase = c.phase
	}
	c.journal.started(a.number, a.request)
	if c.replay.takes(a) {
		return
	}
	c.queue = append(c.queue, a)
	c.fill()
}

// fill starts agents of the queue while fewer than the most are running.
func (c *conductor) fill() {
	for c.running < c.maxRunning && len(c.queue) > 0 {
		a := c.queue[0]
		c.queue = c.queue[1:]
		c.running++
		a.began = time.Now()
		c.log.agent(a, "started")
		c.goroutines.add()
		goroutine.Start(a)
	}
}

// Work implements [goroutine.Task].
func (a *agentCall) Work() {
	if a.err = context.Cause(a.ctx); a.err == nil {
		a.result, a.err = a.conductor.startAgent(a.ctx, a.request)
	}
}

// Leave implements [goroutine.Task].
func (a *agentCall) Leave(crash error) {
	if crash != nil {
		a.err = fmt.Errorf("it crashed: %w", crash)
	}
	a.conductor.results.push(a)
	a.conductor.goroutines.remove()
}

var _ goroutine.Task = (*agentCall)(nil)

// finish takes the result of an agent that was running.
func (c *conductor) finish(a *agentCall) {
	c.running--
	c.fill()
	value := a.result.value()
	switch {
	case a.err != nil:
	case a.request.Schema != nil && a.result.Structured == nil:
		a.err = fmt.Errorf("it gave no value for the schema, but a text: %s", oneLine(a.result.Text, maxReason))
	case !json.Valid(value):
		a.err = errors.New("its structured result is no JSON")
	}
	c.tokens += a.result.Tokens
	for _, note := range a.result.Notes {
		c.log.agent(a, "notes: "+oneLine(note, maxReason))
		c.notes = append(c.notes, a.name()+": "+oneLine(note, maxReason))
	}
	took := time.Since(a.began).Round(100 * time.Millisecond)
	switch {
	case a.result.StopTurn:
		c.log.agent(a, "was stopped by the user")
		c.end(errStopTurn)
		return
	case a.err != nil:
		c.log.agent(a, fmt.Sprintf("failed after %v: %s", took, oneLine(a.err.Error(), maxReason)))
		c.settle(a.future, nil, fmt.Errorf("%w: %s: %w", ErrAgent, a.name(), a.err))
		return
	}
	c.journal.finished(a.number, value)
	c.log.agent(a, fmt.Sprintf("completed in %v", took))
	c.settle(a.future, value, nil)
}

const maxReason = 500

// deliverReplayed takes the next result of the run that is resumed. It is false if no
// result is left.
func (c *conductor) deliverReplayed() bool {
	a, value := c.replay.next()
	if a == nil {
		return false
	}
	c.journal.finished(a.number, value)
	c.log.agent(a, "has its result from the earlier run")
	c.settle(a.future, value, nil)
	return true
}
