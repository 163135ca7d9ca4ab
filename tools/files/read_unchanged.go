package files

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// UnchangedFile is a text or notebook of which the conversation has the part
// that was asked for.
type UnchangedFile struct {
	FilePath string `json:"filePath"` // absolute

	text string // for the model
}

// remember notes what s has seen of the file at t. If it stands in the
// conversation already, a notice takes its place, once: who asks again right
// after it has lost the text, and gets it.
func (o *ReadOptions) remember(s *pegboard.Session, t pegboard.Target, out ReadOutput) ReadOutput {
	if out.seen == nil {
		return out
	}
	seen, state := *out.seen, reads.Of(s)
	same := UnchangedFile{FilePath: t.Value, text: fmt.Sprintf(
		"[%s has not changed since you read this part of it: the text above still holds. If you cannot see it any more, send the same call once more.]", t.Value)}
	if !o.NoUnchanged && out.length() > len(same.text) && state.Shown(t.Real(), seen) {
		seen.Shown = false
		out = ReadOutput{Type: "file_unchanged", File: same}
	}
	state.Note(t.Real(), seen)
	return out
}
