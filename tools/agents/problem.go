package agents

import "fmt"

// A Problem is a fault of a definition in a file. Show it to the user.
type Problem struct {
	Path string // the file, or the other place that the definition comes from
	Line int    // in the file, counted from 1; 0 if the whole is meant
	Text string // the fault and its remedy
	// Skipped says that there is no definition. Otherwise there is one without the part that
	// Text is about.
	Skipped bool
}

// String returns the path, the line and the text.
func (p Problem) String() string {
	switch {
	case p.Path == "":
		return p.Text
	case p.Line == 0:
		return p.Path + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
}

// A SkippedError says that a file, or all of a JSON text, defines no agent.
type SkippedError struct {
	Problem
}

// Error returns the path, the line and the text.
func (e *SkippedError) Error() string { return e.String() }
