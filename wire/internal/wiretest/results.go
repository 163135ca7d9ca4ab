package wiretest

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A resultsRow is a message of the model, all of whose calls are of the tool clock, and what
// became of them.
type resultsRow struct {
	name     string
	calls    []string // ids
	outcomes []pegboard.Outcome
	more     []pegboard.Part
}

func resultsRows() []resultsRow {
	png := pegboard.Part{MIME: "image/png", Data: []byte("png")}
	rows := []resultsRow{
		{name: "order of the calls", calls: []string{"a", "b"}, outcomes: []pegboard.Outcome{Outcome("b", Text("2")), Outcome("a", Text("1"))}},
		{name: "duplicates", calls: []string{"a", "a"}, outcomes: []pegboard.Outcome{
			Failed(Outcome("a", Text("second")), &pegboard.CallError{Err: pegboard.ErrDuplicate}), Outcome("a", Text("first")), Outcome("a", Text("third"))}},
		{name: "outcomes of other calls", calls: []string{"a"}, outcomes: []pegboard.Outcome{Outcome("z"), Outcome(""), {}, Outcome("a", Text("1"))}},
		{name: "no outcome", calls: []string{"a"}},
		{name: "more", calls: []string{"a"}, outcomes: []pegboard.Outcome{Outcome("a", Text("1"))}, more: []pegboard.Part{Text("go"), Text(""), Text("on"), png}},
		{name: "only more", more: []pegboard.Part{Text("go on")}},
		{name: "failure", calls: []string{"a"}, outcomes: []pegboard.Outcome{Failed(Outcome("a", Text("no")), nil)}},
		{name: "failure without words", calls: []string{"a"}, outcomes: []pegboard.Outcome{Failed(Outcome("a"), nil)}},
		{name: "failure with an image", calls: []string{"a"}, outcomes: []pegboard.Outcome{Failed(Outcome("a", Text("no"), png), nil)}},
	}
	for name, parts := range map[string][]pegboard.Part{
		"nothing":           nil,
		"text":              {Text("<12> & more"), Text(" "), Text("o'clock")},
		"not UTF-8":         {Text("\xff")},
		"images":            {Text("see"), png, {MIME: "Image/JPG; q=1", Data: []byte("jpg")}},
		"file":              {{MIME: "application/pdf", Data: []byte("pdf"), Title: "The plan"}},
		"other bytes":       {{MIME: "application/zip", Data: make([]byte, 1234)}, {MIME: "image/png"}, {MIME: "a b", Data: []byte("x")}},
		"documents":         {{MIME: "text/plain", Title: "T", Text: "x"}, {MIME: "text/csv; charset=utf-8", Data: []byte("1,2")}},
		"search result":     {{Title: "Page", Source: "https://a", Text: "words"}},
		"tool that is gone": {{Tool: "x"}},
	} {
		rows = append(rows, resultsRow{name: name, calls: []string{"a"}, outcomes: []pegboard.Outcome{Outcome("a", parts...)}})
	}
	return rows
}

// RunResults answers messages. Want has the messages that Results returns for each of the rows
// above.
func RunResults(t *testing.T, w Wire, want map[string][]string) {
	t.Helper()
	t.Parallel()
	for _, row := range resultsRows() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			for _, id := range row.calls {
				calls = append(calls, w.Call(id, "clock", "{}"))
			}
			_, m, err := Read(w.Zero, strings.NewReader(w.Reply(calls...)))
			require.NoError(t, err)
			got := w.Zero.Results(m, row.outcomes, row.more...)
			require.Contains(t, want, row.name)
			require.Equal(t, want[row.name], Strings(got))
			w.RequireTurn(t, m, got)
			byHand := &wire.Message{Calls: m.Calls}
			require.Equal(t, got, w.Zero.Results(byHand, row.outcomes, row.more...), "the calls alone")
		})
	}
	t.Run("a call without an id", func(t *testing.T) {
		t.Parallel()
		got := w.Zero.Results(&wire.Message{Calls: []pegboard.Call{{Name: "clock"}}}, nil)
		require.Equal(t, w.NoIDs, got != nil)
	})
	t.Run("of an executor", func(t *testing.T) {
		t.Parallel()
		p := Pool(t, Plain(t, "clock", "", AnyObject))
		codec := w.New(p)
		clock := w.Call("a", "clock", "{}")
		_, m, err := Read(codec, strings.NewReader(w.Reply(clock, clock, w.Call("b", "unknown", "{}"), w.Call("c", "clock", w.BadInput))))
		require.NoError(t, err)
		var e pegboard.Executor
		outcomes := e.Run(t.Context(), p, m.Calls...)
		require.Len(t, outcomes, 4)
		require.NoError(t, outcomes[0].Err)
		require.ErrorIs(t, outcomes[1].Err, pegboard.ErrDuplicate)
		require.ErrorIs(t, outcomes[2].Err, pegboard.ErrUnknownTool)
		require.ErrorIs(t, outcomes[3].Err, pegboard.ErrInvalidInput)
		answer := codec.Results(m, outcomes)
		w.RequireTurn(t, m, answer)
		var s Trimmer
		codec.Trim(t.Context(), append(m.History, answer...), &s)
		require.Len(t, s.Shown, 3)
	})
	t.Run("of random replies", func(t *testing.T) {
		t.Parallel()
		for seed := range effort.Of(t, uint64(2000)) {
			random := rand.New(rand.NewPCG(2, seed))
			_, m, err := Read(w.Zero, strings.NewReader(w.RandomReply(random)))
			if err != nil {
				require.True(t, errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrMalformed), "seed %d: %v", seed, err)
			}
			w.RequireTurn(t, m, w.Zero.Results(m, randomOutcomes(random, m.Calls), randomParts(random)...))
		}
	})
}

func randomOutcomes(random *rand.Rand, calls []pegboard.Call) (outcomes []pegboard.Outcome) {
	ids := []string{"", "other"}
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	for range random.IntN(8) {
		o := Outcome(ids[random.IntN(len(ids))], randomParts(random)...)
		switch random.IntN(4) {
		case 0:
			o = Failed(o, &pegboard.CallError{Err: pegboard.ErrDuplicate})
		case 1:
			o = Failed(o, errors.New("no"))
		}
		o.Result.Messages = randomParts(random)
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func randomParts(random *rand.Rand) (parts []pegboard.Part) {
	all := []pegboard.Part{
		Text(""), Text(" "), Text("a"), {MIME: "image/png", Data: []byte("png")}, {MIME: "text/x"}, {MIME: "x/y", Data: []byte("z")}, {Tool: "clock"},
		{Source: "s", Text: "t"}, {Source: "s"}, {MIME: "text/plain", Text: "a", Title: "b"}, {MIME: "application/pdf", Data: []byte("pdf")},
	}
	for range random.IntN(3) {
		parts = append(parts, all[random.IntN(len(all))])
	}
	return parts
}
