// Package trim replaces the text of results in a conversation, as a [wire.Trimmer] says.
package trim

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
)

// Results shows s the results of a conversation, and yields those whose text is
// replaced, by their index, with what replaces it. Texts beyond the results are passed
// over, and those that are missing or blank leave a result as it is. So does all that
// is said of a result that is Fixed, or that holds no text which could be replaced. s is
// not asked if there are no results.
func Results(ctx context.Context, s wire.Trimmer, results []pegboard.HistoryResult) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if len(results) == 0 {
			return
		}
		for i, text := range s.TrimResults(ctx, results) {
			switch {
			case i >= len(results):
				return
			case results[i].Fixed || results[i].Text == "" || strings.TrimSpace(text) == "":
			case !yield(i, text):
				return
			}
		}
	}
}

// Replace returns the parts of a result with text in the place of all their text:
// in the first part that isText, whose other members stay, while the further ones are
// gone. All else stays, byte for byte. The parts given are not written to.
func Replace(parts []json.RawMessage, text string, isText func(part json.RawMessage) bool) []json.RawMessage {
	var out []json.RawMessage
	replaced := false
	for _, part := range parts {
		if !isText(part) {
			out = append(out, part)
			continue
		}
		if o, err := jsonobject.Parse(part); err == nil && !replaced {
			o.Set("text", jsonobject.Quote(text))
			out, replaced = append(out, o.Encode()), true
		}
	}
	return out
}
