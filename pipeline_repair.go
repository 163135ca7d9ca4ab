package pegboard

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/repair"
)

// repairScalars repairs scalars of the wrong type, which have only one reading, for a
// built-in tool. It returns nil if the input is wrong in another way, too.
func (j *job) repairScalars() (input json.RawMessage, in any) {
	if j.batch.exec.Repair.NoScalars || j.entry.info.Origin.External() {
		return nil, nil
	}
	spec := j.entry.tool.input()
	input, repairs, ok := repair.Values(slices.Clone(j.call.Input), spec.schema.Bytes(), repair.KindsOf(repair.Scalars, repair.DropNulls))
	if !ok {
		return nil, nil
	}
	in, err := j.decodeBy(spec, input)
	if err != nil {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, decoded: in, state: &callState{session: j.batch.pool.session, place: j.call.state.place, info: &j.entry.info, spec: spec}}
	j.noteRepairs(c, notesOf(repairs))
	return input, in
}

// repairInput repairs an input in the ways that the host permits. It returns nil unless
// the tool says that the repaired call is read-only.
func (j *job) repairInput(ctx context.Context, problem error) (input json.RawMessage, in any) {
	how, spec := j.batch.exec.Repair, j.entry.tool.input()
	input = slices.Clone(j.call.Input)
	var notes []string
	if how.Syntax {
		repaired, rs, _ := repair.Text(input, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText))
		notes = append(notes, notesOf(rs)...)
		input = repaired
	}
	if how.Values {
		repaired, rs, _ := repair.Values(input, spec.schema.Bytes(), repair.KindsOf(repair.JSONInString, repair.JoinStrings, repair.DropNulls, repair.Scalars))
		notes = append(notes, notesOf(rs)...)
		input = repaired
	}
	in, err := j.decodeBy(spec, input)
	if err != nil && how.Func != nil && !j.repairUsed {
		j.repairUsed = true
		notes = []string{"the host's repair was used"}
		j.foreign("Repair.Func", func() { input = slices.Clone(how.Func(ctx, j.entry.tool, j.call.copied(), problem)) })
		in, err = j.decodeBy(spec, input)
	}
	if err != nil || len(notes) == 0 || len(input) == 0 {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, decoded: in, state: &callState{session: j.batch.pool.session, place: j.call.state.place, info: &j.entry.info, spec: j.entry.tool.input()}}
	var tr Traits // the zero Traits are cautious
	_ = goroutine.Try(func() error { j.foreign("Inspect", func() { tr = j.entry.tool.Traits(c) }); return nil })
	if !tr.ReadOnly || tr.Destructive || j.entry.info.Origin.External() {
		return nil, nil
	}
	j.noteRepairs(c, notes)
	return input, in
}

// noteRepairs records the repairs that made the input of c.
func (j *job) noteRepairs(c *Call, notes []string) {
	j.repairs = append(j.repairs, notes...)
	j.batch.emit(Event{Kind: EventRepaired, Call: c, Text: strings.Join(notes, "; ")})
}

func notesOf(repairs []repair.Repair) (notes []string) {
	for _, r := range repairs {
		notes = append(notes, r.Note)
	}
	return notes
}
