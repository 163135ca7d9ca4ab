package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// An UnchangedFile is a text or notebook whose requested part is in the conversation
// already.
type UnchangedFile struct {
	FilePath string `json:"filePath"` // absolute

	text string // for the model
}

// recordView records what the session has seen of the file t. If a result that the model
// still has shows the same part of the file, recordView replaces the output by a notice,
// once: if the model repeats the call, it can no longer see the text, and gets it. A call
// of a script always gets the text, and its result is none that the model has.
func (o *ReadOptions) recordView(c *pegboard.Call, t pegboard.Target, out ReadOutput) ReadOutput {
	if out.view == nil {
		return out
	}
	s := c.Session()
	state := reads.Of(s)
	if out.names != nil {
		cellNamesOf(s).set(t.Real(), out.names)
	}
	state.Record(t.Real(), *out.view)
	if o.NoUnchanged || !out.repeats || c.Parent() != nil {
		return out
	}
	same := UnchangedFile{FilePath: t.Value, text: fmt.Sprintf(
		"[%s has not changed since you read this part of it: the text above still holds. If you cannot see it any more, send the same call once more.]", t.Value)}
	if by := state.ShownBy(t.Real(), *out.view); by != "" && !s.Trimmed(by) && out.modelBytes() > len(same.text) {
		state.SetShown(t.Real(), *out.view, "")
		return ReadOutput{Type: "file_unchanged", File: same}
	}
	out.real = t.Real()
	return out
}

// shown records that the model has the output, if it is sent it as it is.
func (out *ReadOutput) shown(s *pegboard.Session, sent pegboard.Outcome) {
	for _, part := range out.parts() {
		same := func(p pegboard.Part) bool {
			return strings.Contains(p.Text, part.Text) && bytes.Equal(p.Data, part.Data)
		}
		if !slices.ContainsFunc(sent.Result.Parts, same) {
			return
		}
	}
	reads.Of(s).SetShown(out.real, *out.view, sent.Call.ID)
}
