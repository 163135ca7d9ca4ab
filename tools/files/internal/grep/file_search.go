package grep

// A scan is the search of one file.
type scan struct {
	want  Want
	found Found
	rows  int  // how many may be kept
	bytes int  // that rows take
	asked bool // what Accept says
	done  bool // there is no more to find

	line    int // how many lines end before counted
	counted int // in the window
	shown   int // likewise, where the last row ended; -1: before it
	after   int // how many lines are still due as context
}
