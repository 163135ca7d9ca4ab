package hooks

import (
	"strings"
)

// An output is what one handler gave, before it is read.
type output struct {
	stdout []byte // or the body of a response, or the text of a tool
	stderr string
	code   int  // exit code of a command; 0 for others
	cut    bool // stdout was longer than what is kept
	// failure is why the handler has no answer, or why what it gave is not a whole one. Of
	// what it gave then, only what blocks counts.
	failure error
	// broken is the error that cut off a response, or nil.
	broken error
	// json says that anything but an object is wrong, as in the body of a response.
	json bool
	// background says that a command goes on and that its answer decides nothing.
	background bool
}

// text returns stdout without a byte order mark and without blanks around it.
func (o *output) text() string {
	return strings.TrimSpace(strings.TrimPrefix(string(o.stdout), "\ufeff"))
}

// firstError returns the first line of stderr that shows something.
func (o *output) firstError() string {
	line, _, _ := strings.Cut(strings.TrimSpace(o.stderr), "\n")
	return strings.TrimSpace(line)
}
