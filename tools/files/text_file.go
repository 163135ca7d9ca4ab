package files

import (
	"context"
	"io/fs"
	"math"

	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// TextFile is a part of a text.
type TextFile struct {
	FilePath string `json:"filePath"` // absolute
	// Content is the lines as they are shown, without their numbers. Line ends
	// are "\n"; a byte order mark is left out.
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`        // -1: too long to be counted
	Partial    bool   `json:"partial,omitempty"` // lines follow the last one shown
	// TruncatedByTokenCap says that more lines would have been shown if they had
	// fewer tokens.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	text      string // for the model
	truncated bool   // a limit of the tool, not of the call, left lines out
	linesCut  bool   // a line was cut
}

// view returns what the model has seen of the file, or nil if that proves
// nothing about its content.
func (t *TextFile) view(fi fs.FileInfo, s fileRange) *reads.View {
	if s.from == s.to && fi.Size() > 0 {
		return nil // past the end
	}
	return &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(),
		From: s.from, To: s.to, Sum: s.digest(), Truncated: t.truncated, Excerpt: t.linesCut, InConversation: true,
	}
}

// countRest adds the lines behind the page to those of t, if they can be
// counted in reasonable time.
func (t *TextFile) countRest(ctx context.Context, l *lineReader, why pageEnd) error {
	behind, end, err := l.skipLines(ctx, math.MaxInt, maxCountedBytes)
	if err != nil {
		return err
	}
	if why.droppedLine() {
		behind++ // the line that did not fit
	}
	if why == longLine {
		behind = max(0, behind-1) // the rest of a line is counted as one
	}
	t.TotalLines += behind
	if !end {
		t.TotalLines = -1
	}
	return nil
}
