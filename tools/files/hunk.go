package files

import "github.com/seed49eaa51d/pegboard/tools/files/internal/edit"

// A Hunk is a group of changed lines with up to three unchanged lines around it. Line
// numbers are counted from 1. Each line begins with a blank, "-" or "+" and has no line
// end; a line that begins with "\" says that the line before it has no line end in the
// file.
type Hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// patch returns the hunks that turn one text into the other.
func patch(from, to string) []Hunk {
	const contextLines = 3
	hunks := []Hunk{}
	for _, h := range edit.Patch(from, to, contextLines) {
		hunks = append(hunks, Hunk(h))
	}
	return hunks
}

// Unified formats hunks as a unified diff, without the two lines that name the files.
func Unified(hunks []Hunk) string {
	list := make([]edit.Hunk, len(hunks))
	for i, h := range hunks {
		list[i] = edit.Hunk(h)
	}
	return edit.Unified(list)
}

// firstLines returns h with its first n lines only.
func (h Hunk) firstLines(n int) Hunk {
	h.Lines, h.OldLines, h.NewLines = h.Lines[:n], 0, 0
	for _, line := range h.Lines {
		switch line[0] {
		case '-':
			h.OldLines++
		case '+':
			h.NewLines++
		case ' ':
			h.OldLines++
			h.NewLines++
		}
	}
	return h
}

// isNoNewlineMark reports whether a line of a hunk only says that the line before it
// has no line end.
func isNoNewlineMark(line string) bool { return line[0] == '\\' }
