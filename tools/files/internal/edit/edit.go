// Package edit changes the text of files without damage to what is not changed.
//
// It works on bytes in memory and opens no file. [Parse] takes the bytes of a
// file apart, [Text.Replace] and [Text.Rewrite] give the bytes that should
// follow. Text is matched and shown as UTF-8 with "\n" line ends and without a
// byte order mark; what is written is the file's own encoding, mark and line
// ends. Bytes outside of the replaced places stay as they were.
//
// All functions are pure and may be called from several goroutines.
package edit

// A Replacement puts New in place of Old.
type Replacement struct {
	Old string // what the file has; "\r\n" counts as "\n"
	New string // what it shall have; "\r\n" counts as "\n"
	All bool   // replace every place and not the only one
}

// A Change is what an edit does to a file.
type Change struct {
	Data []byte // the new bytes of the file
	Old  string // the text before, as Text.String gives it
	New  string // the text after, as Text.String gives it
	Rung Rung   // how the old text was found
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

// Rung is a step of the ladder on which the old text was found. Rungs above Exact
// are worth a word to the model: the file did not have what it believed.
type Rung int

// The rungs in the order in which they are tried.
const (
	Exact         Rung = iota // every character
	TrailingSpace             // whole lines, white space at their ends not counted
	Indentation               // whole lines, white space at both ends not counted
	Punctuation               // kinds of dashes, quotes, spaces and accents not counted
	Anchors                   // first and last line, and most of what is between
	Fuzzy                     // whole lines that differ by a tenth or less
)

// String says what was not counted, as a clause for the model.
func (r Rung) String() string {
	switch r {
	case Exact:
		return "exact match"
	case TrailingSpace:
		return "match without regard to white space at line ends"
	case Indentation:
		return "match without regard to indentation"
	case Punctuation:
		return "match without regard to the kind of dashes, quotes, spaces and accents"
	case Anchors:
		return "match of the first and last line, with differences between them"
	case Fuzzy:
		return "similar text, not the same"
	}
	return "unknown match"
}
