package grep

// nextLine returns the first line with a match in b that begins at from or
// behind, without its line feed.
func (s *Searcher) nextLine(b []byte, from int) (start, end int, found bool) {
	switch {
	case from >= len(b):
		return 0, 0, false
	case s.automaton.always:
		return from, lineEnd(b, from), true
	case s.finder != nil:
		return s.nextCandidate(b, from)
	}
	return s.nextByAutomaton(b, from)
}

func (s *Searcher) nextByAutomaton(b []byte, from int) (start, end int, found bool) {
	if s.automaton.worn {
		return s.nextByMachine(b, from)
	}
	_, i, found := s.automaton.find(b, from, edge, b[len(b)-1] != '\n')
	if !found {
		return 0, 0, false
	}
	return lineStart(b, from, i), lineEnd(b, i), true
}

func (s *Searcher) nextByMachine(b []byte, from int) (start, end int, found bool) {
	for from < len(b) && !s.stopped() {
		end := lineEnd(b, from)
		if _, _, ok := s.machine.find(b[from:end], 0, false); ok {
			return from, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

// nextCandidate looks only at lines that hold the needle.
func (s *Searcher) nextCandidate(b []byte, from int) (start, end int, found bool) {
	for at := from; at < len(b); {
		p := s.finder.find(b, at)
		if p < 0 {
			s.checked += len(b) - at
			break
		}
		start, end = lineStart(b, at, p), lineEnd(b, p)
		if s.p.needle.whole || s.matches(b[start:end]) {
			return start, end, true
		}
		s.checked += end - at
		s.failed += end - start
		if s.checked > window && s.failed > s.checked/2 {
			s.finder = nil // most lines hold it
			return s.nextLine(b, end+1)
		}
		at = end + 1
	}
	return 0, 0, false
}

// matches reports whether there is a match in line.
func (s *Searcher) matches(line []byte) bool {
	if s.automaton.worn {
		_, _, found := s.machine.find(line, 0, false)
		return found
	}
	_, _, found := s.automaton.find(line, 0, edge, true)
	return found
}

// nextMatch returns the first match in b that begins at from or behind.
func (s *Searcher) nextMatch(b []byte, from int) (start, end int, found bool) {
	if s.finder != nil && s.p.needle.prefix {
		for p := s.finder.find(b, from); p >= 0; p = s.finder.find(b, p+1) {
			if start, end, found := s.machine.find(b, p, true); found {
				return start, end, true
			}
		}
		return 0, 0, false
	}
	if s.finder != nil && s.finder.find(b, from) < 0 {
		return 0, 0, false
	}
	if !s.automaton.worn && !s.automaton.always {
		low, _, found := s.automaton.find(b, from, s.machine.before(b, from), true)
		if !found {
			return 0, 0, false
		}
		from = low
	}
	return s.machine.find(b, from, false)
}
