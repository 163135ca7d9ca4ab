package edit

// MatchLevel is a step of the ladder on which the old text was found. Rungs above Exact
// are worth a word to the model: the file did not have what it believed.
type MatchLevel int

// The rungs in the order in which they are tried.
const (
	Exact         MatchLevel = iota // every character
	TrailingSpace                   // whole lines, white space at their ends not counted
	Indentation                     // whole lines, white space at both ends not counted
	Punctuation                     // kinds of dashes, quotes, spaces and accents not counted
	Anchors                         // first and last line, and most of what is between
	Fuzzy                           // whole lines that differ by a tenth or less
)

// String says what was not counted, as a clause for the model.
func (r MatchLevel) String() string {
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

// maxLevelForAll is the last rung that replaces more than one place.
const maxLevelForAll = Punctuation
