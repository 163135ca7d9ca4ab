package rank

// A termTable numbers the keys of terms in the order in which they are added.
type termTable struct {
	slots []slot // a power of two, at most half of them in use
	shift int
	used  uint32
}

type slot struct{ key, after uint32 } // after is the number of the key plus 1; 0 for an empty slot

func newTermTable(size int) termTable {
	shift := 32
	for 1<<(32-shift) < size {
		shift--
	}
	return termTable{slots: make([]slot, 1<<(32-shift)), shift: shift}
}

func (t *termTable) place(key uint32) *slot {
	for at := int(key >> t.shift); ; at++ {
		if s := &t.slots[at&(len(t.slots)-1)]; s.after == 0 || s.key == key {
			return s
		}
	}
}

func (t *termTable) find(key uint32) (term uint32, ok bool) {
	s := t.place(key)
	return s.after - 1, s.after > 0
}

func (t *termTable) add(key uint32) uint32 {
	s := t.place(key)
	if s.after > 0 {
		return s.after - 1
	}
	if 2*int(t.used+1) > len(t.slots) {
		t.grow()
		s = t.place(key)
	}
	t.used++
	*s = slot{key, t.used}
	return t.used - 1
}

func (t *termTable) grow() {
	wider := newTermTable(2 * len(t.slots))
	for _, s := range t.slots {
		if s.after > 0 {
			*wider.place(s.key) = s
		}
	}
	t.slots, t.shift = wider.slots, wider.shift
}
