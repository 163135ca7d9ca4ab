package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
)

// Trim shows s the results among the entries of a conversation, and yields those whose
// text is replaced, with the new text. Texts beyond the results are ignored, and blank or
// missing ones leave a result as it is. A result that makes tools known to the model, or
// that holds no text, is never replaced. If there are no results, s is not asked.
func Trim(ctx context.Context, s wire.Trimmer, entries []Entry) iter.Seq2[Ref, string] {
	return func(yield func(Ref, string) bool) {
		var results []pegboard.HistoryResult
		var at []Ref
		for _, e := range entries {
			if e.Past != nil {
				results, at = append(results, e.Past.shown()), append(at, e.At)
			}
		}
		if len(results) == 0 {
			return
		}
		for i, text := range s.TrimResults(ctx, results) {
			switch {
			case i >= len(results):
				return
			case results[i].Fixed || results[i].Text == "" || strings.TrimSpace(text) == "":
			case !yield(at[i], text):
				return
			}
		}
	}
}

// shown returns r as a [wire.Trimmer] sees it.
func (r *PastResult) shown() pegboard.HistoryResult {
	text, id := r.Text(), r.CallID
	if r.Repeats {
		sum := sha256.Sum256([]byte(text))
		id += "#" + hex.EncodeToString(sum[:8])
	}
	return pegboard.HistoryResult{CallID: id, Tool: r.Tool, Turn: r.Turn, Text: text, Fixed: r.Refers || r.definesTools()}
}

// ReplaceText returns the parts of a result with text in the place of all their text:
// in the first part that isText, whose other members stay, while further parts that
// isText are dropped. All other parts stay, byte for byte. The parts given are not
// written to.
func ReplaceText(parts []json.RawMessage, text string, isText func(part json.RawMessage) bool) []json.RawMessage {
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
