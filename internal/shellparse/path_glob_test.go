package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// To replace a pattern, the shell reads a directory.
func TestPatternsAreReads(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"echo /etc/*":                         "/etc/*",
		"echo ~/.ssh/*":                       "/home/me/.ssh/*",
		`printf '%s\n' secrets/*`:             "/proj/secrets/*",
		"for f in ../*; do echo $f; done":     "/proj/../*",
		"select f in ../*; do echo; done":     "/proj/../*",
		"basename -a ../*":                    "/proj/../*",
		"npm run x /etc/*":                    "/etc/*",
		"x=(/etc/*)":                          "/etc/*",
		"declare x=(/etc/*)":                  "/etc/*",
		"x='/etc/*'; echo $x":                 "/etc/*",
		"for f in 'a /etc/*'; do ls $f; done": "/etc/*",
		"cd /etc && echo *":                   "/etc/*",
		"true /etc/s[h]*":                     "/etc/s[h]*",
	}
	for line, want := range tests {
		l := parse(line)
		found := slices.Clone(l.Paths)
		for _, c := range l.Commands {
			found = append(found, c.Paths...)
		}
		require.Contains(t, found, shellparse.Path{Name: want, Glob: true}, "%q", line)
	}
}
