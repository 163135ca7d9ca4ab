package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCopiesNamesAndFollowsLinks: whose names come up elsewhere, and which trees are written through links.
func TestCopiesNamesAndFollowsLinks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		want []string // with a slash at the end of a tree
	}{
		{line: "cp a b", want: []string{"a"}},
		{line: "cp x/* b", want: []string{"x/*"}},
		{line: "cp -r a b", want: []string{"b/", "b/a/", "a/"}},
		{line: "cp -r a b c", want: []string{"c/a/", "c/b/", "a/", "b/"}},
		{line: "cp -rT a .", want: []string{"./", "a/"}},
		{line: "cp --parents a/b c", want: []string{"c/", "a/b"}},
		{line: "ln a/* .", want: []string{"a/*"}},
		{line: "install a/* .", want: []string{"a/*"}},
		{line: "mv a b"},
		{line: "rm -r a"},
		{line: "touch a"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			args := argsOf(tt.line)
			var got []string
			for _, f := range effectOf(args[0].value, args[1:]).files {
				if (f.copiesNames || f.followsLinks) && f.tree {
					got = append(got, f.value+"/")
				} else if f.copiesNames || f.followsLinks {
					got = append(got, f.value)
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}
