package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func TestLinksAreNotEditsOnly(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"cp -s a b", "cp -P a b", "cp -d a b", "cp -a a b", "cp -ra a b", "cp --symbolic-link a b", "cp -l a b", "cp --preserve=links a b", "ln -s a b", "ln a b"} {
		require.False(t, parse(line).Commands[0].EditsOnly, "%q", line)
	}
	require.True(t, parse("cp a b").Commands[0].EditsOnly)
}

// TestMentionedHosts: what a program that nobody knows may reach is what its line mentions.
func TestMentionedHosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want []string
	}{
		{line: "x http://a.b/c", want: []string{"a.b"}},
		{line: "x 'f(\"HTTPS://u:p@a.b:80/c\")'", want: []string{"a.b"}},
		{line: "x http:a.b", want: []string{"a.b"}},
		{line: "x http://[::1]:80/c", want: []string{"::1"}},
		{line: "x url.http://a.b/.insteadOf=http://c/", want: []string{"a.b", "c"}},
		{line: "x a.b:80", want: []string{"a.b"}},
		{line: "x 'connect(\"a.b:80\")'", want: []string{"a.b"}},
		{line: "x git@a.b:c/d.git", want: []string{"a.b"}},
		{line: "x file.go:12 a.go:12:3", want: []string{"file.go", "a.go"}},
		{line: "x main.go a.b/c x:y c@v1.2 {a:1}"},
		{line: "x http://", want: nil},
		{line: "psql -h db", want: []string{"db"}},
		{line: "psql -hdb --host=other", want: []string{"db", "other"}},
		{line: "docker pull a.b/c:1", want: []string{"a.b"}},
		{line: "docker build -f a.b .", want: nil},
		{line: "PGHOST=a,b.c:5 psql", want: []string{"b.c", "a"}},
		{line: "http_proxy=http://a.b x", want: []string{"a.b"}},
		{line: "X=http://a.b", want: []string{"a.b"}},
		{line: "export X=http://a.b", want: []string{"a.b"}},
		{line: "x -Dhttp.proxyHost=a", want: []string{"a"}},
		{line: "x $y http://a.b/$z", want: []string{"a.b"}},
		{line: "bash -c 'x http://a.b'", want: []string{"a.b"}},
		{line: "echo http://a.b"},
		{line: "git commit -m http://a.b"},
		{line: "git fetch http://a.b commit"}, // it is among the known hosts
	}
	for _, tc := range tests {
		var got []string
		for _, c := range shellparse.Parse(tc.line, shellparse.Env{Dir: "/p", Home: "/h"}).Commands {
			got = append(got, c.Mentioned...)
		}
		require.ElementsMatch(t, tc.want, got, tc.line)
	}
}
