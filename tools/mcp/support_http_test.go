package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// A httpServer is an MCP server in this process.
type httpServer struct {
	url string

	mu       sync.Mutex
	session  int // the newest; others are gone
	sessions int // that were not ended by the client or the server
	// misbehave answers the calls of the other tool than echo.
	misbehave func(w http.ResponseWriter, r *http.Request, id string)
}

func newHTTPServer(t testing.TB) *httpServer {
	s := &httpServer{}
	server := httptest.NewServer(s)
	s.url = server.URL
	t.Cleanup(server.Close)
	return s
}

func (s *httpServer) config(name string) mcpjson.Server {
	return mcpjson.Server{Name: name, Type: mcpjson.HTTP, URL: s.url, AlwaysLoad: true}
}

// die ends all sessions.
func (s *httpServer) die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session++
	s.sessions = 0
}

func (s *httpServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get("Mcp-Session-Id")
	if id != "" && id != strconv.Itoa(s.session) {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodGet:
		http.Error(w, "no events", http.StatusMethodNotAllowed)
		return
	case http.MethodDelete:
		s.sessions--
		return
	}
	var m scriptedMessage
	if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := ""
	switch m.Method {
	case "initialize":
		s.session++
		s.sessions++
		w.Header().Set("Mcp-Session-Id", strconv.Itoa(s.session))
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"http","version":"1"}}`
	case "tools/list":
		result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"tool-","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		if s.misbehave != nil && m.Params.Name != "echo" {
			s.misbehave(w, r, string(m.ID))
			return
		}
		result = fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, m.Params.Arguments.Text)
	}
	w.Header().Set("Content-Type", "application/json")
	if result == "" {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}
