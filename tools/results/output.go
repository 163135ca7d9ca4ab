package results

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
)

// Output is the Result.Data of [Read].
type Output struct {
	Ref     string `json:"ref"`               // as the store knows it
	Offset  int64  `json:"offset"`            // of the first byte that was shown or searched
	End     int64  `json:"end"`               // offset after the last byte that was shown or searched
	Size    int64  `json:"size"`              // of the result in bytes; -1 if the store does not report it
	More    bool   `json:"more"`              // the result has bytes at End
	Matches int    `json:"matches,omitempty"` // of the pattern in Content
	Content string `json:"content"`           // the text for the model, without the notice

	notice string
	value  any // for code, see Result.Value; nil if the model made the call
}

// setValue sets what code gets: the content, or if all of it is wanted and too long, the
// file of the store.
func (o *Output) setValue(store pegboard.ResultStore, all bool) {
	o.value = o.Content
	if !all || !o.More {
		return
	}
	o.value = &pegboard.CodeError{Kind: pegboard.KindFailed, Text: fmt.Sprintf("Result %s has more than %d bytes from %d on. Read it in parts, with offset and limit.", o.Ref, pegboard.MaxInMemory, o.Offset)}
	if d, ok := store.(interface{ Dir() string }); ok && o.Offset == 0 {
		file := filepath.Join(d.Dir(), o.Ref)
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			o.value = pegboard.FileValue{Path: file, Size: info.Size()}
		}
	}
}

// sizeText returns the size of the result for the notice.
func (o *Output) sizeText() string {
	if o.Size < 0 {
		return " (of how many, the store does not tell)"
	}
	return fmt.Sprintf(" of %d", o.Size)
}

// line says for a person what was read.
func (o *Output) line() string {
	switch {
	case o.Matches == 1:
		return "Found 1 line"
	case o.Matches > 1:
		return fmt.Sprintf("Found %d lines", o.Matches)
	}
	if o.Size < 0 {
		return fmt.Sprintf("Read %d bytes", o.End-o.Offset)
	}
	return fmt.Sprintf("Read %d bytes of %d", o.End-o.Offset, o.Size)
}

// setEmpty sets the notice that the result has no bytes at the offset.
func (o *Output) setEmpty(r *resultReader) {
	o.End, o.Size = o.Offset, r.pos
	o.notice = fmt.Sprintf("[Nothing to show: offset %d is not before the end of result %s, which has %d bytes. Use a smaller offset.]", o.Offset, o.Ref, o.Size)
	if o.Size == 0 {
		o.notice = fmt.Sprintf("[Result %s is empty.]", o.Ref)
	}
}
