package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariables: on Windows PATH and Path are one variable, elsewhere they are two.
func TestVariables(t *testing.T) {
	t.Parallel()
	pairs := []string{"Path=one", "=C:=C:\\dir", "a=1", "a=2", "empty=", "broken"}
	for _, tc := range []struct {
		name string
		fold bool
		edit func(v *variables)
		get  string
		want string
		ok   bool
		left []string // all pairs, if set
	}{
		{name: "another spelling", get: "PATH"},
		{name: "another spelling on Windows", fold: true, get: "PATH", want: "one", ok: true},
		{name: "the last counts", get: "a", want: "2", ok: true},
		{name: "empty", get: "empty", ok: true},
		{name: "no value", get: "broken", ok: true},
		{name: "the directory of a drive", get: "=C:", want: "C:\\dir", ok: true},
		{
			name: "set", edit: func(v *variables) { v.set("PATH", "two") }, get: "PATH", want: "two", ok: true,
			left: []string{"Path=one", "=C:=C:\\dir", "a=1", "a=2", "empty=", "broken", "PATH=two"},
		},
		{
			name: "set on Windows", fold: true, edit: func(v *variables) { v.set("PATH", "two") }, get: "path", want: "two", ok: true,
			left: []string{"=C:=C:\\dir", "a=1", "a=2", "empty=", "broken", "PATH=two"},
		},
		{
			name: "set all", edit: func(v *variables) { v.setAll([]string{"a=3", "b=4=5"}) }, get: "b", want: "4=5", ok: true,
			left: []string{"Path=one", "=C:=C:\\dir", "empty=", "broken", "a=3", "b=4=5"},
		},
		{
			name: "set what is missing", fold: true, edit: func(v *variables) { v.setMissing([]string{"A=3", "b=4"}) }, get: "a", want: "2", ok: true,
			left: append(pairs[:len(pairs):len(pairs)], "b=4"),
		},
		{
			name: "remove", edit: func(v *variables) { v.remove(func(n string) bool { return n == "PATH" || n == "a" }) }, get: "a",
			left: []string{"Path=one", "=C:=C:\\dir", "empty=", "broken"},
		},
		{
			name: "remove on Windows", fold: true, edit: func(v *variables) { v.remove(func(n string) bool { return n == "PATH" || n == "=C:" }) }, get: "Path",
			left: []string{"a=1", "a=2", "empty=", "broken"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := variables{pairs: pairs, fold: tc.fold}
			if tc.edit != nil {
				tc.edit(&v)
			}
			got, ok := v.get(tc.get)
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.ok, ok)
			if tc.left != nil {
				require.Equal(t, tc.left, v.pairs)
			}
			require.Equal(t, []string{"Path=one", "=C:=C:\\dir", "a=1", "a=2", "empty=", "broken"}, pairs, "the given list is not changed")
		})
	}
}
