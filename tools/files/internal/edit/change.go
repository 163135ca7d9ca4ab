package edit

// A Change is what an edit does to a file.
type Change struct {
	Data  []byte     // the new bytes of the file
	Old   string     // the text before, as Text.String gives it
	New   string     // the text after, as Text.String gives it
	Level MatchLevel // how the old text was found
	// Spans are the replaced places in the order of the file. They do not overlap,
	// but may share a line.
	Spans []Span
}

// A Span is one replaced place.
type Span struct {
	Old Range // in the text before
	New Range // in the text after
}

// A Range is a run of lines, counted from 1, with both ends part of it. It is
// empty if Last is First - 1: whole lines were deleted before First, or inserted.
type Range struct {
	First, Last int
}
