package serve

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// add lists a new peer. The error is [pegboard.ErrClosed].
func (s *Server) add(p *peer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("serve: %w", pegboard.ErrClosed)
	}
	s.peers[p] = true
	return nil
}

// remove forgets a peer and all that was given to it.
func (s *Server) remove(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
	maps.DeleteFunc(s.named, func(_ string, other *peer) bool { return other == p })
	maps.DeleteFunc(s.links, func(_ string, l link) bool { return l.peer == p })
}

func (s *Server) all() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.peers))
}

// callOf returns the call that a state was given for, or nil.
func (s *Server) callOf(state string) *openCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[state]
}

func (s *Server) setState(state string, c *openCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[state] = c
}

// forget makes all states of a call unknown.
func (s *Server) forget(c *openCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.states, func(_ string, other *openCall) bool { return other == c })
}

// peerNamed returns the peer of a named client, in use, or nil.
func (s *Server) peerNamed(name string) *peer {
	s.mu.Lock()
	p := s.named[name]
	s.mu.Unlock()
	if p == nil || !p.use() {
		return nil
	}
	return p
}

// keepNamed keeps a new peer for the further requests of its client. It returns the peer
// that is kept already, if there is one.
func (s *Server) keepNamed(name string, p *peer) *peer {
	p.stay(max(idleClient, 2*s.o.Answer))
	for {
		s.mu.Lock()
		other := s.named[name]
		if other == nil {
			s.named[name] = p
		}
		s.mu.Unlock()
		if other == nil {
			return p
		}
		if other.use() {
			return other
		}
		s.remove(other) // it is closing
	}
}

// addLink returns the address of a result. The same result has one address.
func (s *Server) addLink(l link) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.links {
		if other == l {
			return linkPrefix + id
		}
	}
	id := rand.Text()
	s.links[id] = l
	return linkPrefix + id
}

func (s *Server) linkOf(id string) (link, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.links[id]
	return l, ok
}
