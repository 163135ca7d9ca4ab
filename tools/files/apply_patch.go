package files

import (
	"context"
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/applypatch"
)

type applyPatchInput struct {
	Input string `json:"input" jsonschema:"minLength=1" jsonschema_description:"The whole patch, from *** Begin Patch to *** End Patch"`
}

// ApplyPatch returns a tool that changes several files by a patch, in the dialect that
// models of OpenAI are trained on: it adds, updates, moves and removes files, all or none
// of them. Its name is apply_patch.
//
// The path of each file is a target of the call, with the access to write. Lines are found
// as by [Edit], with the same care for bytes outside of them; those of one hunk must occur
// once, or after a line that is named after @@. Since a hunk quotes the lines that it
// changes, the session need not have read the file, unless only similar lines are found. A
// file that exists is only replaced as a whole by "*** Add File" if the session has read
// all of it.
//
// All files change in one commit: after an error they have their old content. Only if the
// process is killed meanwhile some may be changed and others not. A file that is moved is a
// new file, with the permissions of the old one.
//
// The tool is for models that know it. It is not among [Tools]: a host adds it on purpose,
// beside Edit or in its place.
func ApplyPatch(o WriteOptions) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[applyPatchInput, ApplyPatchOutput]{
		Info:        pegboard.Info{Name: "apply_patch", Title: "Apply patch", Hint: "add, change, move and remove several files by a patch"},
		Description: "Changes several files by a patch, all of them or none.",
		Prompt:      applyPatchPrompt,
		Inspect: func(in applyPatchInput, _ *pegboard.Call) pegboard.Traits {
			sections, err := applypatch.Parse(in.Input)
			if err != nil { // which Validate reports
				return pegboard.Traits{}
			}
			traits := o.traits(pathsOf(sections)...)
			for _, s := range sections {
				traits.Destructive = traits.Destructive || s.Action == applypatch.Delete
			}
			return traits
		},
		Summary: applyPatchInput.lines,
		Validate: func(ctx context.Context, in applyPatchInput, c *pegboard.Call) error {
			err := in.validate()
			if err != nil || c.Identity() == nil { // it is only decided
				return err
			}
			p, err := newPatchPlan(o, c, in)
			if err != nil {
				return err
			}
			return p.check(ctx)
		},
		ClassifierInput: func(in applyPatchInput, _ *pegboard.Call) string { return in.Input },
		Permit:          func(_ context.Context, _ applyPatchInput, c *pegboard.Call) policy.Decision { return o.permit(c) },
		Preview: func(ctx context.Context, in applyPatchInput, c *pegboard.Call) ([]pegboard.Diff, error) {
			p, err := newPatchPlan(o, c, in)
			if err == nil {
				err = p.make(ctx)
			}
			if err != nil {
				return nil, err
			}
			return p.diffs(), nil
		},
		Call: func(ctx context.Context, in applyPatchInput, c *pegboard.Call) (ApplyPatchOutput, error) {
			p, err := newPatchPlan(o, c, in)
			if err != nil {
				return ApplyPatchOutput{}, err
			}
			return p.apply(ctx)
		},
		Result: func(out ApplyPatchOutput) *pegboard.Result {
			r := writeResult(out.text, out.diffs, out)
			if len(out.diffs) > 1 {
				r.Line = "Changed " + plural(len(out.diffs), "file")
			}
			return r
		},
	})
}

// applyPatchPrompt returns the description of the tool for the model.
func applyPatchPrompt(s pegboard.Scope) string {
	text := "Changes files by a patch, all of them or none. The patch begins with a line *** Begin Patch and ends with *** End Patch. Between them each file has a section:\n" +
		"*** Add File: path, and below it the lines of the file, each with a + before it;\n" +
		"*** Delete File: path;\n" +
		"*** Update File: path, then *** Move to: path if it is to be moved, then hunks. A hunk is a line @@, with the function or class that it is in if its lines occur several times, " +
		"and below it the lines that change with about three lines around them: a blank before a line that stays, a - before one that is removed, a + before one that is added. " +
		"After the hunk *** End of File says that it ends where the file ends.\n" +
		"Paths are taken from the working directory."
	if s.Has("NotebookEdit") {
		text += " Notebooks are changed with NotebookEdit."
	}
	return text
}

// pathsOf returns the paths in a patch, in the order of its lines.
func pathsOf(sections []applypatch.Section) []string {
	var paths []string
	for _, s := range sections {
		paths = append(paths, s.Path)
		if s.MoveTo != "" {
			paths = append(paths, s.MoveTo)
		}
	}
	return paths
}

func (in applyPatchInput) lines(c *pegboard.Call) pegboard.Summary {
	sections, err := applypatch.Parse(in.Input)
	if err != nil {
		return pegboard.Summary{}
	}
	var names []string
	for _, path := range pathsOf(sections) {
		names = append(names, c.ShortPath(path))
	}
	what := strings.Join(names, ", ")
	return pegboard.Summary{Before: "Patch " + what, While: "Patching " + what}
}

func (in applyPatchInput) validate() error {
	sections, err := applypatch.Parse(in.Input)
	if err != nil {
		return err
	}
	for _, path := range pathsOf(sections) {
		err = errors.Join(err, checkNoNUL("the path", path), checkNotDirectory("the path", path))
	}
	return err
}

// An ApplyPatchOutput is the Result.Data of an [ApplyPatch] call.
type ApplyPatchOutput struct {
	Files []PatchedFile `json:"files"` // in the order of the patch

	text  string // for the model
	diffs []pegboard.Diff
}
