package wire

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// A Trimmer decides which results of a conversation are sent whole. A
// [*pegboard.Session] is one: it replaces the results that are too long for the
// request by previews.
type Trimmer interface {
	// TrimResults returns for each result the text that replaces all its text, or "" if
	// the result is sent as it is. Blank texts, and those that are missing at the end,
	// count as "".
	TrimResults(ctx context.Context, results []pegboard.HistoryResult) []string
}
