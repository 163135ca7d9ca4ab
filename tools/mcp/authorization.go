package mcp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/login"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// authorization holds the grants of the user at a server that is reached over a network. It
// outlives the connections.
type authorization struct {
	server string
	lead   func(ctx context.Context, server, url string) (callback string, err error) // Options.Authorize
	login  *login.Login
}

// newAuthorization returns the authorization at a server of type http or sse. Options are
// those with defaults.
func newAuthorization(config mcpjson.Server, o Options) *authorization {
	c := login.Config{Name: config.Name, URL: config.URL, Store: o.Tokens, Logger: o.Logger, Required: ErrUnauthorized}
	if c.Store == nil {
		c.Store = FileTokens("")
	}
	if config.OAuth != nil {
		c.OAuth = *config.OAuth
	}
	return &authorization{server: config.Name, lead: o.Authorize, login: login.New(c)}
}

// handler is for one connection of the SDK's streamable transport. The error of a request
// wraps ErrUnauthorized while the user must log in.
func (a *authorization) handler() auth.OAuthHandler { return a.login.Handler() }

// transport does the same as handler for the older transport with server-sent events.
func (a *authorization) transport(next http.RoundTripper) http.RoundTripper {
	return a.login.RoundTripper(next)
}

// logIn leads the user of a session through a login. When it returns nil, the server can be
// connected anew.
func (a *authorization) logIn(ctx context.Context, s *pegboard.Session) error {
	user := login.User{Show: func(ctx context.Context, address string) error {
		filled, err := s.Elicit(ctx, pegboard.Elicitation{
			From: a.server, URL: address,
			Message: fmt.Sprintf("The MCP server %q wants you to log in. Open the address in a browser on this machine.", a.server),
		})
		switch {
		case err != nil:
			return err
		case filled.Action == pegboard.ElicitAccept:
			return nil
		case filled.Action == pegboard.ElicitCancel:
			return fmt.Errorf("%w: the address was not opened", login.ErrDeclined)
		}
		return fmt.Errorf("%w: the user refused, or cannot be shown an address", login.ErrDeclined)
	}}
	if a.lead != nil {
		user = login.User{Lead: func(ctx context.Context, address string) (string, error) { return a.lead(ctx, a.server, address) }}
	}
	return a.login.LogIn(ctx, user)
}
