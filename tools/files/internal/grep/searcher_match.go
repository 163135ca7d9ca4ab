package grep

// nextLine returns the first matching line of b that starts at from or later, without
// its line feed.
func (s *Searcher) nextLine(b []byte, from int) (start, end int, found bool) {
	switch {
	case from >= len(b):
		return 0, 0, false
	case s.automaton.matchesEmpty:
		return from, lineEnd(b, from), true
	case s.finder != nil:
		return s.nextCandidate(b, from)
	}
	return s.nextByAutomaton(b, from)
}

func (s *Searcher) nextByAutomaton(b []byte, from int) (start, end int, found bool) {
	if s.automaton.thrashing {
		return s.nextByMachine(b, from)
	}
	_, i, found := s.automaton.find(b, from, textEdge, b[len(b)-1] != '\n')
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

// nextCandidate is nextLine for a program with a needle. It only looks at lines that
// contain the needle.
func (s *Searcher) nextCandidate(b []byte, from int) (start, end int, found bool) {
	for at := from; at < len(b); {
		p := s.finder.find(b, at)
		if p < 0 {
			s.passedBytes += len(b) - at
			break
		}
		start, end = lineStart(b, at, p), lineEnd(b, p)
		if s.program.needle.whole || s.lineMatches(b[start:end]) {
			return start, end, true
		}
		s.passedBytes += end - at
		s.failedBytes += end - start
		if s.passedBytes > windowSize && s.failedBytes > s.passedBytes/2 {
			s.finder = nil // most lines contain the needle, so it does not help
			return s.nextLine(b, end+1)
		}
		at = end + 1
	}
	return 0, 0, false
}

// lineMatches reports whether line has a match.
func (s *Searcher) lineMatches(line []byte) bool {
	if s.automaton.thrashing {
		_, _, found := s.machine.find(line, 0, false)
		return found
	}
	_, _, found := s.automaton.find(line, 0, textEdge, true)
	return found
}

// nextMatch returns the first match in b that starts at from or later.
func (s *Searcher) nextMatch(b []byte, from int) (start, end int, found bool) {
	if s.finder != nil && s.program.needle.prefix {
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
	if !s.automaton.thrashing && !s.automaton.matchesEmpty {
		low, _, found := s.automaton.find(b, from, s.machine.previous(b, from), true)
		if !found {
			return 0, 0, false
		}
		from = low
	}
	return s.machine.find(b, from, false)
}
