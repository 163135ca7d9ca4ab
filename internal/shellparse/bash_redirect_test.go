package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func TestRedirections(t *testing.T) {
	t.Parallel()
	read := func(name string) shellparse.Path { return shellparse.Path{Name: name} }
	write := func(name string) shellparse.Path { return shellparse.Path{Name: name, Write: true} }
	tests := map[string]struct {
		line string
		want []shellparse.Path
	}{
		"out":          {"pwd > a", []shellparse.Path{write("/proj/a")}},
		"add":          {"pwd >> a", []shellparse.Path{write("/proj/a")}},
		"force":        {"pwd >| a", []shellparse.Path{write("/proj/a")}},
		"both":         {"pwd &> a", []shellparse.Path{write("/proj/a")}},
		"add both":     {"pwd &>> a", []shellparse.Path{write("/proj/a")}},
		"number":       {"pwd 5>a", []shellparse.Path{write("/proj/a")}},
		"in":           {"pwd < a", []shellparse.Path{read("/proj/a")}},
		"in and out":   {"pwd <> a", []shellparse.Path{write("/proj/a")}},
		"absolute":     {"pwd > /x/../a", []shellparse.Path{write("/x/../a")}},
		"dots stay":    {"pwd > src/../a", []shellparse.Path{write("/proj/src/../a")}},
		"quoted":       {`pwd > "a b"'c'`, []shellparse.Path{write("/proj/a bc")}},
		"escaped":      {`pwd > $'a\x62'`, []shellparse.Path{write("/proj/ab")}},
		"alone":        {"> a", []shellparse.Path{write("/proj/a")}},
		"compound":     {"for i in a; do pwd; done > a", []shellparse.Path{write("/proj/a")}},
		"subshell":     {"(pwd) > a", []shellparse.Path{write("/proj/a")}},
		"not":          {"! pwd > a", []shellparse.Path{write("/proj/a")}},
		"substitution": {"echo $(< a)", []shellparse.Path{read("/proj/a")}},
		"descriptors":  {"pwd 2>&1 >&2 <&0 2>&- 3<&-", nil},
		"null":         {"pwd > /dev/null 2> /dev/null < /dev/null", nil},
		"streams":      {"pwd > /dev/stdout 2> /dev/stderr < /dev/stdin", nil},
		"no files":     {"pwd << E <<< a\nx > y\nE", nil},
		"to a command": {"pwd > >(pwd)", nil},
		"condition":    {"[[ -f a && b -nt c ]]", []shellparse.Path{read("/proj/a"), read("/proj/b"), read("/proj/c")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Empty(t, l.Unknown)
			require.Equal(t, tt.want, l.Paths)
		})
	}
	t.Run("copied to a file", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []shellparse.Path{write("/proj/a")}, parse("pwd >& a").Paths)
	})
}

// A command is fed if the line says what its standard input is.
func TestReadsInput(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"x": false, "x > f": false, "x < /dev/null": false, "x 2>&1": false, "x <&-": false, "x | cat": false, "cat f; x": false, "cat <<< $(x)": false, "cat <(x)": false, "exec 2> f; x": false,
		"x <<E\nE": true, "x <<-E\nE": true, "x <<< a": true, "x < f": true, "x 0< f": true, "x <> f": true, "x <&3": true, "cat f | x": true, "cat f |& x": true, "cat f | timeout 5 x": true, "a | { x; }": true,
		"(x) < f": true, "{ cat; x; } <<< a": true, "while read a; do x; done < f": true, "if cat; then x; fi <<< a": true, "for i in a; do x; done <<< a": true, "cat $(x) < f": true, "f() { x; }": true,
		"exec < f; x": true, "exec 0<<E\na\nE\nx": true, "{ command exec < f; }; x": true, "'exec' < f; x": true, "cat f > >(x)": true, "cat f | tee >(x)": true, "x < f | cat": true, "cat | (cat; x)": true,
	} {
		commands := parse(line).Commands
		i := slices.IndexFunc(commands, func(c shellparse.Command) bool { return c.Text == "x" })
		require.GreaterOrEqual(t, i, 0, "%q", line)
		require.Equal(t, want, commands[i].ReadsInput, "%q", line)
	}
}
