package grep

// A fileSearch is the state of the search of one file.
type fileSearch struct {
	options     SearchOptions
	result      Result
	maxRows     int  // rows that may be kept
	rowMemory   int  // memory of the rows, in bytes
	acceptAsked bool // Accept was called
	done        bool // nothing more is needed of this file

	linesBefore int // lines that end before countedTo
	countedTo   int // offset in the window
	shownTo     int // offset in the window after the last row; -1 if it lies before the window
	trailing    int // lines of context that are still to be added after the last match
}
