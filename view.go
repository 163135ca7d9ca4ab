package pegboard

import (
	"fmt"
	"strings"
)

// A View describes a call for a user interface. It is plain data, made by [Call.View] and,
// when the call has ended, by [Outcome.View]. A person may be shown other words than the
// model gets.
//
// Title, Before, While and After are as [OneLine] makes them, and Title, Before and While
// are never empty. They may contain words of the model or of a server: escape them for the
// medium, such as HTML. They are headlines and may be cut: a person who is asked about a
// call needs the targets and the reason of the [Question] in full, too.
type View struct {
	Title  string   `json:"title"`  // of the tool; of an external one with its source
	Kind   CallKind `json:"kind"`   // for a symbol
	Folds  bool     `json:"folds"`  // neighbouring calls that fold may be shown as one line, see [FoldedLine]
	Before string   `json:"before"` // for a call that has not begun, such as "Read main.go"
	While  string   `json:"while"`  // for a running call, such as "Reading main.go"

	// The rest is set by Outcome.View only.

	After  string `json:"after,omitempty"` // for a call that has ended, such as "Read 120 lines" or "Denied: …"
	Failed bool   `json:"failed,omitempty"`
	Diffs  []Diff `json:"diffs,omitempty"` // of the files that the call changed
	// SearchText is the text by which a search in the conversation finds the result. It has
	// several lines, and its characters are as the tool returned them.
	SearchText string `json:"searchText,omitempty"`
}

// A Summary is a tool's description of a call for a person. Each field may be empty: [Call.View]
// then derives it from the title, the kind and the targets of the call. A line that has
// line breaks or is too long is changed as by [OneLine].
type Summary struct {
	Title  string // instead of Info.Title, if this call deserves another one
	Before string // for a call that has not begun, such as "Read main.go"
	While  string // for a running call, such as "Reading main.go"
}

// FoldedLine returns one line for calls that are folded: how many of each kind there are,
// such as "3 reads, 1 search"; for one call its Before, and for none "".
func FoldedLine(views ...View) string {
	if len(views) == 1 {
		return views[0].Before
	}
	var order []CallKind
	count := map[CallKind]int{}
	for _, v := range views {
		kind := v.Kind.known()
		if count[kind]++; count[kind] == 1 {
			order = append(order, kind)
		}
	}
	var counts []string
	for _, kind := range order {
		noun := callKinds[kind].many
		if count[kind] == 1 {
			noun = callKinds[kind].one
		}
		counts = append(counts, fmt.Sprintf("%d %s", count[kind], noun))
	}
	return strings.Join(counts, ", ")
}

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
