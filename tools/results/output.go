package results

import (
	"fmt"
)

// Output is what a host gets as Result.Data of [Read].
type Output struct {
	Ref     string `json:"ref"`               // as the store knows it
	Offset  int64  `json:"offset"`            // of the first byte that was shown or searched
	End     int64  `json:"end"`               // of the first that was not
	Size    int64  `json:"size"`              // of the result; -1 if its store does not tell
	More    bool   `json:"more"`              // there are bytes at End
	Matches int    `json:"matches,omitempty"` // of the pattern that are shown
	Content string `json:"content"`           // as the model sees it, without the notice

	notice string
}

// sizeText says how long the result is, in words for the notice.
func (o *Output) sizeText() string {
	if o.Size < 0 {
		return " (of how many, the store does not tell)"
	}
	return fmt.Sprintf(" of %d", o.Size)
}

// setEmpty tells that there is nothing at the offset.
func (o *Output) setEmpty(t *resultReader) {
	o.End, o.Size = o.Offset, t.pos
	o.notice = fmt.Sprintf("[Nothing to show: offset %d is not before the end of result %s, which has %d bytes. Use a smaller offset.]", o.Offset, o.Ref, o.Size)
	if o.Size == 0 {
		o.notice = fmt.Sprintf("[Result %s is empty.]", o.Ref)
	}
}
