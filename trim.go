package pegboard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

// A HistoryResult is the result of a call as a wire finds it in the history of a
// conversation. It is for wires: see [Session.TrimResults].
type HistoryResult struct {
	CallID string
	Tool   string // the tool's name in the pool; empty if the history does not tell
	Turn   int    // equal for the results that answer one message of the model, and ascending
	Text   string // all text of the result
	Fixed  bool   // it must stay as it is: it made tools known
}

// A TrimmedResult is a result that [Session.TrimResults] has put into the [ResultStore].
type TrimmedResult struct {
	CallID string
	Tool   string // as in HistoryResult
	Ref    string // for ResultStore.Open; empty if it could not be stored, or the model can call the tool again
	Size   int    // of its text, in bytes
	Masked bool   // it is old; otherwise those of one message were too long together
}

// maskedLength is how many characters of a masked result are shown.
const maskedLength = 500

// A resultTrimmer decides which results of a history are sent whole, and remembers it.
type resultTrimmer struct {
	results *sessionResults // stores the replaced results

	mu    lock.Mutex // guards the fields below
	state *resulttrim.State
	put   []TrimmedResult // by this process
}

// init starts with a copy of the parent's state, if there is a parent, or with the saved
// state.
func (t *resultTrimmer) init(results *sessionResults, saved json.RawMessage, parent *resultTrimmer) error {
	t.results, t.state = results, new(resulttrim.State)
	if parent != nil {
		parent.mu.Lock()
		t.state, t.put = parent.state.Clone(), slices.Clone(parent.put)
		parent.mu.Unlock()
	}
	if len(saved) > 0 {
		if err := json.Unmarshal(saved, t.state); err != nil {
			return fmt.Errorf("TrimState: %w", err)
		}
	}
	return nil
}

// trim returns for each result the text that replaces it, or "" if it is sent whole.
func (t *resultTrimmer) trim(ctx context.Context, results []HistoryResult) []string {
	limits := &t.results.limits
	history := make([]resulttrim.Result, len(results))
	for i, h := range results {
		history[i] = resulttrim.Result{ID: h.CallID, Turn: h.Turn, Size: utf8.RuneCountInString(h.Text), Fixed: h.Fixed || slices.Contains(limits.PinnedTools, h.Tool)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	texts, shortest := make([]string, len(results)), max(limits.Preview, maskedLength)+1_000 // a preview with its notice may be as long
	for i, d := range t.state.Decide(history, resulttrim.Limits{PerMessage: limits.PerMessage, KeepRecent: limits.KeepRecent, MaskStep: limits.MaskStep, MinSize: shortest}) {
		if d.Form == resulttrim.Whole {
			continue
		}
		text, ok := t.state.Text(d.Key)
		if !ok {
			h, masked := results[i], d.Form == resulttrim.Masked
			put := t.placeholder(ctx, h, masked)
			if text = put.Text; ctx.Err() == nil { // otherwise the text is not sent
				t.state.SetText(d.Key, text)
				text, _ = t.state.Text(d.Key)
				t.put = append(t.put, TrimmedResult{CallID: h.CallID, Tool: h.Tool, Ref: put.Ref, Size: len(h.Text), Masked: masked})
			}
		}
		texts[i] = text
	}
	return texts
}

// trimmed is [Session.Trimmed].
func (t *resultTrimmer) trimmed(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.Lost(callID)
}

// counts fills in what TrimResults knows.
func (t *resultTrimmer) counts(c *ResultCounts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.Whole, c.Replaced, c.Masked = t.state.Counts()
}

// placeholder stores a result and returns the part that replaces it.
func (t *resultTrimmer) placeholder(ctx context.Context, h HistoryResult, masked bool) Part {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	form := previewForm{characters: t.results.limits.Preview, unstored: t.results.limits.Preview, whole: h.Text}
	if masked {
		form = previewForm{characters: maskedLength, unstored: maskedLength, ends: true, name: "Old result", whole: h.Text}
	}
	if slices.Contains(t.results.limits.RereadTools, h.Tool) {
		form.instead = "call " + h.Tool + " again to see it"
	}
	return t.results.preview(ctx, h.CallID, strings.NewReader(h.Text), form)
}

// putAway is [Session.TrimmedResults].
func (t *resultTrimmer) putAway() []TrimmedResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.put)
}

// saved returns the state as JSON.
func (t *resultTrimmer) saved() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	state, _ := json.Marshal(t.state) // a State always has a JSON form
	return state
}
