package pegboard

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/repair"
)

// repairInput repairs an input in the ways that the host permits. It returns nil unless
// the tool says that the repaired call is read-only.
func (j *job) repairInput(ctx context.Context, problem error) (input json.RawMessage, in any) {
	how, spec := j.batch.exec.Repair, j.entry.tool.input()
	input = slices.Clone(j.call.Input)
	var notes []string
	note := func(rs []repair.Repair) {
		for _, r := range rs {
			notes = append(notes, r.Note)
		}
	}
	if how.Syntax {
		repaired, rs, _ := repair.Text(input, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText))
		note(rs)
		input = repaired
	}
	if how.Values {
		repaired, rs, _ := repair.Values(input, spec.schema.Bytes(), repair.KindsOf(repair.JSONInString, repair.JoinStrings, repair.DropNulls))
		note(rs)
		input = repaired
	}
	in, err := spec.decode(input)
	if err != nil && how.Func != nil && !j.repairUsed {
		j.repairUsed = true
		notes = []string{"the host's repair was used"}
		input = slices.Clone(how.Func(ctx, j.entry.tool, j.call.copied(), problem))
		in, err = spec.decode(input)
	}
	if err != nil || len(notes) == 0 || len(input) == 0 {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, decoded: in, state: &callState{session: j.batch.pool.session, info: &j.entry.info, spec: j.entry.tool.input()}}
	var tr Traits // the zero Traits are cautious
	_ = goroutine.Try(func() error { tr = j.entry.tool.Traits(c); return nil })
	if !tr.ReadOnly || tr.Destructive || j.entry.info.Origin.External() {
		return nil, nil
	}
	j.repairs = append(j.repairs, notes...)
	j.batch.emit(Event{Kind: EventRepaired, Call: c, Text: strings.Join(notes, "; ")})
	return input, in
}
