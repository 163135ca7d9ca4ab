package walk

// A byteSet is a set of bytes.
type byteSet [4]uint64

// setOf returns the bytes of ranges. For characters outside ASCII it does the same as
// ripgrep: it adds the bytes of both characters, and the range between the last byte of
// one and the first byte of the other.
func setOf(ranges [][2]string, negated bool) *byteSet {
	var s byteSet
	for _, r := range ranges {
		from, to := r[0], r[1]
		if from == to {
			to = ""
		}
		for i := range len(from) {
			s.add(from[i], from[i])
		}
		for i := range len(to) {
			s.add(to[i], to[i])
		}
		if to != "" {
			s.add(from[len(from)-1], to[0])
		}
	}
	if negated {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	return &s
}

func (s *byteSet) add(from, to byte) {
	for b := int(from); b <= int(to); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
