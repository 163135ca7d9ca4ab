package wiretest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/wire"
)

// Chunks returns a function that reads a file of one event a line, which may hold several
// replies. Last are the types of the events that end one.
func Chunks(last ...string) func(t testing.TB, path string) []corpus.Recording {
	return func(t testing.TB, path string) (all []corpus.Recording) {
		t.Helper()
		var body strings.Builder
		flush := func() {
			if body.Len() > 0 {
				all = append(all, corpus.Recording{File: path, Body: body.String()})
			}
			body.Reset()
		}
		for _, line := range corpus.Lines(t, path) {
			body.WriteString("data: " + string(line) + "\n\n")
			var event struct{ Type string }
			if json.Unmarshal(line, &event) == nil && slices.Contains(last, event.Type) {
				flush()
			}
		}
		flush()
		return all
	}
}

// RunRecordings reads the recorded responses of each folder of the corpus as they may arrive, and
// cut. Check compares what comes of one with what encoding/json alone finds in it, and declare
// the tools of its request with those of a Codec; it counts them.
func RunRecordings(t *testing.T, w Wire, check func(t testing.TB, r corpus.Recording, m *wire.Message, err error), declare func(t testing.TB, r corpus.Recording) int) {
	t.Helper()
	for _, folder := range corpus.Folders(t) {
		all, whole, calls, cuts, tools := w.Recordings(t, folder), 0, 0, 0, 0
		for _, r := range all {
			m, err := RequireSameInPieces(t, w, r.Body, 64)
			w.RequireTurn(t, m, w.Zero.Results(m, nil))
			check(t, r, m, err)
			if err == nil {
				whole, cuts = whole+1, cuts+w.requireCutSafe(t, r, m)
			}
			calls, tools = calls+len(m.Calls), tools+declare(t, r)
		}
		corpus.Report(t, folder, "%d responses, %d of them whole, with %d calls, cut %d times; %d tool definitions", len(all), whole, calls, cuts, tools)
	}
}

// requireCutSafe ends a stream after its lines. What was begun and not finished is never
// handed out.
func (w Wire) requireCutSafe(t testing.TB, r corpus.Recording, whole *wire.Message) (cuts int) {
	t.Helper()
	const most = 300
	lines := strings.SplitAfter(r.Body, "\n")
	if isWhole(r.Body) {
		return 0
	}
	for i := range min(len(lines), most) {
		_, m, err := Read(w.Zero, strings.NewReader(strings.Join(lines[:i*len(lines)/min(len(lines), most)], "")))
		if err != nil {
			require.ErrorIs(t, err, wire.ErrTruncated, r.File)
		}
		for _, c := range Written(m.Calls) {
			require.Contains(t, Written(whole.Calls), c, "%s: not a whole call", r.File)
		}
		for _, c := range m.Incomplete {
			isPart := func(of pegboard.Call) bool { // some APIs send values and no text
				return of.Name == c.Name && (bytes.HasPrefix(of.Input, c.Input) || json.Valid(c.Input))
			}
			require.True(t, slices.ContainsFunc(append(whole.Calls, whole.Incomplete...), isPart), "%s: %s", r.File, Written(m.Incomplete))
		}
		require.True(t, strings.HasPrefix(whole.Text, m.Text), r.File)
		w.RequireTurn(t, m, w.Zero.Results(m, nil))
		cuts++
	}
	return cuts
}

// RunRecordingsNormalize leaves the recorded requests of each folder of the corpus as they are, and
// repairs them when they are cut off after any message, miss any, or end with the recorded
// response. Member is that of the request with its messages.
func RunRecordingsNormalize(t *testing.T, w Wire, member string) {
	t.Helper()
	for _, folder := range corpus.Folders(t) {
		requests, messages, results := 0, 0, 0
		for _, r := range w.Recordings(t, folder) {
			var request map[string]json.RawMessage
			var sent []json.RawMessage
			_ = json.Unmarshal(r.Request, &request) // what is no request has no messages
			_ = json.Unmarshal(request[member], &sent)
			w.requireSound(t, w.Zero, sent)
			for i := range sent {
				w.requireNormal(t, sent[:i])
				w.requireNormal(t, slices.Delete(slices.Clone(sent), i, i+1))
			}
			var s Trimmer
			w.Zero.Trim(t.Context(), sent, &s)
			_, m, _ := Read(w.Zero, strings.NewReader(r.Body)) // some were cut
			turn := append(slices.Clone(sent), m.History...)
			w.requireNormal(t, turn)
			_, repairs := w.Zero.Normalize(append(turn, w.Zero.Results(m, nil)...))
			for _, c := range m.Calls { // others are for the host to answer
				require.NotContains(t, repairs, wire.Repair{Kind: wire.MissingResult, CallID: c.ID, Message: len(turn) - 1}, r.File)
			}
			requests, messages, results = requests+min(1, len(sent)), messages+len(sent), results+len(s.Shown)
		}
		corpus.Report(t, folder, "%d requests of %d messages with %d results unchanged", requests, messages, results)
	}
}
