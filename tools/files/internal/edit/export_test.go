package edit

// LineEnd returns the line end of the first line: "\n", "\r\n" or "\r". Added lines get
// the same one. It is "\n" in a text of one line.
func (t *Text) LineEnd() string { return t.lineEnds.first }

// Mixed reports whether some lines end with "\n" and others with "\r\n".
func (t *Text) Mixed() bool { return t.lineEnds.mixed }
