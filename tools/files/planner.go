package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// A planner computes the effect of a call on its file. snapshot is the current file, or
// nil if the file does not exist. A planner changes neither files nor the record of
// what the session has read, since calls are also planned for previews.
type planner[In, Out any] func(f targetFile, in In, snapshot *atomicfile.Snapshot) (plan[Out], error)

// A plan is the effect of a call on its file.
type plan[Out any] struct {
	data    []byte          // new content
	partial bool            // the call names only a part of the content
	names   *notebook.Names // of the cells, if the call is about cells of a notebook
	// output returns the output of the tool after data is written. caveat is about the
	// writing; caveat and diagnosis can be appended to the text as they are.
	output func(caveat, diagnosis string) Out
}

// plan loads the file and computes the plan for in.
func (w planner[In, Out]) plan(ctx context.Context, f targetFile, in In) (snapshot *atomicfile.Snapshot, planned plan[Out], err error) {
	snapshot, err = f.load(ctx)
	if err == nil {
		planned, err = w(f, in, snapshot)
	}
	return snapshot, planned, err
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
	var shown *shownError
	if errors.As(err, &shown) { // the model has seen this content when it tries again
		f.recordSnapshot(shown.snapshot, shown.partial)
	}
	return out, err
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
	caveat, err := f.save(ctx, snapshot, planned.data, planned.partial)
	if err != nil {
		return out, err
	}
	if isNotebook(f.target.Value) {
		f.cellNames().set(f.target.Real(), planned.names)
	}
	return planned.output(caveat, f.diagnosis(ctx)), nil
}

// propose returns the plan as a Proposal. It takes no lock, since a call holds the lock
// as long as its diagnosis takes, and a lock would not keep the file from changing
// after the preview.
func (w planner[In, Out]) propose(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) (Proposal, error) {
	f, err := newTargetFile(o, c)
	if err != nil {
		return Proposal{}, err
	}
	snapshot, planned, err := w.plan(ctx, f, in)
	if err != nil {
		return Proposal{}, err
	}
	var current []byte
	if snapshot != nil {
		current = snapshot.Data
	}
	before, errBefore := edit.Parse(current)
	after, errAfter := edit.Parse(planned.data)
	if err := errors.Join(errBefore, errAfter); err != nil { // the planner accepted it, but it is not text
		return Proposal{}, fmt.Errorf("%w: %w", ErrNoPreview, err)
	}
	hunks, omitted := limitHunks(patch(before.String(), after.String()), MaxPreview)
	return Proposal{FilePath: f.target.Value, New: snapshot == nil, Hunks: hunks, Omitted: omitted}, nil
}
