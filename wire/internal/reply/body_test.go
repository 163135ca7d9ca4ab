package reply_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

func TestBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	tests := []struct {
		name string
		body io.Reader
		want []reply.Piece // until the error
		err  []error
	}{
		{name: "nothing", body: strings.NewReader(""), err: []error{io.EOF}},
		{name: "stream", body: strings.NewReader("event: a\ndata: {1}\n\ndata: 2"),
			want: []reply.Piece{{Type: "a", Data: []byte("{1}")}, {Data: []byte("2"), Unended: true}}, err: []error{io.EOF}},
		{name: "whole", body: strings.NewReader("\ufeff \n{ \"a\":1 }\nmore"),
			want: []reply.Piece{{Whole: true, Data: []byte(`{ "a":1 }`)}}},
		{name: "no UTF-8", body: strings.NewReader("data: {\"a\xff\xfe\"}\n\ndata: \xc3\xa9"),
			want: []reply.Piece{{Data: []byte("{\"a\ufffd\"}")}, {Data: []byte("é"), Unended: true}}, err: []error{io.EOF}},
		{name: "whole, no UTF-8", body: strings.NewReader("{\"a\":\"\xff\"}"), want: []reply.Piece{{Whole: true, Data: []byte("{\"a\":\"\ufffd\"}")}}},
		{name: "no JSON", body: strings.NewReader("{a"), err: []error{wire.ErrMalformed}},
		{name: "cut", body: strings.NewReader(`{"a"`), err: []error{wire.ErrTruncated, io.ErrUnexpectedEOF}},
		{name: "broken", body: io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(broken)),
			want: []reply.Piece{{Data: []byte("1")}}, err: []error{wire.ErrTruncated, broken}},
		{name: "broken at once", body: iotest.ErrReader(broken), err: []error{wire.ErrTruncated, broken}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := reply.NewBody(tt.body)
			for _, want := range tt.want {
				got, err := r.Next()
				require.NoError(t, err)
				got.Data = got.Text()
				require.Equal(t, want, got)
			}
			for _, target := range tt.err {
				_, err := r.Next()
				require.ErrorIs(t, err, target)
			}
		})
	}
}
