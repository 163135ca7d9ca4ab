package mcp

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

const (
	reconnectTries = 5
	reconnectDelay = time.Second // before the second try; doubled before each later one
)

var errClosed = errors.New("the MCP servers were closed")

// server is one configured server. It outlives its connections.
type server struct {
	servers *Servers
	config  mcpjson.Server
	refused bool           // by the registry
	auth    *authorization // nil for a local server
	again   chan struct{}  // capacity 1: connect anew

	hostCalls hostCalls // of Options.OnState

	mu      sync.Mutex
	status  Status
	err     error
	changed chan struct{} // closed and replaced with each change of the status
	conn    *connection   // nil while the server is not connected
	listed  *toolList     // newest, nil before the first
	applied *toolList     // in the registry
	offered int           // how many of its tools the registry offers
	report  pegboard.AttachReport
	listErr error
	ended   bool // no connection will be made any more
}

func newServer(m *Servers, config mcpjson.Server) *server {
	s := &server{servers: m, config: config, again: make(chan struct{}, 1), status: Pending, changed: make(chan struct{})}
	if !s.local() {
		s.auth = newAuthorization(config, m.options)
	}
	return s
}

// local reports whether the server is a process of this machine.
func (s *server) local() bool { return s.config.Type == mcpjson.Stdio }

// run keeps the server connected until ctx ends.
func (s *server) run(ctx context.Context) {
	defer s.end()
	failures := 0
	for ctx.Err() == nil {
		c, err := s.connect(ctx)
		if err != nil {
			failures++
		} else {
			failures = 0
			err = c.serve()
		}
		if ctx.Err() == nil && s.waitToConnect(ctx, err, failures) {
			failures = 0
		}
	}
}

// waitToConnect waits until the server should be connected again, or ctx ends. Failures is
// the number of attempts in a row that failed. It reports whether the host asked for the
// next attempt.
func (s *server) waitToConnect(ctx context.Context, err error, failures int) (asked bool) {
	var timer <-chan time.Time
	switch {
	case errors.Is(err, ErrUnauthorized):
		s.setStatus(NeedsAuthorization, err)
	case failures >= reconnectTries, failures > 0 && isLasting(err):
		s.setStatus(Failed, err)
	default:
		s.setStatus(Pending, err)
		delay := reconnectDelay << max(failures-1, 0)
		t := time.NewTimer(delay/2 + rand.N(delay))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-s.again:
		s.setStatus(Pending, nil)
		return true
	case <-timer:
	case <-ctx.Done():
	}
	return false
}

// connect makes a connection and lists the tools.
func (s *server) connect(ctx context.Context) (*connection, error) {
	slots := s.servers.remote
	if s.local() {
		slots = s.servers.local
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-slots }()
	c, err := openConnection(ctx, s)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.conn, s.listErr = c, nil
	s.takeList(c.tools)
	s.mu.Unlock()
	s.setStatus(Ready, nil)
	return c, nil
}

// setStatus changes the status and tells those who wait for it. Closed is final.
func (s *server) setStatus(status Status, err error) {
	s.mu.Lock()
	if s.status == Closed || status != Ready && s.status == status && sameText(s.err, err) {
		s.mu.Unlock()
		return
	}
	s.status, s.err = status, err
	if status != Ready {
		s.conn = nil
	}
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	s.tell()
}

// tell reports the state to the host.
func (s *server) tell() {
	if f := s.servers.options.OnState; f != nil {
		state := s.state()
		s.hostCalls.call(func() { f(state) })
	}
}

func (s *server) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.setStatus(Closed, nil)
}

// reconnect ends the connection, if there is one, and has another made. It is false if there
// will be none.
func (s *server) reconnect() bool {
	s.mu.Lock()
	c, none := s.conn, s.refused || s.ended
	s.mu.Unlock()
	if none {
		return false
	}
	s.setStatus(Pending, nil)
	select {
	case s.again <- struct{}{}:
	default:
	}
	if c != nil {
		c.cancel(errReconnect)
	}
	return true
}

// settled waits until the server is not pending, or ctx ends.
func (s *server) settled(ctx context.Context) (Status, error) {
	for {
		s.mu.Lock()
		status, err, changed := s.status, s.err, s.changed
		s.mu.Unlock()
		if status != Pending {
			return status, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return status, err
		}
	}
}

// connection returns the connection, or nil.
func (s *server) connection() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// connected returns the connection, or an error for the model.
func (s *server) connected() (*connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || s.status != Ready {
		return nil, &ServerError{Server: s.config.Name, Status: s.status, Err: s.err}
	}
	return s.conn, nil
}

// lose records that a connection ends.
func (s *server) lose(c *connection, err error) {
	s.mu.Lock()
	current := s.conn == c
	s.mu.Unlock()
	switch {
	case !current, s.servers.ctx.Err() != nil: // it is being closed
	case errors.Is(err, ErrUnauthorized):
		s.setStatus(NeedsAuthorization, err)
	default:
		s.setStatus(Pending, err)
	}
}

func (s *server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{
		Server: s.config.Name, Status: s.status, Err: s.err, ListingErr: s.listErr,
		Changed: s.pendingTools() != s.applied, Registration: s.report,
	}
	if s.applied != nil {
		state.Tools, state.HiddenTools, state.ResourcesOf = s.offered, s.applied.hidden, s.applied.resources
	}
	if s.conn != nil {
		s.conn.describe(&state)
	}
	return state
}

// sameText reports whether two errors, which may be nil, have the same text.
func sameText(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}

// isLasting reports whether another attempt to connect would fail as well.
func isLasting(err error) bool {
	var lasting *lastingError
	return errors.As(err, &lasting)
}

// lastingError is why a server cannot be connected until something is changed.
type lastingError struct{ err error }

func (e *lastingError) Error() string { return e.err.Error() }
func (e *lastingError) Unwrap() error { return e.err }

// takeList makes a list the newest one. It reports whether the list has changed: one that is
// equal only says how long it is valid. The lock is held.
func (s *server) takeList(listed *toolList) (changed bool) {
	if s.listed != nil && s.listed.equal(listed) {
		s.listed.list = listed.list
		return false
	}
	s.listed = listed
	return true
}

// pendingTools returns the list that belongs into the registry. The lock is held.
func (s *server) pendingTools() *toolList {
	if s.status == Failed || s.status == Closed {
		return nil
	}
	return s.listed
}

// apply puts the newest list into the registry.
func (s *server) apply(ctx context.Context) {
	if s.refused {
		return
	}
	if c := s.connection(); c != nil {
		c.refreshIfStale()
	}
	s.mu.Lock()
	list, changed := s.pendingTools(), s.pendingTools() != s.applied
	s.mu.Unlock()
	if !changed {
		return
	}
	var tools []pegboard.Tool
	about := ""
	if list != nil {
		tools, about = list.tools, list.about
	}
	report, err := s.servers.registry.Replace(s.config.Name, tools...)
	if err != nil { // the host has detached the source
		s.servers.options.Logger.WarnContext(ctx, "tools of an MCP server cannot be offered", "server", s.config.Name, "error", err)
	}
	s.servers.registry.SetDescription(s.config.Name, about)
	for tool, reason := range report.Quarantined {
		s.servers.options.Logger.WarnContext(ctx, "a tool of an MCP server cannot be offered", "server", s.config.Name, "tool", tool, "reason", reason)
	}
	s.mu.Lock()
	s.applied, s.report, s.offered = list, report, s.offered+len(report.Added)-len(report.Removed)
	s.mu.Unlock()
	s.tell()
}

// tellRoots tells the server the working directories, if they have changed.
func (s *server) tellRoots(dirs []string) {
	if c := s.connection(); c != nil {
		goroutine.Go(func() { c.setRoots(dirs) }) // it waits for the server
	}
}
