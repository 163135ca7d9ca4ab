package files_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestDiffOf(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 99) + "\n"
	tests := []struct {
		name          string
		before, after []byte
		want          string
		isNew, failed bool
		omitted       int
	}{
		{name: "changed", before: []byte("a\nb\n"), after: []byte("a\nc\n"), want: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{name: "equal", before: []byte("a"), after: []byte("a")},
		{name: "only line ends", before: []byte("a\r\n"), after: []byte("a\n")},
		{name: "new", after: []byte("a\n"), want: "@@ -0,0 +1 @@\n+a\n", isNew: true},
		{name: "new and empty", after: []byte{}, isNew: true},
		{name: "from empty", before: []byte{}, after: []byte("a\n"), want: "@@ -0,0 +1 @@\n+a\n"},
		{name: "to empty", before: []byte("a\n"), after: nil, want: "@@ -1 +0,0 @@\n-a\n"},
		{name: "from what is no text", before: []byte("a\x00"), after: []byte("a"), failed: true},
		{name: "to what is no text", before: []byte("a"), after: []byte("a\x00"), failed: true},
		{
			name: "new and long, without an end", after: []byte(strings.Repeat(line, 20_000) + "y"), isNew: true, omitted: 20_001 - files.MaxDiff/101,
			want: "@@ -0,0 +1,10381 @@\n" + strings.Repeat("+"+line, 10_381),
		},
		{
			name: "replaced by much", before: []byte("a\n"), after: []byte(strings.Repeat(line, 20_000)), omitted: 20_000 - (files.MaxDiff-3)/101,
			want: "@@ -1 +1,10381 @@\n-a\n" + strings.Repeat("+"+line, 10_381),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := files.DiffOf("/f", tt.before, tt.after)
			require.Equal(t, tt.failed, err != nil, "%v", err)
			require.NotNil(t, d.Hunks)
			same := tt.want == d.Unified()
			require.True(t, same, "%.200s", d.Unified()) // the whole is long
			d.Hunks = nil
			require.Equal(t, pegboard.Diff{Path: "/f", New: tt.isNew, Omitted: tt.omitted}, d)
		})
	}
}
