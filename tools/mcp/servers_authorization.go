package mcp

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

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

// authorize leads the user of a call through a login at a server, and connects it anew.
func (m *Servers) authorize(ctx context.Context, c *pegboard.Call, name string) error {
	one := m.find(name)
	switch {
	case one == nil:
		return m.unknown(name)
	case one.auth == nil:
		return &ServerError{Server: name, Status: one.state().Status}
	}
	if err := one.auth.logIn(ctx, c.Session()); err != nil {
		return err
	}
	one.reconnect()
	return nil
}
