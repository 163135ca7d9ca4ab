//lint:file-ignore SA1019 the newest version of the protocol deprecates roots; servers of older ones use them
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
	"github.com/seed49eaa51d/pegboard/tools/mcp/tracecontext"
)

var (
	errReconnect = errors.New("the server is connected anew")
	errGone      = errors.New("the server has closed the connection")
)

// connection is one connection to a server, from its beginning to its end.
type connection struct {
	server   *server
	exchange *exchange.Exchange
	ctx      context.Context //nolint:containedctx // ends with the connection; its cause says why
	cancel   context.CancelCauseFunc
	client   *mcp.Client
	session  *mcp.ClientSession
	wire     wire
	tools    *toolList // the first
	lists    listCache
	changes  chan struct{} // capacity 1: the list of tools has changed

	mu        sync.Mutex
	calls     map[*call]struct{}
	completed map[string]chan struct{} // by the id of a form that shows an address: closed when the server says that the user has finished
	roots     []string
}

// wire is what carries the messages of a connection.
type wire interface {
	mcp.Transport
	// Shut ends the connection at once, whatever waits for it. It returns when nothing of it
	// is left.
	Shut()
	// Fault returns why the connection broke, if the wire knows more than the SDK.
	Fault(err error) error
}

// dialer begins to make the wire of a connection. It ends with ctx.
type dialer func(ctx context.Context, c *connection) (wire, error)

// openConnection connects to a server and lists its tools.
func openConnection(ctx context.Context, s *server) (*connection, error) {
	c := &connection{
		server: s, exchange: new(exchange.Exchange), changes: make(chan struct{}, 1),
		calls: map[*call]struct{}{}, completed: map[string]chan struct{}{},
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	slow := time.AfterFunc(s.servers.options.Begin, func() { c.cancel(fmt.Errorf("%w, %v", ErrSlowStart, s.servers.options.Begin)) })
	defer slow.Stop()
	err := c.open()
	if err == nil && slow.Stop() {
		return c, nil
	}
	// What the server refused says more than that the connection was closed after it.
	var lost *ServerError
	if cause := context.Cause(c.ctx); err == nil || errors.As(err, &lost) || errors.Is(cause, ErrSlowStart) || ctx.Err() != nil {
		err = cause
	}
	err = c.quiet(err)
	c.shut(err)
	return nil, err
}

func (c *connection) open() (err error) {
	if c.wire, err = c.server.servers.dial(c.ctx, c); err != nil {
		return err
	}
	context.AfterFunc(c.ctx, func() {
		c.cancelCalls()
		c.wire.Shut() // ends requests that ignore their context
	})
	c.client = c.newClient()
	c.setRoots(c.server.servers.session.Dirs())
	if c.session, err = c.client.Connect(c.ctx, c.wire, nil); err != nil {
		return c.wire.Fault(err)
	}
	goroutine.Go(func() {
		err := c.session.Wait()
		if err == nil {
			err = errGone
		}
		c.end(c.quiet(c.wire.Fault(err)))
	})
	c.setLogLevel()
	if c.tools, err = c.listTools(c.ctx); err != nil {
		return c.wire.Fault(fmt.Errorf("listing the tools: %w", err))
	}
	return nil
}

// serve follows the changes of the lists until the connection ends, and returns why it did.
func (c *connection) serve() error {
	c.refreshOnChange()
	err := context.Cause(c.ctx)
	c.shut(err)
	return err
}

// end ends the connection. The status of the server changes first, so that it is never ready
// without a connection.
func (c *connection) end(err error) {
	c.server.lose(c, err)
	c.cancel(err)
}

// cancelCalls cancels the calls of a connection that ends.
func (c *connection) cancelCalls() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.calls {
		k.cancel(context.Cause(c.ctx))
	}
}

// shut ends everything that belongs to the connection and waits for it.
func (c *connection) shut(err error) {
	c.cancel(err)
	if c.wire != nil {
		c.wire.Shut()
	}
	if c.session != nil {
		_ = c.session.Close() // the cause is known
	}
}

// fault returns the error of a request for the model: that of the connection, if it has
// ended.
func (c *connection) fault(err error) error {
	c.awaitEnd(err)
	if cause := context.Cause(c.ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, ErrUnauthorized) {
		c.end(err)
		return &ServerError{Server: c.server.config.Name, Status: NeedsAuthorization}
	}
	if c.ctx.Err() != nil {
		status := Pending
		if errors.Is(err, errClosed) {
			status = Closed
		}
		return &ServerError{Server: c.server.config.Name, Status: status, Err: err}
	}
	return untrusted.Err(err)
}

// maxEnd is how long an ending connection may take to say why: longer than a process takes to
// be ended.
const maxEnd = 3 * time.Second

// awaitEnd waits for the end of the connection if err says that it ends: the requests fail
// before it is known why.
func (c *connection) awaitEnd(err error) {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) { // the connection goes on
		return
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, mcp.ErrSessionMissing) {
		return
	}
	timer := time.NewTimer(maxEnd)
	defer timer.Stop()
	select {
	case <-c.ctx.Done():
	case <-timer.C:
	}
}

// request sends a request and returns the bytes of its result. Send is given the _meta of
// its params.
func (c *connection) request(ctx context.Context, send func(ctx context.Context, meta mcp.Meta) error) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
	r := c.exchange.Begin(nil)
	defer r.End()
	if err := send(ctx, c.meta(ctx, r)); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if err = c.fault(err); c.ctx.Err() == nil && context.Cause(ctx) == nil {
			err = c.refusal(err)
		}
		return nil, err
	}
	return r.Result(), nil
}

// newestVersion is the version of the protocol that carries the context of a trace, and parts of
// the input of a call in HTTP headers.
const newestVersion = "2026-07-28"

// meta returns the _meta of a request.
func (c *connection) meta(ctx context.Context, r *exchange.Request) mcp.Meta {
	meta := mcp.Meta{"progressToken": r.Token()}
	if trace := tracecontext.From(ctx); trace != (tracecontext.Context{}) && c.session.InitializeResult().ProtocolVersion >= newestVersion {
		maps.Copy(meta, trace.Meta())
	}
	return meta
}

// codeRejected is the code of the SDK's error for a request that the transport refused, and not
// the server. The error's text says why.
const codeRejected = -32005

// refusal returns the error of an answer for the model.
func (c *connection) refusal(err error) error {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code == codeRejected {
		return fmt.Errorf("the MCP server %q: %w", c.server.config.Name, untrusted.Err(c.quiet(err)))
	}
	return fmt.Errorf("the MCP server %q refused the request: %s (code %d)", c.server.config.Name, untrusted.Escape(refused.Message), refused.Code)
}

// describe fills in the fields of the server's state that the connection knows.
func (c *connection) describe(s *State) {
	s.Strays, s.FirstStray = c.exchange.Strays()
	info := c.session.InitializeResult()
	if info == nil {
		return
	}
	s.Protocol = info.ProtocolVersion
	if i := info.ServerInfo; i != nil {
		s.Title, s.Version = i.Title, i.Version
		if s.Title == "" {
			s.Title = i.Name
		}
	}
	s.HasResources, s.HasPrompts = c.hasResources(), c.hasPrompts()
}

func (c *connection) capabilities() mcp.ServerCapabilities {
	if info := c.session.InitializeResult(); info != nil && info.Capabilities != nil {
		return *info.Capabilities
	}
	return mcp.ServerCapabilities{}
}

func (c *connection) hasResources() bool { return c.capabilities().Resources != nil }
func (c *connection) hasPrompts() bool   { return c.capabilities().Prompts != nil }

// quiet returns err without the query of the server's address, in which some services expect
// a key. The errors of package net/http have the whole address.
func (c *connection) quiet(err error) error {
	address, problem := url.Parse(c.server.config.URL)
	if err == nil || problem != nil || address.RawQuery == "" || !strings.Contains(err.Error(), address.RawQuery) {
		return err
	}
	return &quietError{strings.ReplaceAll(err.Error(), address.RawQuery, "…"), err}
}

// setRoots tells the server the working directories, if they have changed. It waits for the
// server.
func (c *connection) setRoots(dirs []string) {
	c.mu.Lock()
	before := c.roots
	c.roots = dirs
	c.mu.Unlock()
	var gone []string
	for _, root := range rootsOf(before) {
		if !slices.ContainsFunc(rootsOf(dirs), func(r *mcp.Root) bool { return r.URI == root.URI }) {
			gone = append(gone, root.URI)
		}
	}
	if len(gone) > 0 {
		c.client.RemoveRoots(gone...)
	}
	if !slices.Equal(before, dirs) {
		c.client.AddRoots(rootsOf(dirs)...)
	}
}

// rootsOf returns the roots of the protocol for directories.
func rootsOf(dirs []string) []*mcp.Root {
	roots := make([]*mcp.Root, len(dirs))
	for i, dir := range dirs {
		path := filepath.ToSlash(dir)
		if path[0] != '/' { // a drive letter
			path = "/" + path
		}
		roots[i] = &mcp.Root{Name: filepath.Base(dir), URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	return roots
}

// quietError is an error without the secrets that its cause may name.
type quietError struct {
	text string
	err  error
}

func (e *quietError) Error() string { return e.text }
func (e *quietError) Unwrap() error { return e.err }
