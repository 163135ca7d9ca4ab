package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// Servers are the MCP servers of one conversation.
type Servers struct {
	session   *pegboard.Session
	registry  *pegboard.Registry
	options   Options
	processes *proc.Table
	list      []*server // in the order of the configuration

	local, remote chan struct{}   // a token for each server that may connect at once
	ctx           context.Context //nolint:containedctx // ends with Close
	cancel        context.CancelCauseFunc
	ended         []<-chan struct{} // of the goroutines of the servers; closed by them
	dial          dialer
}

// Start begins to connect to the servers and returns at once. Each becomes a source of r,
// without tools until [Servers.Sync] finds that it has listed some. S is the main session of
// the conversation; closing it closes the servers.
//
// A server whose name r refuses, such as one that is attached already, has failed.
func Start(s *pegboard.Session, r *pegboard.Registry, o Options, servers ...mcpjson.Server) *Servers {
	return start(s, r, o, dial, servers)
}

// start is Start with the way to connect.
func start(s *pegboard.Session, r *pegboard.Registry, o Options, d dialer, servers []mcpjson.Server) *Servers {
	if s == nil || r == nil {
		panic("mcp: Start needs a session and a registry")
	}
	o = o.withDefaults()
	m := &Servers{
		session: s, registry: r, options: o, processes: new(proc.Table), dial: d,
		local: make(chan struct{}, o.Local), remote: make(chan struct{}, o.Remote),
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	for _, config := range servers {
		one := newServer(m, config)
		m.list = append(m.list, one)
		if _, err := r.Attach(config.Name); err != nil {
			one.setStatus(Failed, err)
			one.refused = true
		}
	}
	s.OnClose("MCP servers", m.Close)
	for _, one := range m.list {
		if !one.refused {
			ended := make(chan struct{})
			m.ended = append(m.ended, ended)
			goroutine.Go(func() { defer close(ended); one.run(m.ctx) })
		}
	}
	return m
}

// Ready waits until the named servers are no longer pending. Without names it waits for all.
// The error says which of them cannot be called and why; it wraps a *[ServerError] for each,
// [ErrUnknownServer], or the cause of ctx. The tools of those that can be called are in the
// registry after [Servers.Sync].
func (m *Servers) Ready(ctx context.Context, names ...string) error {
	var problems []error
	for _, one := range m.list {
		if len(names) > 0 && !slices.Contains(names, one.config.Name) {
			continue
		}
		status, err := one.settled(ctx)
		if status != Ready {
			problems = append(problems, &ServerError{Server: one.config.Name, Status: status, Err: err})
		}
		if status == Pending {
			problems = append(problems, context.Cause(ctx))
		}
	}
	for _, name := range names {
		if m.find(name) == nil {
			problems = append(problems, m.unknown(name))
		}
	}
	return errors.Join(problems...)
}

// States returns the states of all servers, in the order of the configuration.
func (m *Servers) States() []State {
	states := make([]State, len(m.list))
	for i, one := range m.list {
		states[i] = one.state()
	}
	return states
}

// Sync applies to the registry all changes since the last Sync, tells the servers the
// working directories, and returns the states. It does not wait for a server. Call it
// between turns: a pool that is assembled afterwards has the new tools.
//
// A server that cannot be connected any more loses its tools; one that connects again, or
// that waits for the user, keeps them.
func (m *Servers) Sync(ctx context.Context) []State {
	dirs := m.session.Dirs()
	for _, one := range m.list {
		one.apply(ctx)
		one.tellRoots(dirs)
	}
	return m.States()
}

// Reconnect connects a server anew, whatever its state, and waits until it is connected or
// has failed. The error wraps ErrUnknownServer, a *[ServerError] or the cause of ctx.
func (m *Servers) Reconnect(ctx context.Context, name string) error {
	one := m.find(name)
	if one == nil {
		return m.unknown(name)
	}
	if !one.reconnect() {
		_, err := one.settled(ctx)
		return &ServerError{Server: name, Status: one.state().Status, Err: err}
	}
	return m.Ready(ctx, name)
}

// Close ends all calls and servers and waits for them. Calls get a *[ServerError]. If ctx
// ends first, the error names the servers that have not ended; a later Close waits for them.
func (m *Servers) Close(ctx context.Context) error {
	m.cancel(errClosed)
	for _, ended := range m.ended {
		select {
		case <-ended:
		case <-ctx.Done():
			return fmt.Errorf("MCP servers that have not ended: %s: %w", strings.Join(m.open(), ", "), context.Cause(ctx))
		}
	}
	for _, one := range m.list {
		one.setStatus(Closed, nil)
	}
	return m.processes.Close(ctx)
}

// open returns the names of the servers that have not ended.
func (m *Servers) open() (names []string) {
	for _, one := range m.list {
		if one.connection() != nil {
			names = append(names, one.config.Name)
		}
	}
	return names
}

// Search returns options for [pegboard.ToolSearch] with which a search names the servers
// that connect or have failed, and waits for the former, but for Options.Begin at most. The
// tools of a server that connects meanwhile are found after the next [Servers.Sync].
func (m *Servers) Search() pegboard.SearchOptions {
	return pegboard.SearchOptions{Servers: func(ctx context.Context) (pending, failed []string) {
		ctx, cancel := context.WithTimeout(ctx, m.options.Begin) // later attempts may take minutes
		defer cancel()
		for _, one := range m.list {
			switch status, _ := one.settled(ctx); status {
			case Pending:
				pending = append(pending, one.config.Name)
			case Failed, NeedsAuthorization:
				failed = append(failed, one.config.Name)
			}
		}
		return pending, failed
	}}
}

func (m *Servers) find(name string) *server {
	for _, one := range m.list {
		if one.config.Name == name {
			return one
		}
	}
	return nil
}

// unknown returns the error for a name that no server has.
func (m *Servers) unknown(name string) error {
	names := make([]string, len(m.list))
	for i, one := range m.list {
		names[i] = one.config.Name
	}
	return fmt.Errorf("%w %q; the servers are: %s", ErrUnknownServer, name, strings.Join(names, ", "))
}

func (m *Servers) authTool() pegboard.Tool { return newAuthTool(m) }

// unauthorized returns the servers that need the user to log in.
func (m *Servers) unauthorized() (all []UnauthorizedServer) {
	for _, one := range m.list {
		if one.state().Status == NeedsAuthorization {
			all = append(all, UnauthorizedServer{Server: one.config.Name, URL: one.config.URL})
		}
	}
	return all
}

// authorize leads the user of a call through a login at a server, and connects it anew. It does
// nothing and reports true if the server is connected.
func (m *Servers) authorize(ctx context.Context, c *pegboard.Call, name string) (connected bool, err error) {
	one := m.find(name)
	if one == nil {
		return false, m.unknown(name)
	}
	conn, err := one.connected()
	if err == nil && conn.ctx.Err() != nil { // it has just ended, and the server may have refused it
		err = &ServerError{Server: name, Status: Pending}
	}
	switch {
	case err == nil:
		return true, nil
	case one.auth == nil:
		return false, err
	}
	if err := one.auth.logIn(ctx, c.Session()); err != nil {
		return false, err
	}
	one.reconnect()
	return false, nil
}
