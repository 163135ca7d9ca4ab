package files

import (
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// A plannedFile is a file as a patch finds and leaves it.
type plannedFile struct {
	targetFile
	before *atomicfile.Snapshot // nil if there is no such file

	exists    bool   // after the sections so far
	changed   bool   // by a section so far
	data      []byte // its content
	seenWhole bool   // the model knows all of data
	level     edit.MatchLevel
	movedFrom *plannedFile // the file that was moved here
}

// step returns the change of the file in the commit, and false if there is no change.
func (f *plannedFile) step() (atomicfile.Step, bool) {
	switch {
	case f.before == nil && !f.exists:
		return atomicfile.Step{}, false
	case f.before == nil:
		return atomicfile.Step{Path: f.target.Real(), Perm: f.perm(), Data: f.data}, true
	case !f.exists:
		return atomicfile.Step{Before: f.before, Remove: true}, true
	}
	return atomicfile.Step{Before: f.before, Data: f.data}, string(f.data) != string(f.before.Data)
}

// perm returns the permissions of a new file: those of the file that was moved here.
func (f *plannedFile) perm() fs.FileMode {
	for from := f.movedFrom; from != nil; from = from.movedFrom {
		if from.before != nil {
			return from.before.Info.Mode().Perm()
		}
	}
	return 0
}

// origin returns the file from whose content this one was made.
func (f *plannedFile) origin() *plannedFile {
	for f.before == nil && f.movedFrom != nil {
		f = f.movedFrom
	}
	return f
}

// add gives the file its whole content.
func (f *plannedFile) add(content string) error {
	switch {
	case f.exists && f.changed:
		return &adviceError{text: f.target.Value + " was made by a section before. Make one section of both."}
	case f.exists:
		planned, err := planOverwrite(f.targetFile, f.before, content)
		if err != nil {
			return err
		}
		f.data = planned.data
	default:
		data, err := edit.NewFile(content)
		if err != nil {
			return &adviceError{text: f.target.Value + ": " + err.Error(), err: err}
		}
		f.data = data
	}
	f.exists, f.changed, f.seenWhole = true, true, true
	return nil
}

// diff returns the change of the file, and all of its hunks. A file that is not text can only be
// moved or removed, and has no hunks.
func (f *plannedFile) diff() (pegboard.Diff, []pegboard.Hunk) {
	from, after := f.origin(), f.data
	if !f.exists {
		from, after = f, []byte{}
	}
	d, hunks, err := diffOf(f.target.Value, contentOf(from.before), after)
	if err != nil {
		d, hunks = pegboard.Diff{Path: f.target.Value, Hunks: []pegboard.Hunk{}}, []pegboard.Hunk{}
	}
	d.Removed = !f.exists
	if from != f {
		d.MovedFrom = from.target.Value
	}
	return d, hunks
}

// output returns the file for the host, and its change for a user interface.
func (f *plannedFile) output() (PatchedFile, pegboard.Diff) {
	d, hunks := f.diff()
	out := PatchedFile{FilePath: f.target.Value, MovedFrom: d.MovedFrom, Type: "update", StructuredPatch: hunks}
	switch {
	case d.Removed:
		out.Type = "delete"
	case d.New:
		out.Type = "add"
	}
	if before := f.origin().before; before != nil {
		if text, err := edit.Parse(before.Data); err == nil {
			original := text.String()
			out.OriginalFile = &original
		}
	}
	return out, d
}

// recordCommit records the model's knowledge of the file after the commit. It returns the lines to
// check if similar lines were replaced, after a line end.
func (f *plannedFile) recordCommit() string {
	if !f.exists {
		return ""
	}
	f.state().RecordWrite(f.target.Real(), f.data, !f.seenWhole)
	if isNotebook(f.target.Value) {
		f.cellNames().set(f.target.Real(), nil)
	}
	from := f.origin().before
	if f.level <= edit.Punctuation || from == nil {
		return ""
	}
	before, err := edit.Parse(from.Data)
	if err != nil {
		return ""
	}
	return "\n" + quotePath(f.target.Value) + ":\n" + echoDifference(before.String(), f.data, numberedLine)
}
