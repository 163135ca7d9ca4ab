package files

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

type editInput struct {
	FilePath   string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	OldString  string `json:"old_string" jsonschema_description:"The text to replace, exactly as it stands in the file, without line numbers"`
	NewString  string `json:"new_string" jsonschema_description:"What to put in its place; must differ"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema_description:"Replace every occurrence (default: old_string must occur exactly once)"`
}

// EditOutput is what a host gets as Result.Data of [Edit].
type EditOutput struct {
	FilePath        string  `json:"filePath"` // absolute
	OldString       string  `json:"oldString"`
	NewString       string  `json:"newString"`
	OriginalFile    *string `json:"originalFile"` // nil if there was none
	StructuredPatch []Hunk  `json:"structuredPatch"`
	UserModified    bool    `json:"userModified"` // always false: what a person changes is a new call
	ReplaceAll      bool    `json:"replaceAll"`
	// Match is how old_string was found: "exact", or what was overlooked.
	Match string `json:"match"`

	text string // for the model
}

// Edit returns the tool that replaces a stretch of a file.
//
// The session must have read the file. What changed it since does no harm as
// long as old_string still occurs exactly once; otherwise the refusal shows the
// place as it is now, and the next call may pass. An old_string that occurs
// nowhere exactly is looked for with white space, punctuation and finally small
// differences overlooked; the result says so. All bytes outside of the replaced
// stretch stay as they are, whatever their line ends and encoding, and no other
// edit is lost. An empty old_string makes a new file.
func Edit(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[editInput, EditOutput]{
		Info: pegboard.Info{Name: "Edit"},
		Description: "Replaces text in a file that was read before. old_string must occur exactly once, or set replace_all; give enough lines around the place. " +
			"An empty old_string makes a new file. Notebooks are changed with NotebookEdit.",
		Inspect:  func(in editInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.FilePath) },
		Validate: validateEdit,
		Result: func(out EditOutput) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: out.text}}, Data: out}
		},
	}, targetFile.edit)
}

func validateEdit(_ context.Context, in editInput, _ *pegboard.Call) error {
	if in.OldString == in.NewString {
		return errors.New("old_string and new_string are equal, so there is nothing to change; send the text as it should become")
	}
	return errors.Join(checkNoNUL("file_path", in.FilePath), checkNotDirectory("file_path", in.FilePath))
}

// edit plans an edit.
func (p targetFile) edit(in editInput, was *atomicfile.Snapshot) (plan[EditOutput], error) {
	out := EditOutput{FilePath: p.target.Value, OldString: in.OldString, NewString: in.NewString, ReplaceAll: in.ReplaceAll, Match: edit.Exact.String()}
	if was == nil {
		if in.OldString != "" {
			return plan[EditOutput]{}, &adviceError{text: missingFile(p.call, p.target) + " An empty old_string makes a new file."}
		}
		made, err := p.make(in.NewString)
		return plan[EditOutput]{data: made.data, output: func(caveat, diagnosis string) EditOutput {
			made := made.output(caveat, diagnosis)
			out.StructuredPatch, out.text = made.StructuredPatch, made.text
			return out
		}}, err
	}
	change, note, err := p.replace(was, edit.Replacement{Old: in.OldString, New: in.NewString, All: in.ReplaceAll})
	if err != nil {
		return plan[EditOutput]{}, err
	}
	return plan[EditOutput]{data: change.Data, partial: true, output: func(caveat, diagnosis string) EditOutput {
		out.OriginalFile, out.Match = &change.Old, change.Level.String()
		out.StructuredPatch = patch(change.Old, change.New)
		out.text = p.report(change, note+caveat) + diagnosis
		return out
	}}, nil
}

// replace returns what the edit makes of the file, and what the model should know
// of how it was found.
func (p targetFile) replace(was *atomicfile.Snapshot, r edit.Replacement) (change *edit.Change, note string, err error) {
	if isNotebook(p.target.Value) {
		if _, err := notebook.Parse(was.Data); err == nil { // a broken one has to be mended as text
			return nil, "", &adviceError{text: p.target.Value + " is a notebook, whose JSON Edit would break. Use NotebookEdit."}
		}
	}
	text, err := edit.Parse(was.Data)
	if err != nil {
		return nil, "", &adviceError{text: p.target.Value + " cannot be edited: " + err.Error(), err: err}
	}
	standing := p.knowledge(was.Data)
	if standing < reads.Stale && !p.options.AllowUnread && len(was.Data) > 0 {
		how := " was not read. Read it first, so that the edit rests on what is there."
		if standing == reads.Truncated {
			how = " was shown only as far as a limit let it. Read the lines around the place, with offset and limit, and repeat the edit."
		}
		return nil, "", &adviceError{text: p.target.Value + how, err: errUnseen}
	}
	change, err = text.Replace(r)
	switch {
	case standing == reads.Stale && (err != nil || len(change.Spans) != 1 || change.Level != edit.Exact):
		return nil, "", p.stale(was, text, change, err)
	case err != nil:
		return nil, "", &adviceError{text: p.target.Value + ": " + err.Error(), err: err}
	case standing == reads.Stale:
		note = " It had changed since it was read, but old_string still occurred exactly once."
	}
	return change, note, nil
}

// stale words a refusal for a file that changed since it was read, with what is
// there now. err is why the edit does not fit; without, it fits in several places,
// or not exactly.
func (p targetFile) stale(was *atomicfile.Snapshot, text *edit.Text, change *edit.Change, err error) error {
	advice := p.target.Value + " changed since it was read"
	var at []edit.Range
	var absent *edit.AbsentError
	var ambiguous *edit.AmbiguousError
	switch {
	case errors.As(err, &absent):
		at = append(at, absent.Nearest)
	case errors.As(err, &ambiguous):
		for _, n := range ambiguous.Lines {
			at = append(at, edit.Range{First: n, Last: n})
		}
	}
	switch {
	case err != nil:
		advice += ": " + err.Error() + "."
	case change.Level != edit.Exact:
		advice += ", and old_string does not occur exactly any more. Something like it does."
	default:
		advice += fmt.Sprintf(", and replace_all would change %s of it.", plural(len(change.Spans), "place"))
	}
	if err == nil {
		for _, s := range change.Spans {
			at = append(at, s.Old)
		}
	}
	if len(at) == 0 || at[0].First == 0 {
		at = []edit.Range{{First: 1, Last: around}}
	}
	at = at[:min(len(at), around)]
	advice += " Nothing was written. What is there now, for an edit that fits:\n" + edit.Excerpt(text.String(), at, around, p.shortNumberedLine)
	return &shownError{adviceError: adviceError{text: advice, err: errors.Join(errUnseen, err)}, snapshot: was, partial: true}
}

// around is how many lines are shown on each side of a change.
const around = 5

// report tells the model what was changed, with the lines around it.
func (p targetFile) report(change *edit.Change, note string) string {
	said := fmt.Sprintf("Edited %s: %s.", p.target.Value, plural(len(change.Spans), "replacement"))
	if change.Level != edit.Exact {
		said += fmt.Sprintf(" old_string does not occur exactly as given; what was replaced is a %s. Check it.", change.Level)
	}
	var at []edit.Range
	for _, s := range change.Spans[:min(len(change.Spans), maxReported)] {
		at = append(at, s.New)
	}
	said += note + "\n" + strings.TrimSuffix(edit.Excerpt(change.New, at, around, p.shortNumberedLine), "\n")
	if more := len(change.Spans) - maxReported; more > 0 {
		said += fmt.Sprintf("\n[%s not shown]", plural(more, "further place"))
	}
	return said
}

// maxReported is how many changed places are shown.
const maxReported = 20
