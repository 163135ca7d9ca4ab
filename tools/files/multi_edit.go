package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

type multiEditInput struct {
	FilePath string     `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Edits    []EditStep `json:"edits" jsonschema:"minItems=1" jsonschema_description:"The edits, which are made in this order: each applies to the text that those before it leave"`
}

// An EditStep is one replacement of a [MultiEdit] call.
type EditStep struct {
	OldString  string `json:"old_string" jsonschema_description:"The text to replace, exactly as it stands in the file, without line numbers"`
	NewString  string `json:"new_string" jsonschema_description:"What to put in its place; must differ"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema_description:"Replace every occurrence (default: old_string must occur exactly once)"`
}

// A MultiEditOutput is the Result.Data of a [MultiEdit] call.
type MultiEditOutput struct {
	FilePath        string          `json:"filePath"` // absolute
	Edits           []EditStep      `json:"edits"`
	OriginalFile    *string         `json:"originalFile"` // nil if the file did not exist
	StructuredPatch []pegboard.Hunk `json:"structuredPatch"`
	// Matches says of each edit how its old_string was found, as EditOutput.Match does.
	Matches []string `json:"matches"`

	text  string // for the model
	diffs []pegboard.Diff
}

// MultiEdit returns a tool that makes several edits in one file: all of them, or none if
// one is not possible. Each is what [Edit] would make of the text that the edits before it
// leave, except that in a file that changed since it was read every old_string must occur
// exactly once and as given. If the first old_string is empty, the call makes a new file.
//
// The tool is for models that know it. It is not among [Tools], since several Edit calls
// in one message do the same: a host adds it on purpose.
func MultiEdit(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[multiEditInput, MultiEditOutput]{
		Info:        pegboard.Info{Name: "MultiEdit", Title: "Edit", Hint: "several edits in one file at once"},
		Description: "Makes several replacements in one file that was read before, all or none.",
		Prompt: func(s pegboard.Scope) string {
			text := "Makes several replacements in one file that was read before, all or none. Each old_string must occur exactly once in the text that the edits before it leave, or set replace_all. " +
				"If the first old_string is empty, a new file is made."
			if s.Has("NotebookEdit") {
				text += " Notebooks are changed with NotebookEdit."
			}
			return text
		},
		Inspect: func(in multiEditInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.FilePath) },
		Summary: func(in multiEditInput, c *pegboard.Call) pegboard.Summary {
			name := c.ShortPath(in.FilePath)
			return pegboard.Summary{Before: "Edit " + name, While: "Editing " + name}
		},
		Observe: func(in multiEditInput, c *pegboard.Call) map[string]any {
			return observedPath(c, "file_path", in.FilePath)
		},
		Validate:        validateMultiEdit,
		ClassifierInput: func(in multiEditInput, _ *pegboard.Call) string { return in.summary() },
		Result:          func(out MultiEditOutput) *pegboard.Result { return writeResult(out.text, out.diffs, out) },
	}, planMultiEdit)
}

// summary returns the path and the texts for a classifier.
func (in multiEditInput) summary() string {
	text := in.FilePath
	for _, step := range in.Edits {
		text += "\nreplaced:\n" + step.OldString + "\nby:\n" + step.NewString
	}
	return text
}

func validateMultiEdit(_ context.Context, in multiEditInput, _ *pegboard.Call) error {
	for i, step := range in.Edits {
		switch {
		case step.OldString == step.NewString:
			return fmt.Errorf("edits[%d]: old_string and new_string are equal, so there is nothing to change; leave the edit out", i)
		case step.OldString == "" && i > 0:
			return fmt.Errorf("edits[%d]: old_string is empty, which only the first edit may be, to make a new file; give the text at the place that should change", i)
		}
	}
	return errors.Join(checkNoNUL("file_path", in.FilePath), checkNotDirectory("file_path", in.FilePath))
}

// planMultiEdit plans the edits of a call.
func planMultiEdit(f targetFile, in multiEditInput, snapshot *atomicfile.Snapshot) (plan[MultiEditOutput], error) {
	fail := func(err error) (plan[MultiEditOutput], error) { return plan[MultiEditOutput]{}, err }
	out := MultiEditOutput{FilePath: f.target.Value, Edits: in.Edits}
	var data []byte
	var before string
	standing, verb, steps := reads.Current, "Edited", in.Edits
	switch {
	case snapshot == nil && in.Edits[0].OldString != "":
		return fail(&adviceError{text: missingFile(f.call, f.target) + " If the first old_string is empty, a new file is made."})
	case snapshot == nil:
		made, err := edit.NewFile(in.Edits[0].NewString)
		if err != nil {
			return fail(&adviceError{text: "edits[0]: " + err.Error(), err: err})
		}
		data, steps, verb = made, in.Edits[1:], "Made"
		out.Matches = append(out.Matches, edit.Exact.String())
	default:
		text, err := editableText(f, snapshot.Data)
		if err != nil {
			return fail(err)
		}
		if standing, err = checkRead(f, snapshot.Data); err != nil {
			return fail(err)
		}
		data, before = snapshot.Data, text.String()
		out.OriginalFile = &before
	}
	places, note := 0, ""
	for i, step := range steps {
		at := len(in.Edits) - len(steps) + i
		change, err := step.apply(data, standing == reads.Stale)
		if err != nil {
			return fail(&adviceError{text: fmt.Sprintf("%s, edits[%d]: %v", f.target.Value, at, err), err: err})
		}
		if change.Level != edit.Exact {
			note += fmt.Sprintf(" The old_string of edits[%d] does not occur exactly as given; what was replaced is a %s. Check it.", at, change.Level)
		}
		data, places = change.Data, places+len(change.Spans)
		out.Matches = append(out.Matches, change.Level.String())
	}
	return plan[MultiEditOutput]{data: data, partial: snapshot != nil, output: func(done written) MultiEditOutput {
		out.StructuredPatch, out.diffs = done.patch, done.diffs
		out.text = fmt.Sprintf("%s %s: %s, %s.%s", verb, f.target.Value, plural(len(in.Edits), "edit"), plural(places, "replacement"), note+done.caveat)
		if snapshot != nil {
			out.text += "\n" + echoDifference(before, data, numberedLine)
		}
		out.text += done.diagnosis
		return out
	}}, nil
}

// apply makes the edit in a text with these bytes. If stale is set, the text changed since
// the model has read it.
func (s EditStep) apply(data []byte, stale bool) (*edit.Change, error) {
	text, err := edit.Parse(data)
	if err != nil {
		return nil, err
	}
	change, err := text.Replace(edit.Replacement{Old: s.OldString, New: s.NewString, All: s.ReplaceAll})
	var ambiguous *edit.AmbiguousError
	switch {
	case stale && errors.As(err, new(*edit.AbsentError)):
		return nil, &adviceError{text: "the file changed since it was read, and old_string is not in it. Nothing was written; read it again", err: errors.Join(errUnseen, err)}
	case stale && (errors.As(err, &ambiguous) || err == nil && (len(change.Spans) != 1 || change.Level != edit.Exact)):
		return nil, &adviceError{text: "the file changed since it was read, and old_string does not occur exactly once and as given any more. Nothing was written; read it again", err: errors.Join(errUnseen, err)}
	case err != nil:
		return nil, err
	}
	return change, nil
}
