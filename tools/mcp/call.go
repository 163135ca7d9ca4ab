package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// call is one tools/call that runs, from its begin to its end, in the background as well.
type call struct {
	connection *connection
	owner      *pegboard.Call    // nil for a call of Servers.Invoke
	session    *pegboard.Session // whose user is asked
	tool       string
	input      json.RawMessage
	request    *exchange.Request
	ctx        callContext
	cancel     context.CancelCauseFunc
	clock      callClock
	move       chan struct{} // capacity 1: the call should go on in the background; nil if it must not
	done       chan struct{} // closed when the work has ended
	started    time.Time

	decoding sync.Mutex      // held while the result is read, and while the call moves to the background
	decoder  content.Decoder // guarded by decoding
	moved    atomic.Bool     // the call goes on in the background, where its owner has ended

	result *pegboard.Result // with err, once done is closed
	err    error
}

// callContext is the context of a call, in which the SDK's handlers find the call.
type callContext struct {
	context.Context //nolint:containedctx // it is a context

	call *call
}

// errEnded is the cause of the end of a call's context when the call has ended by itself.
var errEnded = errors.New("the call has ended")

type callKey struct{}

func (c *callContext) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c.call
	}
	return c.Context.Value(key)
}

// callFrom returns the call on whose behalf the SDK calls a handler, or nil.
func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// call makes a call of a tool of the server. It is the Call of its definition.
func (s *server) call(ctx context.Context, owner *pegboard.Call, tool string, input json.RawMessage) (*pegboard.Result, error) {
	c, err := s.connected()
	if err != nil {
		return nil, err
	}
	k := c.begin(ctx, owner, tool, input)
	goroutine.Start(k)
	for {
		select {
		case <-k.done:
			return k.result, k.err
		case <-ctx.Done():
			k.cancel(context.Cause(ctx))
			<-k.done // the SDK returns when the context of a call ends
			return k.result, cmpErr(k.err, context.Cause(ctx))
		case <-k.move:
			if result := k.moveToBackground(); result != nil {
				return result, nil
			}
		}
	}
}

// begin registers a call and starts its clock.
func (c *connection) begin(ctx context.Context, owner *pegboard.Call, tool string, input json.RawMessage) *call {
	s := c.server
	k := &call{
		connection: c, owner: owner, session: s.servers.session, tool: tool, input: input,
		done: make(chan struct{}), started: time.Now(), decoder: content.Decoder{Server: s.config.Name},
	}
	if owner != nil {
		k.decoder = content.ForCall(owner, s.config.Name)
		if session := owner.Session(); session != nil {
			k.session = session
		}
	}
	k.request = c.exchange.Begin(k.progressed)
	k.ctx.call = k
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k.ctx.Context, k.cancel = own, cancel //nolint:fatcontext // set once, for the call
	move := k.backgroundTime()
	if move > 0 {
		k.move = make(chan struct{}, 1)
	}
	k.clock.start(s.servers.options.idle(s.local()), k.limit(), move, k.reached)
	c.mu.Lock()
	c.calls[k] = struct{}{}
	c.mu.Unlock()
	if c.ctx.Err() != nil { // it ended before the call was registered
		k.cancel(context.Cause(c.ctx))
	}
	return k
}

// limit returns how long the call may take.
func (k *call) limit() time.Duration {
	return cmp.Or(k.connection.server.config.Timeout, k.connection.server.servers.options.Call)
}

// reached is called when the call has come to a limit.
func (k *call) reached(m moment) {
	switch m {
	case idleMoment:
		k.cancel(fmt.Errorf("%w for %v", ErrIdle, k.clock.idle))
	case lastMoment:
		k.cancel(fmt.Errorf("%w of %v", ErrCallTimeout, k.limit()))
	case moveMoment:
		k.move <- struct{}{}
	}
}

// Work makes the call and reads its result.
func (k *call) Work() {
	err := k.send()
	if elicitations := addressesOf(err); elicitations != nil {
		err = k.sendAfter(elicitations)
	}
	if err != nil {
		k.err = k.fault(err)
		return
	}
	k.decoding.Lock()
	defer k.decoding.Unlock()
	k.result = k.decoder.CallResult(&k.ctx, k.request.Result())
}

// Leave releases the clock, the request and the place of the call.
func (k *call) Leave(crash error) {
	k.clock.stop()
	k.request.End()
	c := k.connection
	c.mu.Lock()
	delete(c.calls, k)
	c.mu.Unlock()
	k.cancel(errEnded)
	k.err = cmpErr(k.err, crash)
	close(k.done)
}

// send sends the request and waits for its answer.
func (k *call) send() error {
	_, err := k.connection.session.CallTool(&k.ctx, &mcp.CallToolParams{
		Meta: k.connection.meta(&k.ctx, k.request), Name: k.tool, Arguments: k.input,
	})
	if errors.Is(err, exchange.ErrKept) {
		return nil
	}
	return err
}

// fault returns the error of the call for the model.
func (k *call) fault(err error) error {
	k.connection.awaitEnd(err)
	cause := context.Cause(&k.ctx)
	switch {
	case k.connection.ctx.Err() != nil, errors.Is(err, ErrUnauthorized):
		return k.connection.fault(err)
	case errors.Is(cause, ErrIdle), errors.Is(cause, ErrCallTimeout):
		return fmt.Errorf("the MCP server %q: %w; the call was cancelled, and what it did until then stays done", k.connection.server.config.Name, cause)
	case cause != nil:
		return cause
	}
	return k.connection.refusal(err)
}

// progressed passes a report of progress on to the host.
func (k *call) progressed(p exchange.Progress) {
	k.clock.reset()
	if k.owner == nil || k.moved.Load() {
		return
	}
	text := strconv.FormatFloat(p.Value, 'g', -1, 64)
	if p.Total > 0 {
		text += "/" + strconv.FormatFloat(p.Total, 'g', -1, 64)
	}
	if p.Message != "" {
		text = p.Message + " (" + text + ")"
	}
	k.owner.EmitData(text, Progress{Value: p.Value, Total: p.Total, Message: p.Message})
}

// Progress is a server's report on a call. It is the data of the events of progress.
type Progress struct {
	Value   float64
	Total   float64 // 0 if it is not known
	Message string
}

// cmpErr returns the first error that is not nil.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Invoke makes a call of a tool of a server for the host, such as for a hook, and decides
// nothing: no rule, hook or limit of a pool applies. Tool is the name that the server has for
// the tool, and input a JSON object; no schema is checked. Bytes in the result are left out.
// The error wraps [ErrUnknownServer], a *[ServerError], or the cause of ctx.
func (m *Servers) Invoke(ctx context.Context, server, tool string, input json.RawMessage) (*pegboard.Result, error) {
	one := m.find(server)
	if one == nil {
		return nil, m.unknown(server)
	}
	return one.call(ctx, nil, tool, input)
}

// backgroundTime returns when the call should go on in the background; 0 if it must not.
func (k *call) backgroundTime() time.Duration {
	after := k.connection.server.servers.options.Background
	interactive, known := pegboard.KeyInteractive.Get(k.session)
	main := k.session.Role() == pegboard.RoleMain || k.session.Role() == pegboard.RoleCoordinator
	if after < 0 || k.owner == nil || k.owner.Parent() != nil || !main || known && !interactive {
		return 0
	}
	return after
}

// moveToBackground makes a task of the call and returns the result that the model gets now.
// It is nil if the call cannot go on in the background.
func (k *call) moveToBackground() *pegboard.Result {
	if !k.decoding.TryLock() {
		return nil // the answer is there
	}
	defer k.decoding.Unlock()
	tasks := background.Of(k.session)
	file, err := tasks.NewFile("mcp")
	if err != nil {
		return nil
	}
	server := k.connection.server.config.Name
	h, err := tasks.Add(k.session, background.Work{
		Kind: "mcp", Description: fmt.Sprintf("%s of the MCP server %s", untrusted.Escape(k.tool), server),
		Command: k.owner.ToolName(), OutputFile: file, Started: k.started, Stop: k.cancel,
	})
	if err != nil {
		return nil
	}
	// The methods of the owner end with it.
	k.moved.Store(true)
	k.decoder.Store, k.decoder.Tell = storeInTasks(tasks), nil
	goroutine.Go(func() { k.superviseTask(h, file) })
	return &pegboard.Result{
		Line: "Goes on in the background as " + h.ID(),
		Parts: []pegboard.Part{{Text: fmt.Sprintf("The call has taken %v and goes on in the background.\nTask id: %s\nIts result will be in: %s\n"+
			"You are told of the end; do not poll. Go on with something else; TaskStop ends it.", time.Since(k.started).Round(time.Second), h.ID(), file)}},
	}
}

// superviseTask waits until the call has ended, writes its result into the file of the task
// and reports the end.
func (k *call) superviseTask(h *background.Handle, file string) {
	<-k.done
	err := k.err
	state := background.Completed
	switch {
	case err != nil:
		state = background.Failed // Done makes Killed of it if the task was asked to stop
	case k.result.IsError:
		state, err = background.Failed, errors.New("the server reported a failure; its text is in the file")
	}
	if k.result != nil {
		if problem := os.WriteFile(file, []byte(k.resultText()), 0o600); problem != nil {
			h.Notify("its result could not be written: " + problem.Error())
			state, err = background.Failed, cmpErr(err, problem)
		}
	}
	h.Done(state, nil, err)
}

// resultText returns the result as text. Images are stored apart.
func (k *call) resultText() string {
	var texts []string
	store := storeInTasks(background.Of(k.session))
	for _, p := range k.result.Parts {
		if len(p.Data) == 0 {
			texts = append(texts, p.Text)
			continue
		}
		stored, err := store(context.Background(), p.MIME, strings.NewReader(string(p.Data)))
		if err != nil {
			texts = append(texts, fmt.Sprintf("(%s could not be stored: %v)", p.MIME, err))
			continue
		}
		texts = append(texts, fmt.Sprintf("(%s is in %s)", p.MIME, stored.Path))
	}
	return strings.Join(texts, "\n")
}

// storeInTasks returns a func that keeps bytes beside the output files of tasks.
func storeInTasks(tasks *background.Tasks) func(ctx context.Context, mimeType string, r io.Reader) (pegboard.StoredResult, error) {
	return func(_ context.Context, _ string, r io.Reader) (stored pegboard.StoredResult, err error) {
		path, err := tasks.NewFile("mcp")
		if err != nil {
			return stored, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return stored, err
		}
		return pegboard.StoredResult{Ref: path, Path: path, Size: int64(len(data))}, os.WriteFile(path, data, 0o600)
	}
}

// A moment is something that a callClock waits for.
type moment int

const (
	idleMoment moment = iota // nothing has happened for too long
	lastMoment               // the call has taken too long
	moveMoment               // the call should go on in the background
	moments
)

// callClock says when the limits of a call are reached. One timer serves all of them.
type callClock struct {
	reached func(moment) // called once for each moment, on a goroutine of its own
	idle    time.Duration
	timer   *time.Timer

	mu     sync.Mutex
	at     [moments]time.Time // zero: not waited for
	paused int                // how often pause was called without resume
	ended  bool
}

// start starts the clock. A duration of 0 or less means no limit.
func (c *callClock) start(idle, last, move time.Duration, reached func(moment)) {
	now := time.Now()
	c.reached, c.idle = reached, max(idle, 0)
	for m, d := range [moments]time.Duration{idleMoment: idle, lastMoment: last, moveMoment: move} {
		if d > 0 {
			c.at[m] = now.Add(d)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if next, ok := c.next(); ok {
		c.timer = time.AfterFunc(next.Sub(now), c.tick)
	}
}

// next returns the next moment. The lock is held.
func (c *callClock) next() (next time.Time, ok bool) {
	for m, at := range c.at {
		if at.IsZero() || moment(m) == idleMoment && c.paused > 0 {
			continue
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next, !next.IsZero()
}

// tick is called by the timer.
func (c *callClock) tick() {
	c.mu.Lock()
	now := time.Now()
	var passed []moment
	for m, at := range c.at {
		if c.ended || at.IsZero() || at.After(now) || moment(m) == idleMoment && c.paused > 0 {
			continue
		}
		c.at[m] = time.Time{}
		passed = append(passed, moment(m))
	}
	c.rearm(now)
	c.mu.Unlock()
	for _, m := range passed {
		c.reached(m)
	}
}

// rearm sets the timer to the next moment. The lock is held.
func (c *callClock) rearm(now time.Time) {
	if next, ok := c.next(); ok && !c.ended {
		c.timer.Reset(next.Sub(now))
	}
}

// reset begins the time of idleness anew. The timer is left alone: when it fires it is set to
// the new time.
func (c *callClock) reset() { c.pauseBy(0) }

// pause stops the time of idleness until resume was called as often.
func (c *callClock) pause() { c.pauseBy(1) }

// resume undoes pause, and begins the time of idleness anew.
func (c *callClock) resume() { c.pauseBy(-1) }

func (c *callClock) pauseBy(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused += n
	if c.at[idleMoment].IsZero() {
		return // no limit, or reached
	}
	now := time.Now()
	c.at[idleMoment] = now.Add(c.idle)
	if n < 0 {
		c.rearm(now)
	}
}

// stop stops the clock.
func (c *callClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
