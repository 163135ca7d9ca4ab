package mcpjson

import (
	"fmt"
	"log/slog"
	"time"
)

// A Type is the transport of a server.
type Type string

// The transports.
const (
	Stdio Type = "stdio" // a child process that speaks on its standard input and output
	HTTP  Type = "http"  // streamable HTTP
	SSE   Type = "sse"   // the older transport over HTTP with server-sent events
)

// A Server is the configuration of one MCP server. [Parse] returns only servers whose fields
// fit together; a host that fills one itself sets Name, Type, and Command or URL.
//
// Env, Headers, URL, Args and OAuth may hold secrets. [Server.String] and [Server.LogValue]
// leave them out.
type Server struct {
	// Name is the key in mcpServers. The model sees the tools as mcp__name__tool, with an
	// underscore in place of each character of Name that is no ASCII letter, digit, hyphen or
	// underscore.
	Name string
	Type Type

	// Source is where the entry was found, such as the path of the file, for the host to
	// decide whether it trusts the server. Parse leaves it empty.
	Source string

	Command string // the program of a stdio server
	Args    []string
	Env     map[string]string // in addition to the host's environment
	Cwd     string            // "" means the host's choice

	URL           string // absolute, http or https, without a user or password
	Headers       map[string]string
	HeadersHelper string // a shell command that prints a JSON object of strings
	OAuth         *OAuth // nil: the server itself describes its authorization

	Timeout    time.Duration // of one call; 0 means the host's choice
	AlwaysLoad bool          // the tools are not deferred
}

// String returns the name and the type.
func (s Server) String() string { return fmt.Sprintf("%s (%s)", s.Name, s.Type) }

// LogValue returns the name and the type.
func (s Server) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", s.Name), slog.String("type", string(s.Type)))
}

// OAuth holds the facts about authorization that a server cannot state itself. No published
// format defines the object in full: clientId, callbackPort and scopes are keys of other
// clients, clientSecret and clientMetadataUrl are ours.
type OAuth struct {
	// ClientID and ClientSecret belong to a client that was registered by hand. Without
	// ClientID, the client registers itself. A public client has no secret.
	ClientID     string
	ClientSecret string

	// ClientMetadataURL is the https address of a client id metadata document. It is used
	// with authorization servers that support such documents.
	ClientMetadataURL string

	// CallbackPort is the port on this machine to which the browser comes back. 0 means any
	// free one, which is enough unless the client was registered with a port.
	CallbackPort int

	// Scopes are requested in a login. Empty means those that the server names. In a file they
	// are a list, or one string with blanks between them.
	Scopes []string
}

// String returns a text without the secret.
func (o OAuth) String() string {
	if o.ClientID == "" {
		return "OAuth client that registers itself"
	}
	return "OAuth client " + o.ClientID
}
