package pegboard

import (
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// ResultOf returns the result that the tool of the call would have with another output, which
// is JSON of its output type: for a Post hook that replaces what the tool has returned. The
// output is read strictly, as that of a [Supply]; an error says why it does not fit. A
// tool that keeps the text for the model beside its output has none for another one: the
// result then shows the output as JSON. ResultOf is for tools of this program; the results of a
// server's tools have no type.
func (h *HookCall) ResultOf(output json.RawMessage) (r *Result, err error) {
	if h.Tool == nil {
		return nil, errors.New("the call has no tool")
	}
	mapped, err := h.Tool.decodeOutput(output)
	if err != nil {
		return nil, err
	}
	err = markPanic(goroutine.Try(func() (err error) { r, err = mapped(); return err }))
	if err == nil && r == nil {
		r = &Result{}
	}
	if err == nil && r.empty() && string(output) != `""` {
		copied := *r
		copied.Parts = []Part{{Text: string(output)}}
		r = &copied
	}
	return r, err
}
