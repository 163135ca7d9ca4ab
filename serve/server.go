package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// DefaultAnswer is how long a question waits for its client when [Options].Answer is zero.
const DefaultAnswer = 10 * time.Minute

// idleClient is how long a client of streamable HTTP may send no request before it counts as
// gone. A client that comes back later begins a new session, as the protocol says.
const idleClient = 30 * time.Minute

// closeTime is how long the session of a client that has left may take to close.
const closeTime = 10 * time.Second

// Options describe a [Server]. Open is required.
type Options struct {
	// Name and Version identify the server to its clients. Empty means "pegboard" and "0".
	Name, Version string
	// Instructions tell the client's model how to use the tools. Empty means none.
	Instructions string

	// Open makes the session of a client, and returns a func that returns the client's
	// tools as they are now: at once, and whenever [Server.Refresh] is called. The server
	// closes the session when the client leaves. The session's Ask and Fill should be
	// [Server.Ask] and [Server.Fill]. An error refuses the client, and is logged and not
	// sent. Ctx ends when the request that opens the session ends. Open may be called
	// concurrently. A panic counts as an error.
	Open func(ctx context.Context, c Client) (*pegboard.Session, func() *pegboard.Pool, error)
	// Executor runs the calls; nil means the zero Executor. Its MaxParallel is how many calls
	// of one client run at once.
	Executor *pegboard.Executor
	// Answer is how long a question, and the result of the call that it is about, wait for
	// the client to come back; 0 means [DefaultAnswer].
	Answer time.Duration

	// Hosts are the names or addresses, without a port, by which clients reach Handler from
	// other machines, such as "tools.example.com". Empty means that only programs on this
	// machine are answered. The names and addresses of this machine's loopback are always
	// allowed.
	Hosts []string
	// Identify names the client that sends a request without a session, as all requests of
	// the protocol of 2026-07-28 over HTTP are. Requests with the same name share a session.
	// Nil, or an empty name, means the user of the bearer token, if there is one; otherwise
	// each request is a client of its own. It may be called concurrently.
	Identify func(r *http.Request) string
}

// A Server offers pools of tools to MCP clients. [New] makes one.
type Server struct {
	o        Options
	executor pegboard.Executor // a copy of Options.Executor
	http     *handler

	mu     lock.Mutex
	peers  map[*peer]bool
	named  map[string]*peer     // of requests without a session, by the name of their client
	states map[string]*openCall // by the states that were given to clients
	links  map[string]link      // to stored results, by the last part of their addresses
	closed bool
}

// New returns a server. The error names the field of o that is wrong.
func New(o Options) (*Server, error) {
	switch {
	case o.Open == nil:
		return nil, errors.New("serve: Options.Open is required")
	case o.Answer < 0:
		return nil, fmt.Errorf("serve: Options.Answer is %v; use 0 for %v", o.Answer, DefaultAnswer)
	}
	o.Name, o.Version, o.Answer = cmp.Or(o.Name, "pegboard"), cmp.Or(o.Version, "0"), cmp.Or(o.Answer, DefaultAnswer)
	o.Hosts = slices.Clone(o.Hosts)
	s := &Server{o: o, peers: map[*peer]bool{}, named: map[string]*peer{}, states: map[string]*openCall{}, links: map[string]link{}}
	if o.Executor != nil {
		s.executor = *o.Executor
	}
	s.http = newHandler(s)
	return s, nil
}

// Stdio serves one client on standard input and output until it leaves or ctx ends. It
// returns the error of the connection, or the cause of ctx. Nothing else of the program may
// write to standard output.
func (s *Server) Stdio(ctx context.Context) error { return s.serve(ctx, &mcp.StdioTransport{}) }

// serve serves one client on a transport.
func (s *Server) serve(ctx context.Context, t mcp.Transport) error {
	p := newPeer(s)
	if err := s.add(p); err != nil {
		return err
	}
	defer p.close()
	conn, err := p.mcp.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	p.setConnection(conn)
	ended := goroutine.Go(func() { err = conn.Wait() })
	select {
	case crash := <-ended:
		if err = cmp.Or(crash, err); errors.Is(err, io.EOF) {
			err = nil // the client has left
		}
		return err
	case <-ctx.Done():
		p.close()
		<-ended
		return context.Cause(ctx)
	}
}

// Handler serves clients over streamable HTTP, in all versions of the protocol. Requests
// whose Host or Origin is not of this machine or one of [Options].Hosts are refused with
// status 403. A host that wants clients to prove who they are wraps it with the
// auth.RequireBearerToken of the MCP SDK; then a session belongs to the user of its token.
func (s *Server) Handler() http.Handler { return s.http }

// Refresh asks for the tools of every client anew, and tells the clients whose tools have
// changed. It returns when all have been asked.
func (s *Server) Refresh() {
	for _, p := range s.all() {
		if err := p.sync(true); err != nil {
			s.logError("tools of a client", err)
		}
	}
}

// Close closes the sessions of all clients, and their connections. Clients that come later
// are refused. The error joins those of the sessions; ctx limits how long it may take.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	var errs []error
	for _, p := range s.all() {
		errs = append(errs, p.closeWithin(ctx))
	}
	return errors.Join(errs...)
}

// logError logs an error that the host should fix.
func (s *Server) logError(what string, err error) {
	_ = goroutine.Try(func() error {
		cmp.Or(s.executor.Logger, slog.Default()).Error("serve: "+what, "error", err)
		return nil
	})
}
