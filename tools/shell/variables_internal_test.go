package shell

import (
	"runtime"
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

// TestRestrictPath: on Windows the variable is usually called Path, and a line that reads
// must not lose it.
func TestRestrictPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		fold bool
		env  []string
		want []string
	}{
		{name: "Path on Windows", fold: true, env: []string{"Path=/usr/bin:/work/bin"}, want: []string{"PATH=/usr/bin"}},
		{name: "both on Windows", fold: true, env: []string{"PATH=/bin", "Path=/usr/bin:/work"}, want: []string{"PATH=/usr/bin"}},
		{name: "elsewhere it is another variable", env: []string{"Path=/x", "PATH=/usr/bin:/work/bin"}, want: []string{"Path=/x", "PATH=/usr/bin"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("the paths are those of Unix")
			}
			env := variables{pairs: tc.env, fold: tc.fold}
			restrictPath(&env, []string{"/work"})
			require.Equal(t, tc.want, env.pairs)
		})
	}
}
