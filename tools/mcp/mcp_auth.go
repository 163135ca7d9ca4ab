package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// AuthInput is the input of McpAuth.
type AuthInput struct {
	Server string `json:"server,omitempty" jsonschema:"description=Name of the server to log in at; left out: list the servers that need it"`
}

// AuthOutput is the output of McpAuth.
type AuthOutput struct {
	// Servers are those that need the user to log in.
	Servers []UnauthorizedServer `json:"servers,omitempty"`
	// LoggedIn is the server at which the user has logged in.
	LoggedIn string `json:"loggedIn,omitempty"`
	// Connected is the server that was named and is connected, so that the user was not led
	// through a login.
	Connected string `json:"connected,omitempty"`
}

// An UnauthorizedServer needs the user to log in.
type UnauthorizedServer struct {
	Server string `json:"server"`
	URL    string `json:"url"` // without its query, which may hold a secret
}

// authorizer is what McpAuth needs of the servers.
type authorizer interface {
	// unauthorized returns the servers that need the user to log in.
	unauthorized() []UnauthorizedServer
	// authorize leads the user of a call through a login at a server and has the server
	// connected anew. It does nothing and reports true if the server is connected.
	authorize(ctx context.Context, c *pegboard.Call, server string) (connected bool, err error)
}

// newAuthTool returns McpAuth. Only the user may allow a call, since it shows the user an
// address that a server chose.
func newAuthTool(a authorizer) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[AuthInput, AuthOutput]{
		Info: pegboard.Info{
			Name: "McpAuth", Title: "Log in at an MCP server", RequiresUser: true,
			Hint: "log in authorize authenticate at an MCP server that needs it",
		},
		Description: "Has the user log in at an MCP server that needs it. Without a server it lists those that do. " +
			"The user is shown the address, so call it only when a tool of the server is wanted.",
		Inspect: func(in AuthInput, _ *pegboard.Call) pegboard.Traits {
			if in.Server == "" {
				return pegboard.Traits{
					ReadOnly: true, Kind: pegboard.KindList, Concurrency: pegboard.Shared,
					Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "MCP servers that need a login"}},
				}
			}
			return pegboard.Traits{
				Targets:     []policy.Target{{Kind: policy.Resource, Value: "mcp:" + in.Server}},
				Concurrency: pegboard.PerTarget, OpenWorld: true,
			}
		},
		Call: func(ctx context.Context, in AuthInput, c *pegboard.Call) (AuthOutput, error) {
			if in.Server == "" {
				servers := slices.Clone(a.unauthorized())
				for i, s := range servers {
					servers[i].URL, _, _ = strings.Cut(s.URL, "?")
				}
				return AuthOutput{Servers: servers}, nil
			}
			switch connected, err := a.authorize(ctx, c, in.Server); {
			case err != nil:
				return AuthOutput{}, err
			case connected:
				return AuthOutput{Connected: in.Server}, nil
			}
			return AuthOutput{LoggedIn: in.Server}, nil
		},
		Result: func(out AuthOutput) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: untrusted.Escape(authText(out))}}}
		},
	})
}

// authText returns the output for the model.
func authText(out AuthOutput) string {
	if out.LoggedIn != "" {
		return fmt.Sprintf("The user has logged in at the MCP server %q. It is being connected; its tools can be used from the next turn on.", out.LoggedIn)
	}
	if out.Connected != "" {
		return fmt.Sprintf("The MCP server %q is connected, and needs no login now.", out.Connected)
	}
	if len(out.Servers) == 0 {
		return "No MCP server needs the user to log in."
	}
	var b strings.Builder
	b.WriteString("These MCP servers need the user to log in; call McpAuth with one of them if it is wanted:\n")
	for _, s := range out.Servers {
		fmt.Fprintf(&b, "- %s (%s)\n", s.Server, s.URL)
	}
	return b.String()
}
