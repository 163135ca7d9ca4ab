package wire

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// A Trimmer decides which results of a conversation go out whole. A
// [*pegboard.Session] is one: it puts a preview in the place of results that are
// too much for the request.
type Trimmer interface {
	// TrimResults returns for each result the text that replaces all its text, or "" if it
	// goes out as it is. Blank texts, and those that are missing at the end, count as
	// "".
	TrimResults(ctx context.Context, results []pegboard.HistoryResult) []string
}
