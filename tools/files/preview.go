package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A Proposal is what a call would make of a file.
type Proposal struct {
	FilePath string `json:"filePath"` // absolute
	New      bool   `json:"new"`      // there is no such file yet
	// Hunks lead from the file's text to the new one, both as Read shows them: in
	// UTF-8, with "\n" line ends and without byte order mark. There are none if
	// nothing else changes, or if a new file is empty. Of a notebook they are the
	// lines of its JSON.
	Hunks []Hunk `json:"hunks"`
	// Omitted is how many lines of the hunks are left out, all behind those that
	// are there, since they would be more than MaxPreview with them. A person who
	// approves must be told.
	Omitted int `json:"omitted"`
}

// ErrNoPreview says that [Preview] cannot tell what a tool does.
var ErrNoPreview = errors.New("the tool has no preview")

// MaxPreview is how much of a change [Preview] shows, in bytes of the lines of
// its hunks: our choice.
const MaxPreview = 1 << 20

// Preview returns what the call that q asks about would do to its file if it ran
// now, for whoever answers q. It changes nothing, neither files nor what the
// session knows of them, waits for no other call, and may be called concurrently.
//
// It goes by q.Tool and not by the call's name, which says little about what runs.
// The tool must be a [Write], [Edit] or [NotebookEdit] as this package returns it;
// for any other the error wraps [ErrNoPreview]. So it is for one that a host has
// wrapped, since nobody can tell here what the wrapper does. A host that can puts
// the tool inside into a copy of q.
//
// A call that would fail gives the error that it would end with, worded for the
// model. Like the hunks, it may quote the file, so it is for the model only once
// the call is allowed. Whether the system lets the file be written shows when it
// is. [WriteOptions].MaxBytes holds for the preview, too. If the file changes before
// the call runs, the call goes by the file as it is then, or fails.
func Preview(ctx context.Context, q *pegboard.Question) (Proposal, error) {
	w, ok := q.Tool.(*writer)
	if !ok {
		return Proposal{}, fmt.Errorf("%w: %s", ErrNoPreview, q.Call.Name)
	}
	twin := w.previewTool()
	if err := twin.Validate(ctx, q.Call); err != nil {
		return Proposal{}, err
	}
	r, err := twin.Call(ctx, q.Call)
	if err != nil {
		return Proposal{}, err
	}
	made, _ := r.Data.(Proposal) // as buildWriter sets it
	return made, nil
}

// limitHunks returns the first hunks whose lines have limit bytes at the most, each
// with a line end, and how many lines are left out. A hunk that is cut counts the
// lines that it still has.
func limitHunks(hunks []Hunk, limit int) (kept []Hunk, omitted int) {
	kept = []Hunk{}
	for _, h := range hunks {
		n := 0
		for n < len(h.Lines) && (limit >= len(h.Lines[n])+1 || isNoNewlineMark(h.Lines[n]) && n > 0) {
			limit -= len(h.Lines[n]) + 1
			n++
		}
		if n < len(h.Lines) {
			for _, line := range h.Lines[n:] {
				if !isNoNewlineMark(line) {
					omitted++
				}
			}
			h, limit = h.firstLines(n), 0 // no gaps: what is shown ends here
		}
		if n > 0 {
			kept = append(kept, h)
		}
	}
	return kept, omitted
}
