package tooltest

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A storeSample is a result for a store.
type storeSample struct {
	callID string
	mime   string
	text   string
	lines  int64 // size of the numbered lines that are put instead of text, if not 0
}

func (s storeSample) reader() io.Reader {
	if s.lines > 0 {
		return &numberedLines{left: s.lines}
	}
	return strings.NewReader(s.text)
}

// input names the sample in a violation.
func (s storeSample) input() string {
	return fmt.Sprintf("call %.60q, %d bytes", s.callID, max(s.lines, int64(len(s.text))))
}

// storeSamples are the results of StoreSample.
var storeSamples = []storeSample{
	{callID: "call_1", mime: "text/plain", text: "one line\n"},
	{callID: "call_1", mime: "text/plain", text: "another line of the same call\n"},
	{callID: "call_2", mime: "text/plain", text: ""},
	{callID: "call_3", mime: "image/png", text: "\x89PNG\r\n\x1a\n\x00\x00\xff\xfe"},
	{callID: "toolu_01ABC", mime: "application/json", text: `{"list":[1,2,3]}`},
	{callID: "", mime: "", text: "a call without an id"},
}

// StoreSample puts a few fixed results into a store and returns the result of Put for each. All processes get the same: see [StoreChecker].Elsewhere.
func StoreSample(store pegboard.ResultStore) ([]pegboard.StoredResult, error) {
	var all []pegboard.StoredResult
	for _, s := range storeSamples {
		stored, err := store.Put(context.Background(), s.callID, s.mime, s.reader())
		if err != nil {
			return nil, fmt.Errorf("put a result of call %q: %w", s.callID, err)
		}
		all = append(all, stored)
	}
	return all, nil
}
