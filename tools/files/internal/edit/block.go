package edit

import "fmt"

// A Block replaces whole lines of a text, like a hunk of a patch without line numbers.
type Block struct {
	// Headers are lines of the text before the block, one below the other, that say where
	// to look for it.
	Headers  []string
	Old, New []string // lines without line ends; both have the unchanged lines around the change
	AddsEnd  bool     // the last line of New is not in Old, and has a line end
	AtEnd    bool     // Old is at the end of the text
}

// A BlockError means that a block does not fit the text.
type BlockError struct {
	Index int // of the block
	Err   error
}

func (e *BlockError) Error() string { return fmt.Sprintf("block %d: %v", e.Index+1, e.Err) }

// Unwrap returns the cause.
func (e *BlockError) Unwrap() error { return e.Err }

// A BlockPlaceError means that a block fits several places.
type BlockPlaceError struct {
	Lines []int // first lines of the places, counted from 1
	More  bool  // there are places that Lines does not list
	Level MatchLevel
}

func (e *BlockPlaceError) Error() string {
	how := ""
	if e.Level != Exact {
		how = " (" + e.Level.String() + ")"
	}
	return fmt.Sprintf("its lines are found several times, at lines %s%s. Write the function or class before them after @@, or more lines around the change", listLines(e.Lines, e.More), how)
}
