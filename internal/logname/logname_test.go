package logname_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/logname"
)

func TestOf(t *testing.T) {
	t.Parallel()
	const k4nary = "sha256:65a808d554da4333d7cda660e8c3944c" // of "k4nary", by sha256sum
	require.Equal(t, k4nary, logname.Digest("k4nary"))
	tests := []struct {
		name, text string
		kept       bool
	}{
		{name: "nothing", text: "", kept: true},
		{name: "an id", text: "toolu_01A-b.c:d/e", kept: true},
		{name: "letters of any language", text: "Größe", kept: true},
		{name: "128 bytes", text: strings.Repeat("a", 128), kept: true},
		{name: "129 bytes", text: strings.Repeat("a", 129)},
		{name: "a blank", text: "a b"},
		{name: "a line end", text: "a\n"},
		{name: "a mark of direction", text: "a\u202eb"},
		{name: "invalid UTF-8", text: "a\xff"},
		{name: "HTML", text: "<b>"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := tc.text
			if !tc.kept {
				want = logname.Digest(tc.text)
			}
			require.Equal(t, want, logname.Of(tc.text))
		})
	}
}
