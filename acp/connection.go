package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A connection is one editor, from its first message to its last.
type connection struct {
	agent  *Agent
	server *jrpc2.Server
	lines  *lines
	gone   context.Context //nolint:containedctx // ends with the connection
	depart context.CancelCauseFunc
	ended  chan struct{} // closed when the server has ended

	mu            sync.Mutex
	client        Client
	forms, urls   bool // the editor shows forms and addresses
	conversations map[string]*Conversation
	requests      int  // to the editor, so far
	closed        bool // no conversation is opened any more
}

func newConnection(a *Agent) *connection {
	n := &connection{agent: a, conversations: map[string]*Conversation{}, ended: make(chan struct{})}
	n.gone, n.depart = context.WithCancelCause(context.Background())
	return n
}

// start begins to answer the editor.
func (n *connection) start(l *lines) {
	n.lines = l
	n.server = jrpc2.NewServer(n, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: math.MaxInt,
	})
	n.server.Start(l)
	goroutine.Go(func() {
		defer close(n.ended)
		_ = n.server.Wait() // lines knows why
	})
}

// leave ends all that waits for the editor.
func (n *connection) leave(cause error) {
	if left(cause) {
		cause = ErrDisconnected
	}
	n.depart(cause)
}

// close closes the sessions.
func (n *connection) close(ctx context.Context) error {
	n.mu.Lock()
	n.closed = true
	var ends []<-chan error
	var errs []error
	for _, c := range n.conversations {
		ends = append(ends, goroutine.Go(func() {
			if err := c.close(ctx); err != nil {
				n.mu.Lock()
				defer n.mu.Unlock()
				errs = append(errs, fmt.Errorf("acp: closing %s: %w", c.id, err))
			}
		}))
	}
	n.mu.Unlock()
	for _, end := range ends {
		<-end
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(errs...)
}

// Assign implements [jrpc2.Assigner]. It is called for one message at a time, in the order in
// which the editor has sent them; the handlers run at the same time. So what must not be
// overtaken is done here, without waiting.
func (n *connection) Assign(ctx context.Context, method string) jrpc2.Handler {
	r := jrpc2.InboundRequest(ctx)
	switch method {
	case methodInitialize:
		return handle(n.initialize)
	case methodNew:
		return handle(n.open)
	case methodClose:
		return handle(n.closeSession)
	case methodSetMode:
		return handle(n.setMode)
	case methodPrompt:
		return n.begin(r)
	case methodCancel:
		n.cancel(r)
		return nothing
	case methodCancelRequest:
		return n.cancelRequest(r)
	}
	// Not nil, since jrpc2 never forgets the id of a request without a handler.
	return failing(jrpc2.Errorf(jrpc2.MethodNotFound, "this agent does not know %s", cut(method, maxQuoted)))
}

func nothing(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

func failing(err error) jrpc2.Handler {
	return func(context.Context, *jrpc2.Request) (any, error) { return nil, err }
}

// handle returns a handler of requests with these parameters.
func handle[In any](f func(ctx context.Context, in *In) (any, error)) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (out any, err error) {
		var in In
		if err := decode(r, &in); err != nil {
			return nil, err
		}
		switch out, err = f(ctx, &in); {
		case err == nil:
			return out, nil
		case ctx.Err() != nil:
			return nil, jrpc2.Errorf(codeCancelled, "the request was cancelled")
		}
		return nil, answerOf(err)
	}
}

// answerOf returns an error as the editor is sent it.
func answerOf(err error) error {
	if answer := (*jrpc2.Error)(nil); errors.As(err, &answer) {
		return answer
	}
	return jrpc2.Errorf(jrpc2.InternalError, "%v", err)
}

// decode reads the parameters of a request.
func decode(r *jrpc2.Request, in any) error {
	if !r.HasParams() {
		return invalid("%s needs parameters", r.Method())
	}
	if err := json.Unmarshal([]byte(r.ParamString()), in); err != nil {
		return invalid("the parameters of %s cannot be read: %v", r.Method(), err)
	}
	return nil
}

func (n *connection) initialize(_ context.Context, in *initializeRequest) (any, error) {
	if in.Version == nil {
		return nil, invalid("protocolVersion is missing")
	}
	n.mu.Lock()
	n.client = in.Client
	if e := in.Capabilities.Elicitation; e != nil {
		n.forms, n.urls = e.Form != nil, e.URL != nil
	}
	n.mu.Unlock()
	o, accepts := &n.agent.o, n.agent.o.Accepts
	capabilities := agentCapabilities{
		Prompt:  promptCapabilities{Image: accepts.Images, Audio: accepts.Audio, Embedded: accepts.Embedded},
		MCP:     mcpCapabilities{HTTP: accepts.MCPOverHTTP, SSE: accepts.MCPOverSSE},
		Session: sessionCapabilities{Close: &empty{}},
	}
	if accepts.MoreDirs {
		capabilities.Session.MoreDirs = &empty{}
	}
	// A client of another version ends the connection if it does not speak this one.
	return initializeResponse{
		Version: ProtocolVersion, Capabilities: capabilities, AuthMethods: []empty{},
		Agent: agentInfo{Name: o.Name, Title: o.Title, Version: o.Version},
	}, nil
}

// open opens a conversation.
func (n *connection) open(ctx context.Context, in *newSessionRequest) (any, error) {
	ctx, cancel := n.whileHere(ctx)
	defer cancel(nil)
	for _, dir := range append([]string{in.Dir}, in.MoreDirs...) {
		if !filepath.IsAbs(dir) {
			return nil, invalid("the directory %q is not absolute", cut(dir, maxQuoted))
		}
	}
	servers, err := n.agent.o.Accepts.serversOf(in.Servers)
	if err != nil {
		return nil, err
	}
	c := newConversation(n, in, servers)
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	response := newSessionResponse{Session: c.id, Modes: modesOf(c.session.Permissions())}
	n.mu.Lock()
	here := !n.closed && ctx.Err() == nil
	if here {
		n.conversations[c.id] = c
	}
	n.mu.Unlock()
	if !here {
		return nil, errors.Join(context.Cause(ctx), c.close(context.WithoutCancel(ctx)))
	}
	return response, nil
}

// whileHere returns a context that ends with ctx, and when the editor has left.
func (n *connection) whileHere(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(n.gone, func() { cancel(context.Cause(n.gone)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// conversation returns an open conversation, or the answer of an error.
func (n *connection) conversation(id string) (*Conversation, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.conversations[id]
	if !ok {
		return nil, unknownSession(id)
	}
	return c, nil
}

func (n *connection) closeSession(ctx context.Context, in *sessionRequest) (any, error) {
	n.mu.Lock()
	c, ok := n.conversations[in.Session]
	delete(n.conversations, in.Session)
	n.mu.Unlock()
	if !ok {
		return nil, unknownSession(in.Session)
	}
	c.interrupt(pegboard.ErrUserInterrupt, "")
	return empty{}, c.close(context.WithoutCancel(ctx))
}

func (n *connection) setMode(_ context.Context, in *sessionRequest) (any, error) {
	c, err := n.conversation(in.Session)
	if err != nil {
		return nil, err
	}
	if err := c.setMode(policy.Mode(in.Mode)); err != nil {
		return nil, invalid("%v", err)
	}
	return empty{}, nil
}

// begin begins a prompt, so that a cancellation that follows finds it.
func (n *connection) begin(r *jrpc2.Request) jrpc2.Handler {
	var in sessionRequest
	if err := decode(r, &in); err != nil {
		return failing(err)
	}
	c, err := n.conversation(in.Session)
	if err != nil {
		return failing(err)
	}
	parts, err := n.agent.o.Accepts.partsOf(in.Prompt)
	if err != nil {
		return failing(err)
	}
	if r.IsNotification() {
		return nothing // its end could not be told
	}
	t, err := c.begin(r.ID(), parts)
	if err != nil {
		return failing(err)
	}
	return func(context.Context, *jrpc2.Request) (any, error) { return c.run(t) }
}

// cancel ends the prompt of a session.
func (n *connection) cancel(r *jrpc2.Request) {
	var in sessionRequest
	if decode(r, &in) != nil {
		return
	}
	if c, err := n.conversation(in.Session); err == nil {
		c.interrupt(pegboard.ErrUserInterrupt, "")
	}
}

// cancelRequest ends one request of the editor.
func (n *connection) cancelRequest(r *jrpc2.Request) jrpc2.Handler {
	var in cancelRequest
	if decode(r, &in) != nil {
		return nothing
	}
	id := string(in.Request)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conversations {
		if c.interrupt(pegboard.ErrUserInterrupt, id) {
			return nothing // the prompt answers how it ended
		}
	}
	return func(context.Context, *jrpc2.Request) (any, error) {
		n.server.CancelRequest(id)
		return nil, nil
	}
}

// notify sends a notification. An editor that has left misses nothing.
func (n *connection) notify(method string, params any) {
	if err := n.server.Notify(n.gone, method, params); err != nil && n.gone.Err() == nil && !errors.Is(err, jrpc2.ErrConnClosed) {
		n.agent.logError("sending "+method, err)
	}
}

// nextKey returns the key of a request to the editor.
func (n *connection) nextKey() requestMeta {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	return requestMeta{Key: strconv.Itoa(n.requests)}
}

// request asks the editor, which is told if ctx ends before it has answered. The error is the
// cause of ctx, ErrDisconnected, or the error that the editor answered.
func (n *connection) request(ctx context.Context, method string, meta requestMeta, params, result any) error {
	ctx, cancel := n.whileHere(ctx)
	defer cancel(nil)
	response, err := n.server.Callback(ctx, method, params)
	if ctx.Err() != nil {
		if id, open := n.lines.withdraw(meta.Key); open {
			n.notify(methodCancelRequest, cancelRequest{Request: id})
		}
		return context.Cause(ctx)
	}
	if errors.Is(err, jrpc2.ErrConnClosed) {
		return ErrDisconnected
	}
	if err != nil {
		return err
	}
	return response.UnmarshalResult(result)
}
