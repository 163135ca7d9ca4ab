package serve

// Kept returns how many clients, states and links the server knows.
func (s *Server) Kept() (clients, states, links int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.peers), len(s.states), len(s.links)
}
