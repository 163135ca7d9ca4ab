package pegboard

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

// A HistoryResult is the result of a call in the history of a conversation, as a wire
// finds it there.
type HistoryResult struct {
	CallID string
	Tool   string // its name in the pool; empty if the history does not tell
	Turn   int    // the same for the results that answer one message of the model, and ascending
	Text   string // all text that it holds
	Fixed  bool   // it must stay as it is: it made tools known
}

const masked = 500 // characters that are left of a result that was masked

// TrimResults decides which results of a conversation go out whole, given all that its
// history holds, in its order. For each it returns the text that takes its place, or
// "". A wire calls it, see Trim there; the history that the host keeps is not changed.
//
// Where the results that answer one message are too long together, the largest are
// replaced by previews before they go out the first time. Old results are masked, many
// at once, since each time costs the provider's cache of the prompt. What was decided
// stands, byte for byte, also in a fork: what went out whole is never replaced but by
// masking, and what was replaced stays so. Given the same history as it grew, the same
// limits and a store that has lost nothing, another process decides the same; otherwise
// it needs [Session.TrimState].
//
// What is replaced is stored under the id of its call, unless it can be read again.
// Results of the tools in ResultLimits.PinnedTools, those that made tools known, and short
// ones are left alone.
func (s *Session) TrimResults(ctx context.Context, results []HistoryResult) []string {
	limits := &s.cfg.Limits
	seen := make([]resulttrim.Result, len(results))
	for i, r := range results {
		seen[i] = resulttrim.Result{ID: r.CallID, Turn: r.Turn, Size: utf8.RuneCountInString(r.Text), Fixed: r.Fixed || slices.Contains(limits.PinnedTools, r.Tool)}
	}
	s.trimming.Lock()
	defer s.trimming.Unlock()
	texts, least := make([]string, len(results)), max(limits.Preview, masked)+1_000 // what a preview may have with its notice
	for i, d := range s.trimmed.Decide(seen, resulttrim.Limits{PerMessage: limits.PerMessage, KeepRecent: limits.KeepRecent, MaskStep: limits.MaskStep, MinSize: least}) {
		if d.Form == resulttrim.Whole {
			continue
		}
		text, ok := s.trimmed.Text(d.Key)
		if !ok {
			text = s.standIn(ctx, results[i], d.Form == resulttrim.Masked)
		}
		if !ok && ctx.Err() == nil { // else nobody sends it
			s.trimmed.SetText(d.Key, text)
			text, _ = s.trimmed.Text(d.Key)
		}
		texts[i] = text
	}
	return texts
}

// standIn stores a result and returns the text that takes its place.
func (s *Session) standIn(ctx context.Context, r HistoryResult, old bool) string {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	how := showing{characters: s.cfg.Limits.Preview, lost: s.cfg.Limits.Preview, whole: r.Text}
	if old {
		how = showing{characters: masked, lost: masked, ends: true, name: "Old result", whole: r.Text}
	}
	if slices.Contains(s.cfg.Limits.RereadTools, r.Tool) {
		how.instead = "call " + r.Tool + " again to see it"
	}
	return s.show(ctx, r.CallID, strings.NewReader(r.Text), how).Text
}

// TrimState returns what Trim has decided, as JSON, for SessionConfig.TrimState.
func (s *Session) TrimState() json.RawMessage {
	s.trimming.Lock()
	defer s.trimming.Unlock()
	state, _ := json.Marshal(s.trimmed) // which has no form that fails
	return state
}
