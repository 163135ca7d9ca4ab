package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
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
