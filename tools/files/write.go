package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

type writeInput struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Content  string `json:"content" jsonschema_description:"The whole new content of the file"`
}

// WriteOutput is what a host gets as Result.Data of [Write].
type WriteOutput struct {
	Type            string  `json:"type"`     // "create" or "update"
	FilePath        string  `json:"filePath"` // absolute
	Content         string  `json:"content"`  // as the call gave it
	StructuredPatch []Hunk  `json:"structuredPatch"`
	OriginalFile    *string `json:"originalFile"` // nil if there was none

	text string // for the model
}

// Write returns the tool that makes a file or replaces all of its content.
//
// An existing file must have been read whole by the session, and be as it was
// then. It keeps its encoding, byte order mark, mode, owner and links, and its
// line ends where the content has "\n". A new file gets exactly the bytes of the
// content, and the directories it needs. The file is the old one or the new one
// at any moment, also when the process is killed, but for one that has several
// names or must not be replaced: it is written in place, with a backup beside it
// meanwhile.
func Write(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[writeInput, WriteOutput]{
		Info: pegboard.Info{Name: "Write"},
		Description: "Writes a file: makes a new one, with the directories it needs, or replaces the whole content of one that was read before. " +
			"To change a part of a file use Edit.",
		Inspect: func(in writeInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.FilePath) },
		Validate: func(_ context.Context, in writeInput, _ *pegboard.Call) error {
			return errors.Join(checkNoNUL("file_path", in.FilePath), checkNotDirectory("file_path", in.FilePath))
		},
		Result: func(out WriteOutput) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: out.text}}, Data: out}
		},
	}, targetFile.write)
}

// write plans the whole content of a file.
func (p targetFile) write(in writeInput, was *atomicfile.Snapshot) (plan[WriteOutput], error) {
	if was == nil {
		return p.make(in.Content)
	}
	return p.overwrite(was, in.Content)
}

// make plans a file that is not there.
func (p targetFile) make(content string) (plan[WriteOutput], error) {
	data, err := edit.NewFile(content)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{text: err.Error(), err: err}
	}
	return plan[WriteOutput]{data: data, output: func(caveat, diagnosis string) WriteOutput {
		return WriteOutput{
			Type: "create", FilePath: p.target.Value, Content: content, StructuredPatch: []Hunk{},
			text: fmt.Sprintf("Made %s.", p.target.Value) + caveat + diagnosis,
		}
	}}, nil
}

// overwrite plans new content for a file that was read.
func (p targetFile) overwrite(was *atomicfile.Snapshot, content string) (plan[WriteOutput], error) {
	text, err := edit.Parse(was.Data)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{err: err, text: fmt.Sprintf("%s exists, and is not text that can be overwritten safely: %v. If it may go, remove it first.", p.target.Value, err)}
	}
	if err := p.mayOverwrite(was, text); err != nil {
		return plan[WriteOutput]{}, err
	}
	change, err := text.Rewrite(content)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{text: p.target.Value + ": " + err.Error(), err: err}
	}
	return plan[WriteOutput]{data: change.Data, output: func(caveat, diagnosis string) WriteOutput {
		return WriteOutput{
			Type: "update", FilePath: p.target.Value, Content: content, OriginalFile: &change.Old,
			StructuredPatch: patch(change.Old, change.New),
			text:            fmt.Sprintf("Replaced the content of %s.", p.target.Value) + caveat + diagnosis,
		}
	}}, nil
}

// mayOverwrite refuses to replace what the model has not seen. If the file
// changed since it was read, the refusal shows it, so that the next call passes.
func (p targetFile) mayOverwrite(was *atomicfile.Snapshot, text *edit.Text) error {
	if p.options.AllowUnread || p.state().SeenWhole(p.target.Real(), was.Data) {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &adviceError{text: p.target.Value + fmt.Sprintf(format, args...), err: errUnseen}
	}
	switch p.knowledge(was.Data) {
	case reads.Unread:
		return refuse(" exists already and was not read. Read it first, so that nothing is overwritten unseen; use Edit to change a part of it.")
	case reads.Stale:
		advice := p.target.Value + " changed since it was read, and nothing was written."
		if shown, ok := p.present(text); ok {
			return &shownError{adviceError: adviceError{text: advice + shown, err: errUnseen}, snapshot: was}
		}
		return &adviceError{text: advice + " Read it again.", err: errUnseen}
	}
	if isNotebook(p.target.Value) {
		return refuse(" was read in part only. Read it whole first, so that nothing is overwritten unseen, or change its cells with NotebookEdit.")
	}
	line := p.unseenLine(was, text)
	return refuse(" was read in part only: from line %d on not everything was shown. Read it from there (offset %d), so that nothing is overwritten unseen. If a line is longer than Read shows, use Edit, which changes a part.", line, line)
}

// unseenLine returns the number of the first line that the model may not have seen.
func (p targetFile) unseenLine(was *atomicfile.Snapshot, text *edit.Text) int {
	if strings.HasPrefix(text.Encoding(), "UTF-16") {
		return 1 // its line ends are no bytes of their own
	}
	return 1 + bytes.Count(was.Data[:p.state().SeenPrefix(p.target.Real(), was.Data)], []byte{'\n'})
}

// How much of a file that changed is shown with a refusal.
const (
	maxPresented      = 200
	maxPresentedBytes = 16 << 10
)

// present shows a file that the model does not know any more, unless it is long.
func (p targetFile) present(text *edit.Text) (shown string, ok bool) {
	all := text.String()
	lines := strings.Count(all, "\n") + 1
	if lines > maxPresented || len(all) > maxPresentedBytes {
		return "", false
	}
	return " Its content now, after which the call may be repeated if it is still right:\n" +
		edit.Excerpt(all, []edit.Range{{First: 1, Last: lines}}, 0, p.numberedLine), true
}
