package acp

import (
	"encoding/json"
	"slices"
)

// An MCPServer is an MCP server that the user has configured in the editor: a process, or an
// address.
type MCPServer struct {
	Name    string
	Type    MCPServerType
	Command string     // of a process: the program, an absolute path
	Args    []string   // of a process
	Env     []MCPValue // of a process: its environment, beside that of the host
	URL     string     // of the others
	Headers []MCPValue // of the others: of each request
}

// An MCPValue is a variable of an environment or a header.
type MCPValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MCPServerType says how a server is connected to.
type MCPServerType string

// The types.
const (
	MCPStdio MCPServerType = "stdio"
	MCPHTTP  MCPServerType = "http" // streamable HTTP
	MCPSSE   MCPServerType = "sse"
)

func (s MCPServer) copied() MCPServer {
	s.Args, s.Env, s.Headers = slices.Clone(s.Args), slices.Clone(s.Env), slices.Clone(s.Headers)
	return s
}

// serversOf reads the servers of a request. The error is an answer to the editor.
func (a Accepts) serversOf(all []json.RawMessage) ([]MCPServer, error) {
	var servers []MCPServer
	for i, text := range all {
		var in struct {
			Name    string        `json:"name"`
			Type    MCPServerType `json:"type"`
			Command string        `json:"command"`
			Args    []string      `json:"args"`
			Env     []MCPValue    `json:"env"`
			URL     string        `json:"url"`
			Headers []MCPValue    `json:"headers"`
		}
		if err := json.Unmarshal(text, &in); err != nil {
			return nil, invalid("mcpServers[%d] cannot be read: %v", i, err)
		}
		s := MCPServer(in)
		if s.Type == "" {
			s.Type = MCPStdio
		}
		switch taken := s.Type == MCPStdio || s.Type == MCPHTTP && a.MCPOverHTTP || s.Type == MCPSSE && a.MCPOverSSE; {
		case !taken:
			return nil, invalid("mcpServers[%d]: this agent takes no servers of type %q", i, cut(string(s.Type), maxQuoted))
		case s.Name == "", s.Type == MCPStdio && s.Command == "", s.Type != MCPStdio && s.URL == "":
			return nil, invalid("mcpServers[%d]: the name, or where the server is, is missing", i)
		}
		servers = append(servers, s)
	}
	return servers, nil
}
