package mcp

import "errors"

var (
	// ErrUnknownServer means that no server has the name.
	ErrUnknownServer = errors.New("no MCP server has the name")
	// ErrSlowStart means that the server did not connect and list its tools in time.
	ErrSlowStart = errors.New("the server did not begin in time")
	// ErrIdle means that the server neither answered nor reported progress for too long.
	ErrIdle = errors.New("the server neither answered nor reported progress")
	// ErrCallTimeout means that the call took longer than its limit.
	ErrCallTimeout = errors.New("the call took longer than its limit")
	// ErrUnauthorized means that the server wants the user to log in.
	ErrUnauthorized = errors.New("the server wants the user to log in")
	// ErrElicitationDeclined means that the user declined a form or an address on which the server insists.
	ErrElicitationDeclined = errors.New("the user did not do what the server asked for")
)
