package mcp

import (
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
	ctx        context.Context //nolint:containedctx // ends with the call
	cancel     context.CancelCauseFunc
	clock      *idleClock
	started    time.Time

	decoding sync.Mutex      // held while the result is read, and while the call moves to the background
	decoder  content.Decoder // guarded by decoding
	moved    atomic.Bool     // the call goes on in the background, where its owner has ended

	result *pegboard.Result // with err, once the work has ended
	err    error
}

type callKey struct{}

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
	done := goroutine.Go(k.work)
	move, stop := k.backgroundTime()
	defer stop()
	for {
		select {
		case <-done:
			return k.result, k.err
		case <-ctx.Done():
			k.cancel(context.Cause(ctx))
			<-done // the SDK returns when the context of a call ends
			return k.result, cmpErr(k.err, context.Cause(ctx))
		case <-move:
			if result := k.moveToBackground(done); result != nil {
				return result, nil
			}
			move = nil // it ends in the foreground
		}
	}
}

// begin registers a call. Its context ends with the connection, and after the limits.
func (c *connection) begin(ctx context.Context, owner *pegboard.Call, tool string, input json.RawMessage) *call {
	s := c.server
	k := &call{
		connection: c, owner: owner, session: s.servers.session, tool: tool, input: input, started: time.Now(),
		decoder: content.Decoder{Server: s.config.Name},
	}
	if owner != nil {
		k.decoder = content.ForCall(owner, s.config.Name)
		if session := owner.Session(); session != nil {
			k.session = session
		}
	}
	k.request = c.exchange.Begin(k.progressed)
	k.ctx, k.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	k.ctx = context.WithValue(k.ctx, callKey{}, k)
	idle := s.servers.options.idle(s.local())
	k.clock = newIdleClock(idle, func() { k.cancel(fmt.Errorf("%w for %v", ErrIdle, idle)) })
	c.mu.Lock()
	c.calls[k] = struct{}{}
	c.mu.Unlock()
	return k
}

// work makes the call and reads its result.
func (k *call) work() {
	c := k.connection
	limit := c.server.config.Timeout
	if limit == 0 {
		limit = c.server.servers.options.Call
	}
	hard := time.AfterFunc(limit, func() { k.cancel(fmt.Errorf("%w of %v", ErrCallTimeout, limit)) })
	leave := context.AfterFunc(c.ctx, func() { k.cancel(context.Cause(c.ctx)) })
	defer func() {
		hard.Stop()
		leave()
		k.clock.stop()
		k.request.End()
		c.mu.Lock()
		delete(c.calls, k)
		c.mu.Unlock()
		k.cancel(nil)
	}()
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
	k.result = k.decoder.CallResult(k.ctx, k.request.Result())
}

// send sends the request and waits for its answer.
func (k *call) send() error {
	_, err := k.connection.session.CallTool(k.ctx, &mcp.CallToolParams{
		Meta: k.connection.meta(k.ctx, k.request), Name: k.tool, Arguments: k.input,
	})
	return err
}

// fault returns the error of the call for the model.
func (k *call) fault(err error) error {
	k.connection.awaitEnd(err)
	cause := context.Cause(k.ctx)
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

// Progress is what a server reports of a call: the data of the events of its progress.
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
