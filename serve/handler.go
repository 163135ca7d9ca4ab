package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// The headers that decide how a request is served.
const (
	protocolHeader = "Mcp-Protocol-Version"
	sessionHeader  = "Mcp-Session-Id"
)

// A handler serves requests of all versions of the protocol: those before 2026-07-28 in
// sessions, the others each for itself.
type handler struct {
	server      *Server
	sessions    http.Handler
	sessionless http.Handler
}

type peerKey struct{}

func newHandler(s *Server) *handler {
	serverOf := func(r *http.Request) *mcp.Server {
		if p, ok := r.Context().Value(peerKey{}).(*peer); ok {
			return p.mcp
		}
		return nil
	}
	none := newPeer(s).mcp // of requests in a session, which know their server
	return &handler{
		server: s,
		sessions: mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
			if own := serverOf(r); own != nil {
				return own
			}
			return none
		}, &mcp.StreamableHTTPOptions{
			EventStore: mcp.NewMemoryEventStore(nil), SessionTimeout: max(idleClient, 2*s.o.Answer), DisableLocalhostProtection: true, // ours is stricter
		}),
		sessionless: mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
			Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true,
		}),
	}
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem := h.refuses(r); problem != "" {
		http.Error(w, "Forbidden: "+problem, http.StatusForbidden)
		return
	}
	if r.Header.Get(sessionHeader) != "" || r.Method != http.MethodPost {
		h.sessions.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mcp.DefaultMaxRequestBodyBytes))
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		http.Error(w, fmt.Sprintf("the request has more than %d bytes", tooLong.Limit), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m := messageOf(body)
	if r.Header.Get(protocolHeader) < modernProtocol && m.protocol() < modernProtocol {
		p := newPeer(h.server)
		p.user = h.nameOf(r)
		h.sessions.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
		return
	}
	p := h.peerOf(r, m)
	defer p.release()
	h.sessionless.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
}

// refuses returns why a request is not answered, or "". A page of another site that a
// browser shows must not reach a server on the user's machine: not by its own name, nor by
// a name of its own that leads here.
func (h *handler) refuses(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && len(h.server.o.Hosts) == 0 {
		if at, err := netip.ParseAddrPort(local.String()); err == nil && !at.Addr().Unmap().IsLoopback() {
			return "only programs on this machine are answered"
		}
	}
	if !h.allows(r.Host) {
		return fmt.Sprintf("the Host %q is not allowed", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !h.allows(u.Host) {
			return fmt.Sprintf("the Origin %q is not allowed", origin)
		}
	}
	return ""
}

// allows reports whether a host, with or without a port, is this machine or one of
// Options.Hosts.
func (h *handler) allows(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.Unmap().IsLoopback() {
		return true
	}
	return name != "" && slices.ContainsFunc(h.server.o.Hosts, func(allowed string) bool { return strings.EqualFold(allowed, name) })
}

// nameOf names the client that sent a request, or returns "".
func (h *handler) nameOf(r *http.Request) (name string) {
	if identify := h.server.o.Identify; identify != nil {
		if err := goroutine.Try(func() error { name = identify(r); return nil }); err != nil {
			h.server.logError("Options.Identify", err)
		}
	}
	if token := auth.TokenInfoFromContext(r.Context()); name == "" && token != nil {
		name = token.UserID
	}
	return name
}

// peerOf returns the peer that serves a request without a session. The caller releases it.
func (h *handler) peerOf(r *http.Request, m *message) *peer {
	name := h.nameOf(r)
	p := h.server.peerNamed(name)
	if p == nil && m.Params.State != "" { // a call of an earlier request
		if c := h.server.callOf(m.Params.State); c != nil && c.peer.anonymous && c.peer.use() {
			return c.peer
		}
	}
	if p == nil {
		p = newPeer(h.server)
		p.sessionless, p.anonymous, p.user = true, name == "", name
		p.use()
		if name != "" {
			p = h.server.keepNamed(name, p)
		}
	}
	if m.Method == "tools/call" || m.Method == "tools/list" || m.Method == "subscriptions/listen" {
		_ = p.open(r.Context(), m.client()) // without a session, receive refuses the request
	}
	return p
}
