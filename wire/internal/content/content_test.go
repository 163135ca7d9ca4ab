package content_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/content"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		part pegboard.Part
		want string
	}{
		{name: "nothing"},
		{name: "blank", part: pegboard.Part{Text: " \n", Title: "T"}},
		{name: "text", part: pegboard.Part{Text: " a"}, want: " a"},
		{name: "document", part: pegboard.Part{MIME: "text/plain", Text: "a", Title: "T"}, want: "Title: T\n\na"},
		{name: "document in bytes", part: pegboard.Part{MIME: "Text/Plain; charset=utf-8", Data: []byte("a")}, want: "a"},
		{name: "search result", part: pegboard.Part{Text: "a", Title: "T", Source: "S"}, want: "Title: T\nSource: S\n\na"},
		{name: "reference", part: pegboard.Part{Tool: "clock"}},
		{name: "broken text", part: pegboard.Part{MIME: "text/plain", Data: []byte("\xff")}, want: "(1 bytes of type text/plain were left out: only text can be shown. Ask for the content in another form.)"},
		{name: "bytes", part: pegboard.Part{MIME: "image/png", Data: []byte("png"), Text: "a"}, want: "(3 bytes of type image/png were left out: only text can be shown. Ask for the content in another form.)"},
		{name: "no bytes", part: pegboard.Part{MIME: "image/png"}, want: "(0 bytes of type image/png were left out: only text can be shown. Ask for the content in another form.)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, content.Text(tt.part, "text"))
		})
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"image/png": "image/png", "Image/JPG; q=1": "image/jpeg", "a b": "", "": "", "application/pdf": "application/pdf",
	} {
		kind := content.Kind(pegboard.Part{MIME: given, Data: []byte("x")})
		require.Equal(t, want, kind)
		require.Equal(t, strings.HasPrefix(want, "image/"), content.IsImage(kind))
		require.Empty(t, content.Kind(pegboard.Part{MIME: given}))
	}
	require.Equal(t, "data:image/png;base64,cG5n", content.DataURL("image/png", []byte("png")))
}

func TestFailure(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"no": "Error: no", "error: no": "error: no", "ERRORS": "ERRORS", " ": "Error: the call failed and said nothing about it.",
	} {
		require.Equal(t, want, content.Failure(given))
	}
}

// TestCut counts characters, not bytes.
func TestCut(t *testing.T) {
	t.Parallel()
	const most = 200
	for _, c := range []string{"x", "ä", "\xff", "😀"} {
		require.Equal(t, strings.Repeat(c, most), content.Cut(strings.Repeat(c, most), most))
		got := content.Cut(strings.Repeat(c, most+1), most)
		require.Equal(t, most, utf8.RuneCountInString(got))
		require.Contains(t, got, "no more than 200 characters")
	}
}
