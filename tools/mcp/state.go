package mcp

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A Status says whether a server can be called.
type Status string

// The statuses.
const (
	Pending            Status = "pending" // it connects, or will again
	Ready              Status = "ready"
	NeedsAuthorization Status = "needs authorization" // the user must log in: see McpAuth
	Failed             Status = "failed"              // until [Servers.Reconnect]
	Closed             Status = "closed"
)

// A State describes a server at one moment.
type State struct {
	Server string
	Status Status
	// Err is why the server failed, or why it connects again; nil if nothing went wrong.
	Err error

	Protocol     string // the version in use; empty before the server was ready
	Title        string // how the server names itself; not trusted
	Version      string // of the server; not trusted
	Tools        int    // in the registry
	HasResources bool
	HasPrompts   bool
	Changed      bool // [Servers.Sync] would change the registry
	Strays       int  // texts of the server that were no message
	FirstStray   string
	HiddenTools  []string              // that are for the server's own user interface only
	ListingErr   error                 // why the newest list could not be read; the one before is in use
	Registration pegboard.AttachReport // of the last change of the registry
	ResourcesOf  map[string]string     // of tools with a user interface: the URI of its resource, by tool
}

// A ServerError says that a server cannot be called. Its text is for the model.
type ServerError struct {
	Server string
	Status Status
	Err    error // may be nil
}

// Error returns the problem and the next step for the model.
func (e *ServerError) Error() string {
	text := fmt.Sprintf("the MCP server %q ", e.Server)
	switch e.Status {
	case Pending:
		text += "is not connected at the moment; it is being connected, try again later"
	case NeedsAuthorization:
		text += "needs the user to log in; call McpAuth with this server, then try again"
	case Failed:
		text += "is not connected, and no more attempts are made; go on without it"
	case Closed:
		text += "was closed; go on without it"
	default:
		text += "did not answer"
	}
	if e.Err != nil {
		text += ": " + untrusted.Escape(e.Err.Error())
	}
	return text
}

// Unwrap returns the cause.
func (e *ServerError) Unwrap() error { return e.Err }
