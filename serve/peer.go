package serve

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A peer is the server's side of one client: a connection, or the requests without a
// session that have the same name. A client whose requests have none is a peer for each.
type peer struct {
	server *Server
	mcp    *mcp.Server // of this client alone, since its tools are
	user   string
	// sessionless peers have no connection that could end. They are closed when nothing uses
	// them for the time linger.
	sessionless, anonymous bool
	turns                  lane.Lane // of its calls

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
