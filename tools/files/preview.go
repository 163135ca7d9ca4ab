package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A Proposal is the change of a file that a call would make.
type Proposal struct {
	FilePath string `json:"filePath"` // absolute
	New      bool   `json:"new"`      // the file does not exist yet
	// Hunks lead from the current text to the new text, both as Read shows them: UTF-8
	// with "\n" line ends and without byte order mark. Hunks is empty if the text does
	// not change, or if a new file is empty. For a notebook the hunks are lines of its
	// JSON.
	Hunks []Hunk `json:"hunks"`
	// Omitted is the number of lines that are left out at the end of Hunks because of
	// MaxPreview. The host must tell the user who approves the call.
	Omitted int `json:"omitted"`
}

// ErrNoPreview means that [Preview] does not know the effect of a tool.
var ErrNoPreview = errors.New("the tool has no preview")

// MaxPreview is the maximum size of a [Proposal], in bytes of the lines of its hunks: 1
// MiB, our choice.
const MaxPreview = 1 << 20

// Preview returns the change that the call of q would make to its file if it ran now,
// for the user or program that answers q. Preview changes neither files nor the record
// of what the session has read. It waits for no other call and may be called
// concurrently.
//
// Preview depends on q.Tool and not on the name in the call. The tool must be a
// [Write], [Edit] or [NotebookEdit] tool as this package returns it; for any other tool
// the error wraps [ErrNoPreview]. That includes a tool that the host has wrapped, since
// the wrapper may do anything; a host that knows its wrapper can pass a copy of q with
// the inner tool.
//
// If the call would fail, the error is the one that the call would return, with a text
// for the model. This text, like the hunks, may quote the file, so the model may see it
// only after the call is allowed. [WriteOptions].MaxBytes also applies to the preview.
// Whether the system allows writing the file is not checked. If the file changes before
// the call runs, the call applies to the file as it is then, or fails.
func Preview(ctx context.Context, q *pegboard.Question) (Proposal, error) {
	w, ok := q.Tool.(*writer)
	if !ok {
		return Proposal{}, fmt.Errorf("%w: %s", ErrNoPreview, q.Call.ToolName())
	}
	tool := w.previewTool()
	if err := tool.Validate(ctx, q.Call); err != nil {
		return Proposal{}, err
	}
	r, err := tool.Call(ctx, q.Call)
	if err != nil {
		return Proposal{}, err
	}
	proposal, _ := r.Data.(Proposal) // set by buildWriter
	return proposal, nil
}

// limitHunks returns the first hunks whose lines have at most limit bytes in total,
// including line ends, and the number of lines left out. It corrects the line counts of
// a hunk that it cuts.
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
			h, limit = h.firstLines(n), 0 // later hunks are left out, so that there is no gap
		}
		if n > 0 {
			kept = append(kept, h)
		}
	}
	return kept, omitted
}
