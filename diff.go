package pegboard

import (
	"fmt"
	"strings"
)

// A Diff is the change of one file: plain data, for a user interface. It leads from the
// old text to the new text, both in UTF-8 with "\n" line ends and without byte order mark.
type Diff struct {
	Path string `json:"path"`          // absolute
	New  bool   `json:"new,omitempty"` // the file did not exist before
	// Removed reports that the file is removed, and MovedFrom is the absolute path that it
	// had before if it is moved.
	Removed   bool   `json:"removed,omitempty"`
	MovedFrom string `json:"movedFrom,omitempty"`
	// Hunks is empty if the text does not change, or if a new file is empty.
	Hunks []Hunk `json:"hunks"`
	// Omitted is the number of lines that are left out at the end of Hunks. A host must
	// tell the user who approves the change.
	Omitted int `json:"omitted,omitempty"`
}

// A Hunk is a group of changed lines with unchanged lines around it. Line numbers are
// counted from 1. Each line begins with a blank, "-" or "+" and has no line end; a line
// that begins with "\" says that the line before it has no line end in the file, and
// counts neither as old nor as new.
type Hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// Unified returns d as a unified diff, without the two lines that name the files.
func (d Diff) Unified() string {
	var out strings.Builder
	for _, h := range d.Hunks {
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", unifiedRange(h.OldStart, h.OldLines), unifiedRange(h.NewStart, h.NewLines))
		for _, line := range h.Lines {
			out.WriteString(line)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// unifiedRange formats a range as in a unified diff. An empty range names the line before
// it.
func unifiedRange(start, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// Counts returns how many lines are added and removed, without those that are left out.
func (d Diff) Counts() (added, removed int) {
	for _, h := range d.Hunks {
		for _, line := range h.Lines {
			switch {
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
	}
	return added, removed
}
