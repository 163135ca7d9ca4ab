package files

import (
	"context"
	"io/fs"
	"math"

	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// A TextFile is a part of a text.
type TextFile struct {
	FilePath string `json:"filePath"` // absolute
	// Content is the text shown, without line numbers. Line ends are "\n"; a byte order
	// mark is dropped.
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`        // -1 if the file is too long to be counted
	Partial    bool   `json:"partial,omitempty"` // more lines follow
	// TruncatedByTokenCap reports that MaxTokens cut off lines.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	text      string // for the model
	truncated bool   // a limit of the tool, not of the call, cut off lines
	linesCut  bool   // a line was cut
	// withinLine reports that the text begins within a line. The model's view is recorded by
	// lines, so the record cannot tell whether this part is in the conversation.
	withinLine bool
}

// view returns the record of the part that the model has seen, or nil if that proves nothing about
// the content of the file.
func (t *TextFile) view(fi fs.FileInfo, s fileRange) *reads.View {
	if s.from == s.to && fi.Size() > 0 {
		return nil // the offset is past the end
	}
	return &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(),
		From: s.from, To: s.to, Sum: s.digest(), Truncated: t.truncated, Excerpt: t.linesCut,
	}
}

// countRest adds the lines after the page to TotalLines, or sets it to -1 if there are
// too many bytes to count.
func (t *TextFile) countRest(ctx context.Context, l *lineReader, stop pageEnd) error {
	after, end, err := l.skipLines(ctx, math.MaxInt, maxCountedBytes)
	if err != nil {
		return err
	}
	if stop.droppedLine() {
		after++ // the line that did not fit
	}
	if stop == longLine {
		after = max(0, after-1) // the rest of the long line was counted as a line
	}
	t.TotalLines += after
	if !end {
		t.TotalLines = -1
	}
	return nil
}
