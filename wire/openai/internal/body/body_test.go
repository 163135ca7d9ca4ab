package body_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

func TestNext(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	tests := []struct {
		name string
		body io.Reader
		want []body.Piece // until the error
		err  []error
	}{
		{name: "nothing", body: strings.NewReader(""), err: []error{body.ErrTruncated}},
		{name: "stream", body: strings.NewReader("event: a\ndata: {1}\n\ndata: 2"),
			want: []body.Piece{{Type: "a", Data: []byte("{1}")}, {Data: []byte("2"), Unended: true}}, err: []error{body.ErrTruncated}},
		{name: "whole", body: strings.NewReader("\ufeff \n{ \"a\":1 }\nmore"),
			want: []body.Piece{{Whole: true, Data: []byte(`{ "a":1 }`)}}},
		{name: "no UTF-8", body: strings.NewReader("data: {\"a\xff\xfe\"}\n\ndata: \xc3\xa9"),
			want: []body.Piece{{Data: []byte("{\"a\ufffd\"}")}, {Data: []byte("é"), Unended: true}}, err: []error{body.ErrTruncated}},
		{name: "whole, no UTF-8", body: strings.NewReader("{\"a\":\"\xff\"}"), want: []body.Piece{{Whole: true, Data: []byte("{\"a\":\"\ufffd\"}")}}},
		{name: "no JSON", body: strings.NewReader("{a"), err: []error{body.ErrMalformed}},
		{name: "cut", body: strings.NewReader(`{"a"`), err: []error{body.ErrTruncated, io.ErrUnexpectedEOF}},
		{name: "broken", body: io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(broken)),
			want: []body.Piece{{Data: []byte("1")}}, err: []error{body.ErrTruncated, broken}},
		{name: "broken at once", body: iotest.ErrReader(broken), err: []error{body.ErrTruncated, broken}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := body.NewReader(tt.body)
			for _, want := range tt.want {
				got, err := r.Next()
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for _, target := range tt.err {
				_, err := r.Next()
				require.ErrorIs(t, err, target)
			}
		})
	}
}
