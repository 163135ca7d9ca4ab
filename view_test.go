package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestFoldedLine(t *testing.T) {
	t.Parallel()
	of := func(kinds ...pegboard.CallKind) (views []pegboard.View) {
		for _, k := range kinds {
			views = append(views, pegboard.View{Kind: k, Before: "Read a.txt"})
		}
		return views
	}
	tests := []struct {
		name  string
		views []pegboard.View
		want  string
	}{
		{name: "none"},
		{name: "one", views: of(pegboard.KindRead), want: "Read a.txt"},
		{name: "two", views: of(pegboard.KindRead, pegboard.KindRead), want: "2 reads"},
		{name: "in the order of the first", views: of(pegboard.KindSearch, pegboard.KindRead, pegboard.KindSearch), want: "2 searches, 1 read"},
		{name: "all", views: of(0, 1, 2, 3, 4, 5, 6, 99), want: "2 calls, 1 search, 1 read, 1 listing, 1 edit, 1 command, 1 fetch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, pegboard.FoldedLine(tt.views...))
		})
	}
}

// TestViewIsPlainData: a host may store it in a transcript, and a page in a browser reads it.
func TestViewIsPlainData(t *testing.T) {
	t.Parallel()
	v := pegboard.View{
		Title: "Edit", Kind: pegboard.KindEdit, Before: "Edit a", While: "Editing a", After: "Added 1 line", SearchText: "a\nb",
		Diffs: []pegboard.Diff{{Path: "/a", New: true, Hunks: []pegboard.Hunk{{OldStart: 1, NewStart: 1, NewLines: 1, Lines: []string{"+x"}}}, Omitted: 2}},
	}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.JSONEq(t, `{"title":"Edit","kind":"edit","folds":false,"before":"Edit a","while":"Editing a","after":"Added 1 line",
		"diffs":[{"path":"/a","new":true,"hunks":[{"oldStart":1,"oldLines":0,"newStart":1,"newLines":1,"lines":["+x"]}],"omitted":2}],"searchText":"a\nb"}`, string(text))
	var back pegboard.View
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, v, back)
}

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
