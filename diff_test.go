package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		hunks          []pegboard.Hunk
		added, removed int
		want           string
	}{
		{name: "none"},
		{
			name: "changed", added: 1, removed: 1, want: "@@ -4,3 +4,3 @@\n 4\n-5\n+x\n 6\n",
			hunks: []pegboard.Hunk{{OldStart: 4, OldLines: 3, NewStart: 4, NewLines: 3, Lines: []string{" 4", "-5", "+x", " 6"}}},
		},
		{
			name: "new, without an end", added: 2, want: "@@ -0,0 +1,2 @@\n++a\n+\n\\ No newline at end of file\n",
			hunks: []pegboard.Hunk{{OldStart: 1, NewStart: 1, NewLines: 2, Lines: []string{"++a", "+", `\ No newline at end of file`}}},
		},
		{
			name: "two", removed: 2, want: "@@ -1 +0,0 @@\n--\n@@ -9 +7,0 @@\n-b\n",
			hunks: []pegboard.Hunk{
				{OldStart: 1, OldLines: 1, NewStart: 1, Lines: []string{"--"}},
				{OldStart: 9, OldLines: 1, NewStart: 8, Lines: []string{"-b"}},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := pegboard.Diff{Path: "/f", Hunks: tt.hunks}
			require.Equal(t, tt.want, d.Unified())
			added, removed := d.Counts()
			require.Equal(t, []int{tt.added, tt.removed}, []int{added, removed})
			text, err := json.Marshal(d)
			require.NoError(t, err)
			var back pegboard.Diff
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, d, back)
		})
	}
}
