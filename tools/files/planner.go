package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// A planner works out what a call makes of its file, of which was is nil if there
// is none. It changes nothing, neither files nor what the session knows of them: a
// call is planned before it is allowed, too.
type planner[In, Out any] func(p targetFile, in In, was *atomicfile.Snapshot) (plan[Out], error)

// A plan is what a call makes of its file.
type plan[Out any] struct {
	data    []byte // the new content
	partial bool   // the call names only a part of it
	// output returns what the tool says once data is written. The caveat is about
	// the writing; it and the diagnosis are ready to append.
	output func(caveat, diagnosis string) Out
}

// plan loads the file and plans what in makes of it.
func (w planner[In, Out]) plan(ctx context.Context, p targetFile, in In) (was *atomicfile.Snapshot, made plan[Out], err error) {
	was, err = p.load(ctx)
	if err == nil {
		made, err = w(p, in, was)
	}
	return was, made, err
}

// apply does what is planned with the file that c may write, while no other call
// of the conversation works on it.
func (w planner[In, Out]) apply(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) (out Out, err error) {
	p, err := newTargetFile(o, c)
	if err != nil {
		return out, err
	}
	leave, err := p.store.Lock(ctx, p.target.Real())
	if err != nil {
		return out, err
	}
	defer leave()
	for range maxTries {
		out, err = w.applyOnce(ctx, p, in)
		if !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	var shown *shownError
	if errors.As(err, &shown) { // the next try goes by what is shown now
		p.recordSnapshot(shown.snapshot, shown.partial)
	}
	return out, err
}

// maxTries is how often a call begins anew when somebody else, of another
// conversation or process, changed the file between its reading and its writing.
const maxTries = 10

func (w planner[In, Out]) applyOnce(ctx context.Context, p targetFile, in In) (out Out, err error) {
	was, made, err := w.plan(ctx, p, in)
	if err != nil {
		return out, err
	}
	caveat, err := p.save(ctx, was, made.data, made.partial)
	if err != nil {
		return out, err
	}
	return made.output(caveat, p.diagnosis(ctx)), nil
}

// propose shows what is planned. It takes no lock, which a writer holds for as long
// as its diagnosis takes; what others write meanwhile is only seen too early or too
// late.
func (w planner[In, Out]) propose(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) (Proposal, error) {
	p, err := newTargetFile(o, c)
	if err != nil {
		return Proposal{}, err
	}
	was, made, err := w.plan(ctx, p, in)
	if err != nil {
		return Proposal{}, err
	}
	var from []byte
	if was != nil {
		from = was.Data
	}
	before, unread := edit.Parse(from)
	after, unwritten := edit.Parse(made.data)
	if err := errors.Join(unread, unwritten); err != nil { // though it was planned for
		return Proposal{}, fmt.Errorf("%w: %w", ErrNoPreview, err)
	}
	hunks, omitted := limitHunks(patch(before.String(), after.String()), MaxPreview)
	return Proposal{FilePath: p.target.Value, New: was == nil, Hunks: hunks, Omitted: omitted}, nil
}
