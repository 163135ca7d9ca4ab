package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve serves one client on a transport of the SDK.
func (s *Server) Serve(ctx context.Context, t mcp.Transport) error { return s.serve(ctx, t) }

// Kept returns how many clients, states and links the server knows.
func (s *Server) Kept() (clients, states, links int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.peers), len(s.states), len(s.links)
}
