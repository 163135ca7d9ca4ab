package sse_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// event is an Event that may be kept and compared.
type event struct {
	Type, Data string
	Unended    bool
}

func readAll(src io.Reader) (events []event, err error) {
	reader := sse.NewReader(src)
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, event{e.Type, string(e.Data), e.Unended})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream string
		want   []event
	}{
		{name: "empty", stream: ""},
		{name: "one event", stream: "event: a\ndata: x\n\n", want: []event{{Type: "a", Data: "x"}}},
		{name: "two events", stream: "data: x\n\ndata: y\n\n", want: []event{{Data: "x"}, {Data: "y"}}},
		{name: "CRLF", stream: "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", want: []event{{Type: "a", Data: "x"}, {Data: "y"}}},
		{name: "CR", stream: "data: x\r\rdata: y\r\r", want: []event{{Data: "x"}, {Data: "y"}}},
		{name: "mixed line ends", stream: "data: x\r\n\ndata: y\n\r\ndata: z\r\n\r", want: []event{{Data: "x"}, {Data: "y"}, {Data: "z"}}},
		{name: "data on several lines", stream: "data: x\ndata:\ndata: y\n\n", want: []event{{Data: "x\n\ny"}}},
		{name: "one blank is cut", stream: "data:  x \n\n", want: []event{{Data: " x "}}},
		{name: "no blank", stream: "event:a\ndata:x:y\n\n", want: []event{{Type: "a", Data: "x:y"}}},
		{name: "field without colon", stream: "data\ndata\n\n", want: []event{{Data: "\n"}}},
		{name: "empty data is an event", stream: "data:\n\n", want: []event{{Data: ""}}},
		{name: "event without data is none", stream: "event: a\n\ndata: x\n\n", want: []event{{Data: "x"}}},
		{name: "last type counts", stream: "event: a\nevent: b\ndata: x\n\n", want: []event{{Type: "b", Data: "x"}}},
		{name: "comments", stream: ": hello\n\n:\ndata: x\n: y\n\n", want: []event{{Data: "x"}}},
		{name: "other fields", stream: "id: 1\nretry: 2\nDATA: no\n data: no\nelse\ndata: x\n\n", want: []event{{Data: "x"}}},
		{name: "byte order mark", stream: "\ufeffdata: x\n\n", want: []event{{Data: "x"}}},
		{name: "byte order mark and nothing", stream: "\ufeff"},
		{name: "only the first mark is cut", stream: "data: x\n\n\ufeffdata: y\n\n", want: []event{{Data: "x"}}},
		{name: "blank lines", stream: "\n\n\ndata: x\n\n\n\n", want: []event{{Data: "x"}}},
		{name: "bytes pass as they are", stream: "data: \x00\xff\n\n", want: []event{{Data: "\x00\xff"}}},
		{name: "ends within a line", stream: "event: a\ndata: x", want: []event{{Type: "a", Data: "x", Unended: true}}},
		{name: "ends before the blank line", stream: "data: x\n", want: []event{{Data: "x", Unended: true}}},
		{name: "ends in CR", stream: "data: x\r\n\r", want: []event{{Data: "x"}}},
		{name: "ends within a field's name", stream: "data: x\n\ndat", want: []event{{Data: "x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(strings.NewReader(tt.stream))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)

			got, err = readAll(iotest.OneByteReader(strings.NewReader(tt.stream)))
			require.NoError(t, err)
			require.Equal(t, tt.want, got, "one byte at a time")
		})
	}
}

// TestNextDoesNotReadAhead makes sure that an event is not held back until more
// of the stream arrives.
func TestNextDoesNotReadAhead(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", "\r"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, "data: x"+end+end) }()
		e, err := sse.NewReader(r).Next()
		require.NoError(t, err)
		require.Equal(t, "x", string(e.Data))
		require.NoError(t, r.Close())
	}
}

func TestNextLimits(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", sse.MaxSize-len("data: "))
	tests := []struct {
		name   string
		stream io.Reader
		want   error
	}{
		{name: "longest line", stream: strings.NewReader("data: " + longest + "\n\n")},
		{name: "line too long", stream: strings.NewReader("data: " + longest + "x\n\n"), want: sse.ErrTooLong},
		{name: "comment too long", stream: strings.NewReader(": " + longest + "xxxxx\n\n"), want: sse.ErrTooLong},
		{name: "endless line", stream: endless("x"), want: sse.ErrTooLong},
		{name: "endless event", stream: endless("data: " + strings.Repeat("x", 1000) + "\n"), want: sse.ErrTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(tt.stream)
			require.ErrorIs(t, err, tt.want)
		})
	}
}

// endless repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func TestNextReturnsTheErrorOfTheSource(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	reader := sse.NewReader(io.MultiReader(strings.NewReader("data: x\n\ndata: y\n"), iotest.ErrReader(broken)))
	e, err := reader.Next()
	require.NoError(t, err)
	require.Equal(t, "x", string(e.Data))
	for range 2 {
		_, err = reader.Next()
		require.ErrorIs(t, err, broken)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: x\r\ndata: y\r\n\r\n: z\n\ndata: w\rdata"))
	f.Add([]byte("\ufeffdata\n\n\r\n\r\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := readAll(strings.NewReader(string(stream)))
		require.NoError(t, err)
		byByte, err := readAll(iotest.OneByteReader(strings.NewReader(string(stream))))
		require.NoError(t, err)
		require.Equal(t, whole, byByte)
		for i, e := range whole {
			require.False(t, e.Unended && i < len(whole)-1)
			require.NotContains(t, e.Data, "\r")
		}
	})
}
