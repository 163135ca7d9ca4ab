package edit

// A MatchLevel says how closely the file matches the old text. At a level above Exact
// the file differs from the text that the model gave, so the result should say so.
type MatchLevel int

// The levels in the order in which they are tried.
const (
	Exact         MatchLevel = iota // all characters are equal
	TrailingSpace                   // whole lines; white space at line ends is ignored
	Indentation                     // whole lines; white space at both ends of a line is ignored
	Punctuation                     // the kind of dashes, quotes and spaces, and the composition of accents, are ignored
	Escapes                         // what backslashes and entities stand for, such as \" and " or &lt; and <, is the same
	Anchors                         // the first and last lines are equal, and the lines between them similar
	Fuzzy                           // whole lines that differ by a tenth or less
)

// String names the differences that the level ignores, as a clause for the model.
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
	case Escapes:
		return "match without regard to backslashes or entities"
	case Anchors:
		return "match of the first and last line, with differences between them"
	case Fuzzy:
		return "similar text, not the same"
	}
	return "unknown match"
}

// maxLevelForAll is the highest level at which Replacement.All replaces more than one
// place.
const maxLevelForAll = Escapes
