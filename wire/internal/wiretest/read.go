package wiretest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// RunRead reads replies as they arrive, in pieces, cut and too long. Bodies are more replies
// with calls than those of w.Reply and w.Streams.
func RunRead(t *testing.T, w Wire, bodies ...string) {
	t.Helper()
	t.Parallel()
	bodies = append(bodies, w.Reply(w.Call("a", "clock", `{"a":1}`)))
	for i, s := range w.Streams {
		bodies = append(bodies, strings.Join(s.Calls, ""))
		t.Run(fmt.Sprintf("calls are there at once, stream %d", i), func(t *testing.T) {
			t.Parallel()
			requireCallsAtOnce(t, w, s)
		})
		t.Run(fmt.Sprintf("the error of the body, stream %d", i), func(t *testing.T) {
			t.Parallel()
			broken := errors.New("connection reset")
			for _, body := range []string{"", s.Open[:len(s.Open)/2], s.Open + s.Say("half"), w.Reply()[:len(w.Reply())/2]} {
				_, m, err := Read(w.Zero, io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)))
				require.ErrorIs(t, err, wire.ErrTruncated)
				require.ErrorIs(t, err, broken)
				require.Equal(t, strings.Contains(body, "half"), m.Text == "half")
				require.Equal(t, pegboard.FinishError, m.Finish)
			}
		})
		t.Run(fmt.Sprintf("no end, stream %d", i), func(t *testing.T) {
			t.Parallel()
			_, _, err := Read(w.Zero, io.MultiReader(strings.NewReader(s.Open), &repeated{text: s.Say(strings.Repeat("x", 1<<20))}))
			require.ErrorIs(t, err, wire.ErrMalformed)
		})
	}
	t.Run("no reply", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{"", " \r\n\n", "<html>\n<body>Bad gateway</body>\n"} {
			_, _, err := Read(w.Zero, strings.NewReader(body))
			require.ErrorIs(t, err, wire.ErrTruncated)
		}
		_, _, err := Read(w.Zero, strings.NewReader(`{"type":7,"choices":7,"object":7,"candidates":7}`))
		require.ErrorIs(t, err, wire.ErrMalformed)
	})
	t.Run("a line without an end", func(t *testing.T) {
		t.Parallel()
		_, _, err := Read(w.Zero, strings.NewReader("data: "+strings.Repeat("x", 17<<20)))
		require.ErrorIs(t, err, wire.ErrMalformed)
	})
	t.Run("a whole reply without an end", func(t *testing.T) {
		t.Parallel()
		_, _, err := Read(w.Zero, io.MultiReader(strings.NewReader(`{"x":"`), &repeated{text: strings.Repeat("x", 1<<20)}))
		require.ErrorIs(t, err, wire.ErrMalformed)
	})
	t.Run("the input of an event is a copy", func(t *testing.T) {
		t.Parallel()
		for _, body := range bodies {
			requireCopies(t, w, body)
		}
	})
	t.Run("in pieces", func(t *testing.T) {
		t.Parallel()
		for _, body := range bodies {
			_, _ = RequireSameInPieces(t, w, body, len(body))
		}
	})
}

// requireCallsAtOnce reads no further than the end of a call, and not beyond the reply.
func requireCallsAtOnce(t *testing.T, w Wire, s Stream) {
	t.Helper()
	src := &gated{t: t}
	reply := w.Zero.Read(src)
	var got []string
	for i, part := range s.Calls {
		src.left, src.over = part, s.EndsWithBody && i == len(s.Calls)-1
		for e := range reply.Events() {
			if e.Call != nil {
				got = append(got, e.Call.ID)
				break
			}
		}
	}
	require.Equal(t, []string{"a", "b", "c"}[:len(s.Calls)], got)
	m, err := reply.Message()
	require.NoError(t, err)
	require.Len(t, m.Calls, len(s.Calls))
}

// gated hands out what it has been given, and fails if more is wanted before it is over.
type gated struct {
	t    *testing.T
	left string
	over bool
}

func (g *gated) Read(b []byte) (int, error) {
	if g.left == "" && g.over {
		return 0, io.EOF
	}
	if g.left == "" {
		g.t.Fatal("read too far")
	}
	n := copy(b, g.left)
	g.left = g.left[n:]
	return n, nil
}

// repeated is an endless repetition of a text.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// requireCopies makes sure that what is done to the inputs of events and calls reaches nothing else.
func requireCopies(t *testing.T, w Wire, body string) {
	t.Helper()
	_, want, err := Read(w.Zero, strings.NewReader(body))
	require.NoError(t, err)
	reply := w.Zero.Read(strings.NewReader(body))
	for e := range reply.Events() {
		if e.Call != nil {
			clear(e.Call.Input)
		}
	}
	m, err := reply.Message()
	require.NoError(t, err)
	require.NotEmpty(t, m.Calls)
	require.Equal(t, Written(want.Calls), Written(m.Calls))
	for _, c := range m.Calls {
		clear(c.Input)
	}
	require.Equal(t, Strings(want.History), Strings(m.History))
}

// RequireSameInPieces reads a body as it may arrive: by the byte, with other line ends, and
// split in two at some places. It returns what comes of it.
func RequireSameInPieces(t testing.TB, w Wire, body string, splits int) (m *wire.Message, err error) {
	t.Helper()
	events, m, err := Read(w.Zero, strings.NewReader(body))
	all := []io.Reader{
		iotest.OneByteReader(strings.NewReader(body)), iotest.HalfReader(strings.NewReader(body)),
		iotest.DataErrReader(strings.NewReader(body)), strings.NewReader("\ufeff" + body),
	}
	if !isWhole(body) {
		crlf := strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n")
		all = append(all, strings.NewReader(crlf), iotest.OneByteReader(strings.NewReader("\ufeff: comment\r\n"+crlf)))
	}
	for i := range min(splits, len(body)) {
		at := i * len(body) / min(splits, len(body))
		all = append(all, io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
	}
	for i, pieces := range all {
		again, n, errAgain := Read(w.Zero, pieces)
		require.Equal(t, events, again, "reader %d", i)
		require.Equal(t, m, n, "reader %d", i)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain), "reader %d", i)
	}
	return m, err
}

// isWhole reports whether a body is JSON, and no stream of events.
func isWhole(body string) bool {
	start := strings.TrimLeft(body, "\ufeff \t\r\n")
	return strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")
}

// FuzzRead reads anything at all. However the bytes arrive, the reply is the same, and what
// comes of it could be sent.
func FuzzRead(f *testing.F, w Wire, seeds ...string) {
	f.Helper()
	for i, body := range append(seeds, w.Reply(w.Call("a", "clock", "{}"))) {
		f.Add(body, []byte{byte(i), 1, 200})
	}
	f.Fuzz(func(t *testing.T, body string, sizes []byte) {
		events, m, err := Read(w.Zero, strings.NewReader(body))
		var pieces []io.Reader
		rest := body
		for _, size := range sizes {
			n := min(int(size), len(rest))
			pieces = append(pieces, strings.NewReader(rest[:n]))
			rest = rest[n:]
		}
		for _, pieces := range []io.Reader{io.MultiReader(append(pieces, strings.NewReader(rest))...), iotest.OneByteReader(strings.NewReader(body))} {
			again, n, errAgain := Read(w.Zero, pieces)
			require.Equal(t, events, again)
			require.Equal(t, m, n)
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain))
		}
		w.RequireTurn(t, m, w.Zero.Results(m, nil))
	})
}

// An EventsCase is a reply and its events.
type EventsCase struct {
	Name       string
	Body       string
	Want       []string
	Incomplete int // calls
	Err        error
}

// RunEvents reads replies and compares their events.
func RunEvents(t *testing.T, w Wire, tests []EventsCase) {
	t.Helper()
	t.Parallel()
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			events, m, err := Read(w.Zero, strings.NewReader(tt.Body))
			require.ErrorIs(t, err, tt.Err)
			require.Equal(t, tt.Want, events)
			require.Len(t, m.Incomplete, tt.Incomplete)
			w.RequireTurn(t, m, w.Zero.Results(m, nil))
			_, _ = RequireSameInPieces(t, w, tt.Body, 0)
		})
	}
}

// A RefusedCase is an answer of the API that is an error.
type RefusedCase struct {
	Name string
	Body string
	Want wire.APIError
	Text string // of the error
}

// RunRefused reads errors of the API.
func RunRefused(t *testing.T, w Wire, tests []RefusedCase) {
	t.Helper()
	t.Parallel()
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			_, m, err := Read(w.Zero, strings.NewReader(tt.Body))
			var got *wire.APIError
			require.ErrorAs(t, err, &got)
			require.Equal(t, tt.Want, *got)
			require.EqualError(t, err, tt.Text)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
}

// A BrokenCase is a reply with a call that says how it ended and is not whole.
type BrokenCase struct {
	Name string
	Body string
	Err  error // nil: an error of the API
}

// RunFinish reads replies that end for each reason; "" is none. Nothing that writes may run on a
// broken one.
func RunFinish(t *testing.T, w Wire, reply func(reason string) string, want map[string]pegboard.FinishReason, broken ...BrokenCase) {
	t.Helper()
	t.Parallel()
	for reason, finish := range want {
		_, m, err := Read(w.Zero, strings.NewReader(reply(reason)))
		require.True(t, err == nil || reason == "", "%s: %v", reason, err)
		require.Equal(t, finish, m.Finish, reason)
	}
	for _, tt := range broken {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			_, m, err := Read(w.Zero, strings.NewReader(tt.Body))
			if tt.Err == nil {
				var refused *wire.APIError
				require.ErrorAs(t, err, &refused)
			} else {
				require.ErrorIs(t, err, tt.Err)
			}
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
}
