package edit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	text := "1\n2\n3\n4\n5\n6\n7\n8\n9"
	number := func(n int, line string) string { return fmt.Sprintf("%d:%s", n, line) }
	tests := []struct {
		name   string
		text   string
		spans  []edit.Range
		around int
		want   string
	}{
		{name: "around one place", text: text, spans: []edit.Range{{First: 4, Last: 5}}, around: 1, want: "3:3\n4:4\n5:5\n6:6\n"},
		{name: "the beginning and the end", text: text, spans: []edit.Range{{First: 1, Last: 1}, {First: 9, Last: 9}}, around: 1, want: "1:1\n2:2\n...\n8:8\n9:9\n"},
		{name: "parts that touch", text: text, spans: []edit.Range{{First: 2, Last: 2}, {First: 5, Last: 5}}, around: 1, want: "1:1\n2:2\n3:3\n4:4\n5:5\n6:6\n"},
		{name: "parts that overlap", text: text, spans: []edit.Range{{First: 2, Last: 2}, {First: 3, Last: 3}}, around: 2, want: "1:1\n2:2\n3:3\n4:4\n5:5\n"},
		{name: "a place where lines were deleted", text: text, spans: []edit.Range{{First: 5, Last: 4}}, around: 2, want: "3:3\n4:4\n5:5\n6:6\n"},
		{name: "lines that are not there", text: text, spans: []edit.Range{{First: 20, Last: 30}}, around: 2, want: ""},
		{name: "an empty text", text: "", spans: []edit.Range{{First: 1, Last: 0}}, around: 5, want: ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, edit.Excerpt(test.text, test.spans, test.around, number))
		})
	}
	require.Equal(t, "2\n", edit.Excerpt("1\n2\n3\n", []edit.Range{{First: 2, Last: 2}}, 0, nil))
}
