package web

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Fetched is the Result.Data of WebFetch.
type Fetched struct {
	Bytes      int64  `json:"bytes"`      // of the body, decompressed, as far as it was read
	Code       int    `json:"code"`       // status of the answer, such as 200
	CodeText   string `json:"codeText"`   // its name, such as "OK"
	Result     string `json:"result"`     // the text for the model, with the marks of foreign words
	DurationMs int64  `json:"durationMs"` // how long the call took
	URL        string `json:"url"`        // mapped, after the redirects that were followed

	image *pegboard.Part // shown below the text; or nil
}

// result returns the result for the model and the host.
func (f Fetched) result() *pegboard.Result {
	r := pegboard.TextResult(f.Result)
	if f.image != nil {
		r.Parts = append(r.Parts, *f.image)
	}
	r.Data, r.IsError = f, f.Code >= 400
	r.Line = fmt.Sprintf("Received %d bytes (%d %s)", f.Bytes, f.Code, f.CodeText)
	return r
}
