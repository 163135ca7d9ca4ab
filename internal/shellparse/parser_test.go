package shellparse_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// breaking are lines that leave a parser of shell syntax in the midst of something.
var breaking = []string{
	"cat <<E\n$(", "cat <<A <<B\nx", "[[ a =~ (b(", "echo `a \\`b", "echo \"$(a \"`", "${a:", "$((1+", "a() {", "case x in (", "'", "# x", "a <<'E' # y\n", "\xff", "{a,",
}

func TestParserForgets(t *testing.T) {
	t.Parallel()
	var p shellparse.Parser
	for _, env := range []shellparse.Env{here(), {}, {Shell: shellparse.Zsh, Dir: "/proj"}, {Shell: shellparse.PowerShell, Dir: "/proj"}} {
		for _, before := range breaking {
			for _, line := range append([]string{fiveCommands, "sh -c 'sudo sh -c \"rm x\"'"}, breaking...) {
				p.Parse(before, env)
				require.Equal(t, shellparse.Parse(line, env), p.Parse(line, env), "%q after %q", line, before)
			}
		}
	}
}

func TestParserServesMany(t *testing.T) {
	t.Parallel()
	var p shellparse.Parser
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, line := range append([]string{fiveCommands}, breaking...) {
				if got := p.Parse(line, here()); !reflect.DeepEqual(shellparse.Parse(line, here()), got) {
					t.Errorf("%q became %+v", line, got)
				}
			}
		})
	}
	all.Wait()
}
