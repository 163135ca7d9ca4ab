package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/tools/mcp/tracecontext"
)

// A peer is the server's side of one client: a connection, or the requests without a
// session that have the same name. A client whose requests have none is a peer for each.
type peer struct {
	server *Server
	mcp    *mcp.Server // of this client alone, since its tools are
	user   string
	// sessionless peers serve requests that stand for themselves, anonymous ones such requests
	// of clients that have no name.
	sessionless, anonymous bool
	// overHTTP peers have no connection whose end would be noticed. They are closed when
	// nothing has used them for the time linger.
	overHTTP bool
	modern   bool      // the client speaks 2026-07-28 or later; set before its session is opened
	turns    lane.Lane // of its calls

	syncing lock.Mutex // one sync at a time; guards listed
	listed  map[string]string

	mu       lock.Mutex    // guards the fields below
	opening  chan struct{} // closed when Open has returned; nil before it is called
	openErr  error
	session  *pegboard.Session
	tools    func() *pegboard.Pool
	pool     *pegboard.Pool
	schemas  map[string]bool // the tools whose results must have structured content
	conn     *mcp.ServerSession
	announce bool // the client is told when its tools change
	uses     int
	linger   time.Duration
	idle     *time.Timer
	closed   chan struct{} // closed when the peer is; made by the first close
}

func newPeer(s *Server) *peer {
	p := &peer{server: s, listed: map[string]string{}}
	p.turns.SetLimit(cmp.Or(max(s.executor.MaxParallel, 0), pegboard.DefaultMaxParallel))
	p.mcp = mcp.NewServer(&mcp.Implementation{Name: s.o.Name, Version: s.o.Version}, &mcp.ServerOptions{
		Instructions: s.o.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	p.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "result", Title: "Stored result", URITemplate: linkTemplate,
		Description: "The whole result of a call that was too long to be sent, as its resource link says. A page has at most 1 MiB; " +
			"the address of the next one is in _meta, under \"" + nextPage + "\".",
	}, p.readResult)
	p.mcp.AddReceivingMiddleware(p.receive)
	p.mcp.AddSendingMiddleware(p.send)
	return p
}

// receive opens the session before the first request that needs it.
func (p *peer) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen":
			if err := p.openFor(ctx, method, req); err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server cannot open a session"}
			}
		}
		return next(ctx, method, req)
	}
}

// openFor opens the session for a request. The session of a peer without a connection was
// opened before, since the SDK looks at the headers of its tools first.
func (p *peer) openFor(ctx context.Context, method string, req mcp.Request) error {
	if p.sessionless {
		if session, _ := p.current(); session == nil && method != "server/discover" { // that says nothing of the tools
			return errors.New("it was not opened")
		}
		return nil
	}
	if conn, ok := req.GetSession().(*mcp.ServerSession); ok {
		p.setConnection(conn)
	}
	return p.open(ctx, clientOf(req))
}

// send holds back the news of the first tools, which every client asks for.
func (p *peer) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" && !p.announces() {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

func (p *peer) announces() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.announce
}

// setConnection records the connection of the client, and closes the peer when it ends.
func (p *peer) setConnection(conn *mcp.ServerSession) {
	p.mu.Lock()
	first := p.conn == nil
	if first {
		p.conn = conn
	}
	p.mu.Unlock()
	if first {
		if p.overHTTP {
			p.stay(p.server.idle())
			p.server.setSession(conn.ID(), p)
		}
		goroutine.Go(func() {
			_ = conn.Wait() // the error is for the transport
			p.close()
		})
	}
}

// open opens the session if it is not open. Others wait until it is. After an error, the next
// request tries again.
func (p *peer) open(ctx context.Context, c Client) error {
	p.mu.Lock()
	opening := p.opening
	if opening == nil {
		p.opening = make(chan struct{})
	}
	p.mu.Unlock()
	if opening != nil {
		select {
		case <-opening:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.openErr
	}
	c.User = p.user
	p.modern = c.Protocol >= modernProtocol
	err := p.openSession(ctx, c)
	if err != nil {
		p.server.logError("opening a session", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.openErr = err
	close(p.opening)
	if err != nil {
		p.opening = nil
	}
	return err
}

func (p *peer) openSession(ctx context.Context, c Client) error {
	var session *pegboard.Session
	var tools func() *pegboard.Pool
	if err := p.server.add(p); err != nil {
		return err
	}
	err := goroutine.Try(func() (err error) { session, tools, err = p.server.o.Open(ctx, c); return err })
	switch {
	case err != nil:
	case session == nil || tools == nil:
		err = errors.New("Options.Open has returned no session or no tools")
	case !p.setSession(session, tools):
		err = pegboard.ErrClosed
	default:
		if err = p.sync(false); err == nil {
			return nil
		}
		session = nil // p.close closes it
	}
	if session != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		err = errors.Join(err, session.Close(ctx))
	}
	return err
}

// setSession reports whether the peer is still there.
func (p *peer) setSession(session *pegboard.Session, tools func() *pegboard.Pool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return false
	}
	p.session, p.tools = session, tools
	return true
}

// current returns the session and the pool, which are nil if the client has none.
func (p *peer) current() (*pegboard.Session, *pegboard.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session, p.pool
}

// hasSchema reports whether the client was told the schema of a tool's output.
func (p *peer) hasSchema(tool string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.schemas[tool]
}

// call answers a request of the client to call a tool.
func (p *peer) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if state := req.Params.RequestState; state != "" {
		return p.comeBack(ctx, req, state)
	}
	session, pool := p.current()
	if session == nil || !p.use() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the session is closed"}
	}
	c := newOpenCall(p, req)
	traced := tracecontext.With(context.WithoutCancel(ctx), tracecontext.Of(req.Params.Meta))
	runCtx, stop := context.WithCancelCause(context.WithValue(traced, callKey{}, c))
	c.stop = stop
	c.join(req)
	goroutine.Go(func() { c.run(runCtx, pool) })
	return c.wait(ctx, req)
}

// comeBack takes the answer that a client brings with the state it was given.
func (p *peer) comeBack(ctx context.Context, req *mcp.CallToolRequest, state string) (*mcp.CallToolResult, error) {
	c := p.server.callOf(state)
	if c == nil || !c.peer.is(p) {
		return nil, invalid("the requestState is unknown or has expired; call the tool again without it")
	}
	if c.call.Name != req.Params.Name || !sameJSON(c.call.Input, req.Params.Arguments) {
		return nil, invalid("the requestState belongs to another call; send it with the same name and arguments")
	}
	c.join(req)
	c.answer(state, req.Params.InputResponses)
	return c.wait(ctx, req)
}

func invalid(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// is reports whether two peers are the same client. Clients without a name are known
// by nothing but the states and links that they bring.
func (p *peer) is(q *peer) bool { return p == q || p.anonymous && q.anonymous }

// sameJSON reports whether two inputs are the same, whatever their spelling.
func sameJSON(a, b json.RawMessage) bool {
	canonical := func(text json.RawMessage) string {
		if len(bytes.TrimSpace(text)) == 0 {
			return "{}"
		}
		v, err := strictjson.Decode(text, strictjson.Limits{})
		if err != nil {
			return string(text)
		}
		sorted, err := json.Marshal(v)
		if err != nil {
			return string(text)
		}
		return string(sorted)
	}
	return bytes.Equal(a, b) || canonical(a) == canonical(b)
}

// use keeps a peer without a connection open until release is called as often. It reports
// whether the peer is open.
func (p *peer) use() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return false
	}
	if p.uses++; p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
	return true
}

func (p *peer) release() {
	p.mu.Lock()
	p.uses--
	idle := p.uses == 0 && p.overHTTP && p.closed == nil
	closes := idle && p.linger == 0
	if idle && p.linger > 0 {
		p.idle = time.AfterFunc(p.linger, p.closeIdle)
	}
	p.mu.Unlock()
	if closes {
		goroutine.Go(p.close) // the response of the last request does not wait for it
	}
}

// closeIdle closes a peer that nothing uses.
func (p *peer) closeIdle() {
	p.mu.Lock()
	used := p.uses > 0
	p.mu.Unlock()
	if !used {
		p.close()
	}
}

// stay keeps a peer without a connection for some time after its last use.
func (p *peer) stay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.linger = max(p.linger, d)
}

// close closes the session and the connection. It may be called more than once, and waits
// until that is done.
func (p *peer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := p.closeWithin(ctx); err != nil {
		p.server.logError("closing the session of a client", err)
	}
}

func (p *peer) closeWithin(ctx context.Context) error {
	p.mu.Lock()
	closed, session, conn := p.closed, p.session, p.conn
	if closed == nil {
		p.closed = make(chan struct{})
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	p.session, p.tools, p.pool = nil, nil, nil
	p.mu.Unlock()
	if closed != nil {
		select {
		case <-closed:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	defer close(p.closed)
	defer p.server.remove(p)
	var err error
	if session != nil { // first, so that the calls end that the connection waits for
		err = session.Close(ctx)
	}
	if conn != nil {
		_ = conn.Close() // the error is for the transport
	}
	return err
}

// resultOf returns an outcome in the form of the protocol.
func (p *peer) resultOf(o *pegboard.Outcome) *mcp.CallToolResult {
	r := &mcp.CallToolResult{IsError: o.Result.IsError || o.Err != nil, Content: []mcp.Content{}}
	stored := false
	for i := range o.Result.Parts {
		part := &o.Result.Parts[i]
		r.Content = append(r.Content, contentOf(part)...)
		if link := p.linkTo(part.Ref); link != nil {
			r.Content, stored = append(r.Content, link), true
		}
	}
	for i := range o.Result.Messages { // the protocol has no other place for them
		r.Content = append(r.Content, contentOf(&o.Result.Messages[i])...)
	}
	if r.IsError || o.Result.Data == nil || stored && !p.hasSchema(o.Call.ToolName()) {
		return r
	}
	data, err := json.Marshal(o.Result.Data)
	if err == nil && (bytes.HasPrefix(data, []byte("{")) || p.modern && p.hasSchema(o.Call.ToolName())) {
		r.StructuredContent = json.RawMessage(data)
	}
	return r
}

// linkTo returns the link to a stored result, or nil.
func (p *peer) linkTo(ref string) *mcp.ResourceLink {
	session, _ := p.current()
	if ref == "" || session == nil {
		return nil
	}
	l := link{peer: p, ref: ref}
	address := p.server.addLink(l)
	p.stay(p.server.o.Answer)
	return &mcp.ResourceLink{
		URI: address, Name: "result", Title: "The whole result", Size: l.size(context.Background(), session),
		Description: fmt.Sprintf("The result is longer than what is shown. Read it in pages of %d bytes.", pageSize),
	}
}

// readResult reads a page of a stored result that the client was told of.
func (p *peer) readResult(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, offset, ok := parseAddress(req.Params.URI)
	l, known := p.server.linkOf(id)
	if !ok || !known || !l.peer.is(p) || !l.peer.use() {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	defer l.peer.release()
	session, _ := l.peer.current()
	if session == nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	page, more, err := readPage(ctx, session.ResultStore(), l.ref, offset)
	if err != nil {
		p.server.logError("reading a stored result", err)
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: string(page)}
	if !utf8.Valid(page) {
		c.MIMEType, c.Text, c.Blob = http.DetectContentType(page), "", page
	}
	if more {
		next := fmt.Sprintf("%s%s?offset=%d", linkPrefix, id, offset+int64(len(page)))
		c.Meta = mcp.Meta{nextPage: next}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

// sync asks for the tools of the client and offers them. Announce tells the client of
// changes.
func (p *peer) sync(announce bool) error {
	p.syncing.Lock()
	defer p.syncing.Unlock()
	p.mu.Lock()
	tools := p.tools
	p.mu.Unlock()
	if tools == nil {
		return nil // the client has no session yet, or none any more
	}
	var pool *pegboard.Pool
	if err := goroutine.Try(func() error { pool = tools(); return nil }); err != nil {
		return err
	}
	if pool.Session() == nil {
		return errors.New("the func that Options.Open has returned returned no pool")
	}
	offered := offersOf(pool, p.modern)
	p.mu.Lock()
	p.pool, p.schemas = pool, map[string]bool{}
	for _, o := range offered {
		p.schemas[o.Name] = o.OutputSchema != nil
	}
	p.mu.Unlock()
	p.offer(offered, announce)
	return nil
}

// offer makes the tools those of the server. A tool that the protocol cannot describe is left
// out and logged.
func (p *peer) offer(tools []*mcp.Tool, announce bool) {
	var errs []error
	now := make(map[string]string, len(tools))
	for _, t := range tools {
		text, err := json.Marshal(t)
		if err == nil && p.listed[t.Name] != string(text) {
			p.setAnnounce(announce)
			err = goroutine.Try(func() error { p.mcp.AddTool(t, p.call); return nil })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s is not offered: %w", t.Name, err))
			continue
		}
		now[t.Name] = string(text)
	}
	for name := range p.listed {
		if _, stays := now[name]; !stays {
			p.setAnnounce(announce)
			p.mcp.RemoveTools(name)
		}
	}
	p.listed = now
	if err := errors.Join(errs...); err != nil {
		p.server.logError("tools of a client", err)
	}
}

// setAnnounce lets the client be told of changes from now on, if announce is set.
func (p *peer) setAnnounce(announce bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.announce = p.announce || announce
}
