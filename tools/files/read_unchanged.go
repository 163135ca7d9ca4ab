package files

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// An UnchangedFile is a text or notebook whose requested part is in the conversation
// already.
type UnchangedFile struct {
	FilePath string `json:"filePath"` // absolute

	text string // for the model
}

// recordView records what s has seen of the file t. If the same part of the file is in
// the conversation already, recordView replaces the output by a notice, once: if the
// model repeats the call, it can no longer see the text, and gets it.
func (o *ReadOptions) recordView(s *pegboard.Session, t pegboard.Target, out ReadOutput) ReadOutput {
	if out.view == nil {
		return out
	}
	seen, state := *out.view, reads.Of(s)
	if out.names != nil {
		cellNamesOf(s).set(t.Real(), out.names)
	}
	same := UnchangedFile{FilePath: t.Value, text: fmt.Sprintf(
		"[%s has not changed since you read this part of it: the text above still holds. If you cannot see it any more, send the same call once more.]", t.Value)}
	if !o.NoUnchanged && seen.InConversation && out.modelBytes() > len(same.text) && state.InConversation(t.Real(), seen) {
		seen.InConversation = false
		out = ReadOutput{Type: "file_unchanged", File: same}
	}
	state.Record(t.Real(), seen)
	return out
}
