package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
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
	// closes the session when the client leaves. The session's Ask and Elicit should be
	// [Server.Ask] and [Server.Elicit]. An error refuses the client, and is logged and not
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

	mu       lock.Mutex
	peers    map[*peer]bool
	sessions map[string]*peer     // of streamable HTTP, by their ids
	named    map[string]*peer     // of requests without a session, by the name of their client
	states   map[string]*openCall // by the states that were given to clients
	links    map[string]link      // to stored results, by the last part of their addresses
	closed   bool
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
	s := &Server{o: o, peers: map[*peer]bool{}, sessions: map[string]*peer{}, named: map[string]*peer{}, states: map[string]*openCall{}, links: map[string]link{}}
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

// Connect serves one client on a connection until it leaves or ctx ends: on one end of a [net.Pipe]
// a client in the same program, such as a framework that reads its tools from MCP servers. It
// returns the error of the connection, or the cause of ctx, and closes rw.
func (s *Server) Connect(ctx context.Context, rw io.ReadWriteCloser) error {
	return s.serve(ctx, &mcp.IOTransport{Reader: rw, Writer: rw})
}

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

// Ask puts a question about a call to the client that has made the call: a
// [pegboard.Asker] for the sessions of [Options].Open. The client is asked to allow the call
// once, to deny it, or to allow it and remember one of the question's suggestions for its
// session. Ask abstains, and the call is denied with the reason, if the client cannot be
// asked, makes no choice, or the question is about no call of a client. If the client does
// not come back within [Options].Answer, the error wraps [pegboard.ErrTimeout].
func (s *Server) Ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return policy.Decision{}, nil
	}
	answers := answersTo(q)
	a := newAsk("permission", wordingOf(q), answers.accepts)
	a.schema = answers.schema()
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return policy.Decision{}, err
	case r.expired:
		return policy.Decision{}, fmt.Errorf("%w: the client has not come back with an answer", pegboard.ErrTimeout)
	case r.err != nil:
		s.logError("asking a client", r.err)
	}
	return r.decision, nil
}

// Elicit shows a form to the client that has made the call in whose context [pegboard.Session].Elicit
// was called: a [pegboard.SessionConfig].Elicit for the sessions of [Options].Open. A form that
// the client cannot be shown is declined; one that the client does not answer within
// [Options].Answer is cancelled.
func (s *Server) Elicit(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	message := f.Message
	if f.Problem != "" {
		message = fmt.Sprintf("%s\n\nThe values that were given are refused: %s", message, f.Problem)
	}
	a := newAsk(formKey(f.From), message, acceptForm)
	a.form, a.schema, a.url = true, f.Schema, f.URL
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return pegboard.ElicitResult{}, err
	case r.expired:
		return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, nil
	case r.nobody:
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	return r.filled, nil
}

// add lists a new peer. The error is [pegboard.ErrClosed].
func (s *Server) add(p *peer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("serve: %w", pegboard.ErrClosed)
	}
	s.peers[p] = true
	return nil
}

// remove forgets a peer and all that was given to it.
func (s *Server) remove(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
	maps.DeleteFunc(s.named, func(_ string, other *peer) bool { return other == p })
	maps.DeleteFunc(s.sessions, func(_ string, other *peer) bool { return other == p })
	maps.DeleteFunc(s.links, func(_ string, l link) bool { return l.peer == p })
}

func (s *Server) all() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.peers))
}

// callOf returns the call that a state was given for, or nil.
func (s *Server) callOf(state string) *openCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[state]
}

func (s *Server) setState(state string, c *openCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[state] = c
}

// forget makes all states of a call unknown.
func (s *Server) forget(c *openCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.states, func(_ string, other *openCall) bool { return other == c })
}

// idle returns how long a client over HTTP may send no request. Its questions expire before.
func (s *Server) idle() time.Duration { return max(idleClient, 2*s.o.Answer) }

// setSession makes a peer that of a session of streamable HTTP.
func (s *Server) setSession(id string, p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id] = p
}

// peerOfSession returns the peer of a session, in use, or nil.
func (s *Server) peerOfSession(id string) *peer {
	s.mu.Lock()
	p := s.sessions[id]
	s.mu.Unlock()
	if p == nil || !p.use() {
		return nil
	}
	return p
}

// peerNamed returns the peer of a named client, in use, or nil.
func (s *Server) peerNamed(name string) *peer {
	s.mu.Lock()
	p := s.named[name]
	s.mu.Unlock()
	if p == nil || !p.use() {
		return nil
	}
	return p
}

// keepNamed keeps a new peer for the further requests of its client. It returns the peer
// that is kept already, if there is one.
func (s *Server) keepNamed(name string, p *peer) *peer {
	p.stay(s.idle())
	for {
		s.mu.Lock()
		other := s.named[name]
		if other == nil {
			s.named[name] = p
		}
		s.mu.Unlock()
		if other == nil {
			return p
		}
		if other.use() {
			return other
		}
		s.remove(other) // it is closing
	}
}

// addLink returns the address of a result. The same result has one address.
func (s *Server) addLink(l link) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.links {
		if other == l {
			return linkPrefix + id
		}
	}
	id := rand.Text()
	s.links[id] = l
	return linkPrefix + id
}

func (s *Server) linkOf(id string) (link, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.links[id]
	return l, ok
}

// A message is what decides who serves a request.
type message struct {
	Method string `json:"method"`
	Params struct {
		State string `json:"requestState"`
		Meta  struct {
			Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
			Client   struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
}

// messageOf reads as much of a message as can be read. The SDK refuses a message that is
// wrong.
func messageOf(body []byte) *message {
	m := new(message)
	_ = json.Unmarshal(body, m)
	return m
}

func (m *message) protocol() string { return m.Params.Meta.Protocol }

func (m *message) client() Client {
	c := m.Params.Meta
	return Client{Name: c.Client.Name, Version: c.Client.Version, Protocol: c.Protocol}
}

// offersOf returns the tools of a pool in the form of the protocol, in the order of the pool.
// Clients before 2026-07-28 know no output but an object.
func offersOf(pool *pegboard.Pool, modern bool) []*mcp.Tool {
	var all []*mcp.Tool
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			t := &mcp.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
			if isObjectSchema(d.OutputSchema) || modern && d.OutputSchema != nil {
				t.OutputSchema = d.OutputSchema
			}
			if tool, ok := pool.Lookup(d.Name); ok {
				t.Title, t.Annotations = tool.Info().Title, annotationsOf(tool)
			}
			all = append(all, t)
		}
	}
	return all
}

func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return len(schema) > 0 && json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// annotationsOf returns hints if every call of the tool has the same traits: those of a call
// whose input says nothing. A tool whose traits depend on the input has none of such a call.
// Without hints, a client expects the worst.
func annotationsOf(tool pegboard.Tool) *mcp.ToolAnnotations {
	var tr pegboard.Traits
	err := goroutine.Try(func() error {
		tr = tool.Traits(&pegboard.Call{Name: tool.Info().Name, Input: json.RawMessage("!")})
		return nil
	})
	said := len(tr.Targets) > 0 || tr.ReadOnly || tr.Destructive || tr.OpenWorld || tr.Idempotent
	if err != nil || !said {
		return nil
	}
	return &mcp.ToolAnnotations{
		ReadOnlyHint: tr.ReadOnly && !tr.Destructive, DestructiveHint: &tr.Destructive, OpenWorldHint: &tr.OpenWorld, IdempotentHint: tr.Idempotent,
	}
}
