package files

import (
	"context"
	"encoding/json"
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

// An EditOutput is the Result.Data of an [Edit] call.
type EditOutput struct {
	FilePath        string          `json:"filePath"` // absolute
	OldString       string          `json:"oldString"`
	NewString       string          `json:"newString"`
	OriginalFile    *string         `json:"originalFile"` // nil if the file did not exist
	StructuredPatch []pegboard.Hunk `json:"structuredPatch"`
	UserModified    bool            `json:"userModified"` // a hook or an answer to a question has changed the input that the model wrote
	ReplaceAll      bool            `json:"replaceAll"`
	// Match says how old_string was found: "exact match", or the differences that were
	// ignored.
	Match string `json:"match"`

	text  string // for the model
	diffs []pegboard.Diff
}

// Edit returns the tool that replaces a part of a file.
//
// The session must have read the file. If the file changed since, the edit still
// succeeds where old_string is found exactly once; otherwise the error shows the
// current text at that place, so that the model can correct the call. If old_string is
// not found exactly, Edit ignores differences in white space, then in punctuation, then in
// backslashes and entities that stand for the same characters, and at last small
// differences of any kind; the result says so. All bytes outside the
// replaced part stay unchanged, with any line ends and encoding, and no concurrent edit
// is lost. An empty old_string creates a new file.
func Edit(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[editInput, EditOutput]{
		Info:        pegboard.Info{Name: "Edit", Title: "Edit"},
		Description: "Replaces text in a file that was read before.",
		Prompt: func(s pegboard.Scope) string {
			text := "Replaces text in a file that was read before. old_string must occur exactly once, or set replace_all; give enough lines around the place. " +
				"An empty old_string makes a new file."
			if s.Has("NotebookEdit") {
				text += " Notebooks are changed with NotebookEdit."
			}
			return text
		},
		Inspect: func(in editInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.FilePath) },
		Summary: func(in editInput, c *pegboard.Call) pegboard.Summary {
			name := c.ShortPath(in.FilePath)
			if in.OldString == "" {
				return pegboard.Summary{Before: "Create " + name, While: "Creating " + name}
			}
			return pegboard.Summary{Before: "Edit " + name, While: "Editing " + name}
		},
		Observe:  func(in editInput, c *pegboard.Call) map[string]any { return observedPath(c, "file_path", in.FilePath) },
		Validate: validateEdit,
		ClassifierInput: func(in editInput, _ *pegboard.Call) string {
			return in.FilePath + "\nreplaced:\n" + in.OldString + "\nby:\n" + in.NewString
		},
		Result: func(out EditOutput) *pegboard.Result { return writeResult(out.text, out.diffs, out) },
	}, planEdit)
}

func validateEdit(_ context.Context, in editInput, _ *pegboard.Call) error {
	if in.OldString == in.NewString {
		return errors.New("old_string and new_string are equal, so there is nothing to change; send the text as it should become")
	}
	return errors.Join(checkNoNUL("file_path", in.FilePath), checkNotDirectory("file_path", in.FilePath))
}

// planEdit plans an edit.
func planEdit(f targetFile, in editInput, snapshot *atomicfile.Snapshot) (plan[EditOutput], error) {
	out := EditOutput{FilePath: f.target.Value, OldString: in.OldString, NewString: in.NewString, ReplaceAll: in.ReplaceAll, UserModified: isModified(f.call, in), Match: edit.Exact.String()}
	if snapshot == nil {
		if in.OldString != "" {
			return plan[EditOutput]{}, &adviceError{text: missingFile(f.call, f.target) + " An empty old_string makes a new file."}
		}
		made, err := planCreate(f, in.NewString)
		return plan[EditOutput]{data: made.data, output: func(done written) EditOutput {
			made := made.output(done)
			out.StructuredPatch, out.text, out.diffs = made.StructuredPatch, made.text, made.diffs
			return out
		}}, err
	}
	change, note, err := replaceText(f, snapshot, edit.Replacement{Old: in.OldString, New: in.NewString, All: in.ReplaceAll})
	if err != nil {
		return plan[EditOutput]{}, err
	}
	return plan[EditOutput]{data: change.Data, partial: true, output: func(done written) EditOutput {
		out.OriginalFile, out.Match = &change.Old, change.Level.String()
		out.StructuredPatch, out.diffs = done.patch, done.diffs
		out.text = editReport(f, change, note+done.caveat) + done.diagnosis
		return out
	}}, nil
}

// isModified reports whether the input means something else than the model wrote. White space
// and the order of properties make no difference.
func isModified(c *pegboard.Call, in editInput) bool {
	var sent editInput
	return json.Unmarshal(c.Sent(), &sent) != nil || sent != in
}

// editableText returns the text of the file.
func editableText(f targetFile, data []byte) (*edit.Text, error) {
	if isNotebook(f.target.Value) {
		if _, err := notebook.Parse(data); err == nil { // an invalid notebook can only be repaired as text
			return nil, &adviceError{text: f.target.Value + " is a notebook, whose JSON an edit of its text would break. Use NotebookEdit."}
		}
	}
	text, err := edit.Parse(data)
	if err != nil {
		return nil, &adviceError{text: f.target.Value + " cannot be edited: " + err.Error(), err: err}
	}
	return text, nil
}

// checkRead returns the knowledge of the model about the file, whose content is data. It returns
// an error if the model has not read the file.
func checkRead(f targetFile, data []byte) (reads.Knowledge, error) {
	standing := f.knowledge(data)
	if standing >= reads.Stale || f.options.AllowUnread || len(data) == 0 {
		return standing, nil
	}
	how := " was not read. Read it first, so that the edit rests on what is there."
	if standing == reads.Truncated {
		how = " was shown only as far as a limit let it. Read the lines around the place, with offset and limit, and repeat the edit."
	}
	return standing, &adviceError{text: f.target.Value + how, err: errUnseen}
}

// replaceText returns the change of the file, and a note for the model about how
// old_string was found.
func replaceText(f targetFile, snapshot *atomicfile.Snapshot, r edit.Replacement) (change *edit.Change, note string, err error) {
	text, err := editableText(f, snapshot.Data)
	if err != nil {
		return nil, "", err
	}
	standing, err := checkRead(f, snapshot.Data)
	if err != nil {
		return nil, "", err
	}
	change, err = text.Replace(r)
	switch {
	case standing == reads.Stale && (err != nil || len(change.Spans) != 1 || change.Level != edit.Exact):
		return nil, "", staleError(f, snapshot, text, change, err)
	case err != nil:
		return nil, "", &adviceError{text: f.target.Value + ": " + err.Error(), err: err}
	case standing == reads.Stale:
		note = " It had changed since it was read, but old_string still occurred exactly once."
	}
	return change, note, nil
}

// staleError returns the error for an edit of a file that changed since it was read,
// with the current text. err is the reason why the edit is not possible; if it is nil,
// the edit matches several places, or not exactly.
func staleError(f targetFile, snapshot *atomicfile.Snapshot, text *edit.Text, change *edit.Change, err error) error {
	advice := f.target.Value + " changed since it was read"
	var at []edit.Range
	var absent *edit.AbsentError
	var ambiguous *edit.AmbiguousError
	switch {
	case errors.As(err, &absent):
		advice += ", and old_string is not in it."
		if absent.Applied > 0 {
			advice += fmt.Sprintf(" new_string is there already, at line %d: the change may have been made.", absent.Applied)
		}
		at = append(at, absent.Nearest)
	case errors.As(err, &ambiguous):
		advice += ", and old_string occurs several times in it."
		for _, n := range ambiguous.Lines {
			at = append(at, edit.Range{First: n, Last: n})
		}
	}
	switch {
	case absent != nil || ambiguous != nil:
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
	if strings.Contains(advice, "\n") {
		advice += "\n"
	} else {
		advice += " "
	}
	advice += "Nothing was written. What is there now, for an edit that fits:\n" + edit.Excerpt(text.String(), at, around, func(n int, line string) string {
		return numberedLine(n, window(n, line, 0))
	})
	return &shownError{adviceError: adviceError{text: advice, err: errors.Join(errUnseen, err)}, file: f, snapshot: snapshot, partial: true}
}

// around is the number of lines that an error shows before and after a place.
const around = 5

// editReport describes the change for the model, with the lines around it.
func editReport(f targetFile, change *edit.Change, note string) string {
	report := fmt.Sprintf("Edited %s: %s.", f.target.Value, plural(len(change.Spans), "replacement"))
	if change.Level != edit.Exact {
		report += fmt.Sprintf(" old_string does not occur exactly as given; what was replaced is a %s. Check it.", change.Level)
	}
	shown := echo{before: change.Old, after: change.New, spans: change.Spans, number: numberedLine}
	return report + note + "\n" + shown.text()
}
