package serve

import "github.com/modelcontextprotocol/go-sdk/mcp"

// A Client describes an MCP client whose session is opened. All but User is the client's own
// statement.
type Client struct {
	Name, Version string // of the program; may be empty
	Protocol      string // the version of the protocol, such as "2025-11-25"
	// User is the user of the bearer token, or what [Options].Identify has returned. It is
	// empty on standard input and output, and without either.
	User string
}

// clientOf describes the client that sent a request.
func clientOf(req mcp.Request) Client {
	var c Client
	info := new(mcp.Implementation)
	if p, ok := req.GetParams().(*mcp.InitializeParams); ok && p != nil {
		c.Protocol, info = p.ProtocolVersion, p.ClientInfo
	} else if conn, ok := req.GetSession().(*mcp.ServerSession); ok {
		anyRequest := mcp.ServerRequest[mcp.Params]{Session: conn, Params: req.GetParams()}
		c.Protocol, info = anyRequest.ProtocolVersion(), anyRequest.ClientInfo()
	}
	if info != nil {
		c.Name, c.Version = info.Name, info.Version
	}
	return c
}
