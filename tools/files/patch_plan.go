package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/applypatch"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// A patchPlan is the effect of a patch on its files.
type patchPlan struct {
	options  WriteOptions
	call     *pegboard.Call
	sections []applypatch.Section
	targets  []policy.Target // one for each path in the patch

	files []*plannedFile // each once, in the order of the patch
	notes []string       // for the model
}

// newPatchPlan returns the plan for a call, which is not made yet.
func newPatchPlan(o WriteOptions, c *pegboard.Call, in applyPatchInput) (*patchPlan, error) {
	p := &patchPlan{options: o, call: c}
	var err error
	if p.sections, err = applypatch.Parse(in.Input); err != nil {
		return nil, err
	}
	p.targets, err = decidedTargets(c, len(pathsOf(p.sections)))
	return p, err
}

// apply carries out the plan, while no other call of the conversation changes the files.
func (p *patchPlan) apply(ctx context.Context) (out ApplyPatchOutput, err error) {
	var reals []string
	for _, t := range p.targets {
		reals = append(reals, t.Real())
	}
	unlock, err := newFileAt(p.options, p.call, p.targets[0]).store.LockAll(ctx, reals)
	if err != nil {
		return out, err
	}
	defer unlock()
	for range maxTries {
		if err = p.make(ctx); err != nil {
			break
		}
		out, err = p.commit(ctx)
		if !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	recordShown(err)
	return out, err
}

// check returns the error with which the call would end as the files are now.
func (p *patchPlan) check(ctx context.Context) error {
	err := p.make(ctx)
	if err == nil {
		return nil
	}
	for _, t := range p.targets {
		f := plannedFile{targetFile: newFileAt(p.options, p.call, t)}
		for _, loaded := range p.files {
			if loaded.target.Real() == t.Real() {
				f = *loaded
			}
		}
		if !f.mayExplain(f.before) {
			return nil
		}
	}
	recordShown(err)
	return err
}

// make loads the files and computes their contents after the sections.
func (p *patchPlan) make(ctx context.Context) error { return p.inWhole(p.makeAll(ctx)) }

func (p *patchPlan) makeAll(ctx context.Context) error {
	p.files, p.notes = nil, nil
	left := p.targets
	next := func() (*plannedFile, error) {
		t := left[0]
		left = left[1:]
		return p.file(ctx, t)
	}
	for _, s := range p.sections {
		f, err := next()
		if err != nil {
			return err
		}
		var to *plannedFile
		if s.MoveTo != "" {
			if to, err = next(); err != nil {
				return err
			}
		}
		if err := p.plan(s, f, to); err != nil {
			return err
		}
	}
	if err := p.checkDirectories(); err != nil {
		return err
	}
	for _, f := range p.files {
		if _, ok := f.step(); ok {
			return nil
		}
	}
	return &adviceError{text: "The patch changes nothing: the files are already as it leaves them. Read them before the next patch."}
}

// checkDirectories returns an error if a file of the patch would be a directory on the way
// to another.
func (p *patchPlan) checkDirectories() error {
	for _, f := range p.files {
		for _, above := range p.files {
			if f != above && f.exists && above.exists && realpath.Contains(above.target.Real(), f.target.Real()) {
				return &adviceError{text: fmt.Sprintf("%s is a file of this patch, so %s cannot be below it. Choose another path for one of them.", above.target.Value, f.target.Value), err: syscall.ENOTDIR}
			}
		}
	}
	return nil
}

const notInPart = "\nNo file was changed. Send the whole patch again when this is mended."

// inWhole adds to an error about one file that the others are as they were, too.
func (p *patchPlan) inWhole(err error) error {
	if len(p.sections) == 1 {
		return err
	}
	var advice *adviceError
	var shown *shownError
	switch {
	case errors.As(err, &shown):
		whole := *shown
		whole.text = strings.TrimRight(whole.text, "\n") + notInPart
		return &whole
	case errors.As(err, &advice):
		return &adviceError{text: strings.TrimRight(advice.text, "\n") + notInPart, err: advice.err}
	}
	return err
}

// file returns the file of a target, and loads it when it is needed first.
func (p *patchPlan) file(ctx context.Context, t policy.Target) (*plannedFile, error) {
	for _, f := range p.files {
		if f.target.Real() == t.Real() {
			return f, nil
		}
	}
	f := &plannedFile{targetFile: newFileAt(p.options, p.call, t)}
	f.partly = `a section "*** Update File:"`
	var err error
	if f.before, err = f.load(ctx); err != nil {
		return nil, err
	}
	if f.before != nil {
		f.exists, f.data = true, f.before.Data
		f.seenWhole = f.state().SeenWhole(t.Real(), f.data)
	}
	p.files = append(p.files, f)
	return f, nil
}

// plan computes the effect of a section on its file, and on the file to, to which it is
// moved unless that is nil.
func (p *patchPlan) plan(s applypatch.Section, f, to *plannedFile) error {
	if s.Action == applypatch.Add {
		return f.add(s.Content)
	}
	if !f.exists {
		if f.changed {
			return &adviceError{text: fmt.Sprintf("%s (line %d of the patch) was removed or moved by a section before it. Name the file as it is called then.", f.target.Value, s.Line)}
		}
		return &adviceError{text: missingFile(f.call, f.target), err: fs.ErrNotExist}
	}
	if s.Action == applypatch.Delete {
		f.exists, f.changed, f.data = false, true, nil
		return nil
	}
	if len(s.Hunks) > 0 {
		if err := p.update(s, f); err != nil {
			return err
		}
	}
	if to == nil {
		return nil
	}
	if to.exists {
		return &adviceError{text: fmt.Sprintf("%s exists already, so %s cannot be moved there. Choose another path, or remove the file in a section before.", to.target.Value, f.target.Value), err: fs.ErrExist}
	}
	to.exists, to.changed, to.data, to.seenWhole, to.movedFrom = true, true, f.data, f.seenWhole, f
	f.exists, f.changed, f.data = false, true, nil
	return nil
}

// update applies the hunks of a section.
func (p *patchPlan) update(s applypatch.Section, f *plannedFile) error {
	text, err := editableText(f.targetFile, f.data)
	if err != nil {
		return err
	}
	var blocks []edit.Block
	for _, h := range s.Hunks {
		blocks = append(blocks, edit.Block{Headers: h.Headers, Old: h.Old, New: h.New, AddsEnd: h.AddsEnd, AtEnd: h.AtEnd})
	}
	change, levels, err := text.ReplaceBlocks(blocks)
	var failed *edit.BlockError
	if errors.As(err, &failed) {
		return &adviceError{err: failed.Err, text: fmt.Sprintf("%s: %s (line %d of the patch): %v", f.target.Value, ordinal(failed.Index, len(s.Hunks)), s.Hunks[failed.Index].Line, failed.Err)}
	}
	if errors.Is(err, edit.ErrPresent) && s.MoveTo != "" {
		return nil // it is moved as it is
	}
	if err != nil {
		return &adviceError{err: err, text: f.target.Value + ": " + err.Error()}
	}
	if change.Level > edit.Punctuation && !f.changed && !f.options.AllowUnread && f.knowledge(f.data) != reads.Current {
		return &adviceError{err: errUnseen, text: f.target.Value + " has only lines that are similar to those of the patch, and was not read, or changed since. Read it first, and write the lines as they are there."}
	}
	for i, level := range levels {
		if level != edit.Exact {
			p.notes = append(p.notes, fmt.Sprintf("%s of %s does not occur exactly as given; what was replaced is a %s. Check it.", ordinal(i, len(s.Hunks)), f.target.Value, level))
		}
	}
	f.changed, f.data, f.level = true, change.Data, max(f.level, change.Level)
	return nil
}

// ordinal names a hunk, at the start of a sentence.
func ordinal(index, of int) string {
	if of == 1 {
		return "The hunk"
	}
	return fmt.Sprintf("Hunk %d", index+1)
}

// changed returns the files that the patch changes. A file that is moved stands where it
// is moved to.
func (p *patchPlan) changed() []*plannedFile {
	moved := map[*plannedFile]bool{}
	for _, f := range p.files {
		if origin := f.origin(); origin != f && f.exists && !origin.exists {
			moved[origin] = true
		}
	}
	var all []*plannedFile
	for _, f := range p.files {
		if _, changes := f.step(); changes && !moved[f] {
			all = append(all, f)
		}
	}
	return all
}

// diffs returns the changes for a user interface.
func (p *patchPlan) diffs() []pegboard.Diff {
	var all []pegboard.Diff
	for _, f := range p.changed() {
		d, _ := f.diff()
		all = append(all, d)
	}
	return all
}

// commit writes the files, and returns the output.
func (p *patchPlan) commit(ctx context.Context) (ApplyPatchOutput, error) {
	var steps []atomicfile.Step
	for _, f := range p.files {
		if step, ok := f.step(); ok {
			steps = append(steps, step)
		}
	}
	changed := p.changed()
	diagnoses := make([]diagnosis, 0, len(changed))
	for _, f := range changed {
		if f.exists {
			diagnoses = append(diagnoses, f.beginDiagnosis(ctx, f.before != nil))
		}
	}
	caveat := ""
	_, err := p.files[0].store.Commit(ctx, steps)
	if errors.Is(err, atomicfile.ErrNotSynced) {
		caveat, err = " The system could not say that it is safe on the disk yet.", nil
	}
	if err != nil {
		return ApplyPatchOutput{}, p.commitError(ctx, err)
	}
	out := ApplyPatchOutput{text: fmt.Sprintf("Applied the patch to %s.%s", plural(len(changed), "file"), caveat)}
	for _, f := range changed {
		file, diff := f.output()
		out.Files, out.diffs = append(out.Files, file), append(out.diffs, diff)
		out.text += "\n" + file.mark() + " " + quotePath(file.FilePath)
		if file.MovedFrom != "" {
			out.text += " (moved from " + quotePath(file.MovedFrom) + ")"
		}
	}
	for _, note := range p.notes {
		out.text += "\n" + note
	}
	for _, f := range p.files {
		out.text += f.recordCommit()
	}
	for _, d := range diagnoses {
		out.text += d.text(ctx)
	}
	return out, nil
}

// commitError returns the error for files that could not be written.
func (p *patchPlan) commitError(ctx context.Context, err error) error {
	var broken *atomicfile.UndoError
	if errors.As(err, &broken) {
		text := fmt.Sprintf("The patch failed half-way, and the old content of %s could not be put back: %v.", strings.Join(broken.Paths, ", "), broken.Err)
		if len(broken.Backup) > 0 {
			text += " What was removed is in " + strings.Join(broken.Backup, ", ") + "."
		}
		return &adviceError{text: text + " Tell the user before anything else is done with these files.", err: err}
	}
	return p.inWhole(p.fileAt(err).writeError(ctx, err))
}

// fileAt returns the file that an error is about: the one at its path, or below it.
func (p *patchPlan) fileAt(err error) *plannedFile {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return p.files[0]
	}
	for _, isAbout := range []func(real string) bool{
		func(real string) bool { return real == at.Path },
		func(real string) bool { return realpath.Contains(at.Path, real) },
	} {
		for _, f := range p.files {
			if isAbout(f.target.Real()) {
				return f
			}
		}
	}
	return p.files[0]
}
