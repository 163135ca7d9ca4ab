package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// A planner computes the effect of a call on its file. snapshot is the current file, or nil if the
// file does not exist. A planner changes neither files nor the record of the files that the
// session has read, since calls are also planned for previews.
type planner[In, Out any] func(f targetFile, in In, snapshot *atomicfile.Snapshot) (plan[Out], error)

// A plan is the effect of a call on its file.
type plan[Out any] struct {
	data    []byte          // new content
	partial bool            // the call names only a part of the content
	names   *notebook.Names // of the cells, if the call is about cells of a notebook
	// output returns the output of the tool after data is written.
	output func(done written) Out
}

// written says how data was written.
type written struct {
	diffs []pegboard.Diff // for a user interface; nil if the file is not text
	patch []pegboard.Hunk // all hunks, of which diffs may leave out some; not nil
	// caveat and diagnosis are texts for the model that can be appended as they are: about the
	// writing, and from the host's diagnosis.
	caveat, diagnosis string
}

// plan loads the file and computes the plan for in.
func (w planner[In, Out]) plan(ctx context.Context, f targetFile, in In) (snapshot *atomicfile.Snapshot, planned plan[Out], err error) {
	snapshot, err = f.load(ctx)
	if err == nil {
		planned, err = w(f, in, snapshot)
	}
	return snapshot, planned, err
}

// check returns the error with which the call would end as the file is now. The call holds its keys,
// so no other call of the conversation changes the file before it runs. A call that is only
// decided, as by [pegboard.Pool.Decide], is not checked: its decision is one of rules.
func (w planner[In, Out]) check(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) error {
	if c.Identity() == nil {
		return nil
	}
	f, err := newTargetFile(o, c)
	if err != nil {
		return err
	}
	snapshot, _, err := w.plan(ctx, f, in)
	if err == nil || !f.mayExplain(snapshot) {
		return nil
	}
	recordShown(err)
	return err
}

// apply carries out the plan, while no other call of the conversation changes the file.
func (w planner[In, Out]) apply(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) (out Out, err error) {
	f, err := newTargetFile(o, c)
	if err != nil {
		return out, err
	}
	unlock, err := f.store.Lock(ctx, f.target.Real())
	if err != nil {
		return out, err
	}
	defer unlock()
	for range maxTries {
		out, err = w.applyOnce(ctx, f, in)
		if !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	recordShown(err)
	return out, err
}

// recordShown records that the session has seen the content that err shows, which goes to the
// model: it may then try again.
func recordShown(err error) {
	var shown *shownError
	if errors.As(err, &shown) {
		shown.file.recordSnapshot(shown.snapshot, shown.partial)
	}
}

// maxTries is how often a call tries to change the file. It tries again if another
// conversation or process changed the file between reading and writing.
const maxTries = 10

// applyOnce loads the file, plans and writes.
func (w planner[In, Out]) applyOnce(ctx context.Context, f targetFile, in In) (out Out, err error) {
	snapshot, planned, err := w.plan(ctx, f, in)
	if err != nil {
		return out, err
	}
	var done written
	problems := f.beginDiagnosis(ctx, snapshot != nil)
	if done.caveat, err = f.save(ctx, snapshot, planned.data, planned.partial); err != nil {
		return out, err
	}
	if isNotebook(f.target.Value) {
		f.cellNames().set(f.target.Real(), planned.names)
	}
	diff, hunks, notText := diffOf(f.target.Value, contentOf(snapshot), planned.data)
	if done.patch = hunks; notText == nil {
		done.diffs = []pegboard.Diff{diff}
	}
	done.diagnosis = problems.text(ctx)
	return planned.output(done), nil
}

// propose returns the change that the call would make. It takes no lock, since a call
// holds the lock as long as its diagnosis takes, and a lock would not keep the file from
// changing after the preview.
func (w planner[In, Out]) propose(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) ([]pegboard.Diff, error) {
	f, err := newTargetFile(o, c)
	if err != nil {
		return nil, err
	}
	snapshot, planned, err := w.plan(ctx, f, in)
	if err != nil {
		return nil, err
	}
	diff, err := DiffOf(f.target.Value, contentOf(snapshot), planned.data)
	if err != nil { // the planner accepted it, but it is not text
		return nil, fmt.Errorf("%w: %w", pegboard.ErrNoPreview, err)
	}
	return []pegboard.Diff{diff}, nil
}

// contentOf returns the content of a file, which is not nil if the file exists.
func contentOf(snapshot *atomicfile.Snapshot) []byte {
	switch {
	case snapshot == nil:
		return nil
	case snapshot.Data == nil:
		return []byte{}
	}
	return snapshot.Data
}
