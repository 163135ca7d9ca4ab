package settings

import (
	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// An Approval says whether an MCP server may be started. The zero value is ServerOff.
type Approval int

// The approvals.
const (
	ServerOff Approval = iota // a file rules the server out, or the user has declined it
	ServerAsk                 // the user is to be asked, see [Files.Approve]
	ServerOn                  // the server is the user's own, or was approved
)

// String returns off, ask or on.
func (a Approval) String() string {
	switch a {
	case ServerOn:
		return "on"
	case ServerAsk:
		return "ask"
	}
	return "off"
}

// A Server is a configured MCP server. Its Source is the path of the file.
type Server struct {
	mcpjson.Server
	// Scope is SourceLocal for projects[DIR].mcpServers of .claude.json, SourceProject for
	// .mcp.json, and SourceUser for mcpServers of .claude.json. A server of a higher scope
	// replaces those of the same name.
	Scope pegboard.RuleSource
	Position
	Approval Approval
	Why      string // the reason for Approval
}

// String returns the name, the type and the approval.
func (s Server) String() string { return s.Server.String() + ": " + s.Approval.String() }
