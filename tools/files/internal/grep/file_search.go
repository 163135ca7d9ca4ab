package grep

// A fileSearch is the search of one file.
type fileSearch struct {
	options     SearchOptions
	result      Result
	maxRows     int  // how many may be kept
	rowMemory   int  // that rows take
	acceptAsked bool // what Accept says
	done        bool // there is no more to find

	linesBefore int // how many lines end before counted
	countedTo   int // in the window
	shownTo     int // likewise, where the last row ended; -1: before it
	trailing    int // how many lines are still due as context
}
