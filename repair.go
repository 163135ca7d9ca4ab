package pegboard

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/repair"
)

// A Repair says how malformed input may be mended before it is decoded. What was
// mended stands in [Outcome].Repairs, and only a call that is read-only runs on
// it: what a model did not write, writes nothing.
type Repair struct {
	// Syntax mends text that is no JSON: control characters inside strings,
	// text around the object.
	Syntax bool
	// Values mends properties of the wrong type: JSON inside a string, a list
	// of strings for a string, null for a property that may be left out.
	Values bool
	// Func may mend what is left, once for each call. Nothing means it cannot.
	Func func(ctx context.Context, t Tool, c *Call, problem error) json.RawMessage
}

// mend tries to read an input in the ways the host permits. It returns nothing
// unless the tool says that the mended call is read-only: what the model did not
// write, writes nothing.
func (j *job) mend(ctx context.Context, problem error) (input json.RawMessage, in any) {
	how, spec := j.batch.Repair, j.entry.tool.input()
	input = slices.Clone(j.call.Input)
	var notes []string
	note := func(rs []repair.Repair) {
		for _, r := range rs {
			notes = append(notes, r.Note)
		}
	}
	if how.Syntax {
		mended, rs, _ := repair.Text(input, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText))
		note(rs)
		input = mended
	}
	if how.Values {
		mended, rs, _ := repair.Values(input, spec.schema.Bytes(), repair.KindsOf(repair.JSONInString, repair.JoinStrings, repair.DropNulls))
		note(rs)
		input = mended
	}
	in, err := spec.decode(input)
	if err != nil && how.Func != nil && !j.repaired {
		j.repaired = true
		notes = []string{"the host's repair was used"}
		input = slices.Clone(how.Func(ctx, j.entry.tool, j.call.copied(), problem))
		in, err = spec.decode(input)
	}
	if err != nil || len(notes) == 0 || len(input) == 0 {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, in: in, state: &callState{session: j.batch.pool.session, info: &j.entry.info, spec: j.entry.tool.input()}}
	var tr Traits // the zero Traits are cautious
	_ = goroutine.Try(func() error { tr = j.entry.tool.Traits(c); return nil })
	if !tr.ReadOnly || tr.Destructive || j.entry.info.Origin.External() {
		return nil, nil
	}
	j.repairs = append(j.repairs, notes...)
	j.batch.emit(Event{Kind: EventRepaired, Call: c, Text: strings.Join(notes, "; ")})
	return input, in
}
