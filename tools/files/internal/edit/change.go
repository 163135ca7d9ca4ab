package edit

// A Change is the result of an edit.
type Change struct {
	Data  []byte     // new bytes of the file
	Old   string     // text before the edit, as Text.String returns it
	New   string     // text after the edit, as Text.String returns it
	Level MatchLevel // level on which the old text was found
	// Spans are the replaced places in the order of the file. Spans do not overlap, but
	// two of them may share a line.
	Spans []Span
}

// A Span is one replaced place.
type Span struct {
	Old Range // in the text before the edit
	New Range // in the text after the edit
}

// A Range is a run of lines from First to Last, both included and counted from 1. Last
// is First - 1 in an empty range: lines were inserted or deleted before First.
type Range struct {
	First, Last int
}
