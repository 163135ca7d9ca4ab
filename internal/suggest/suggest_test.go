package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// requireProven says that each of the proposals for a text is worth a rule.
func requireProven(t *testing.T, tool, text string, proposals []string) {
	t.Helper()
	require.LessOrEqual(t, len(proposals), 2)
	for _, p := range proposals {
		s, err := pattern.Parse(tool, p)
		require.NoError(t, err, "%q", p)
		require.True(t, s.Covers(pattern.Subject{Kind: pattern.Command, Names: []string{text}}), "%q does not cover %q", p, text)
		wild := strings.HasSuffix(p, " *")
		require.True(t, wild || !pattern.Broad(tool, p), "%q", p)
		require.Equal(t, wild, strings.Contains(p, "*"), "%q", p)
		require.True(t, wild || p == text, "%q is neither a prefix nor %q", p, text)
		require.NotContains(t, p, "\n")
	}
}

func TestCommandProposes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, text string
		want             []string
	}{
		{name: "a prefix first", text: "git add -v x", want: []string{"git add *", "git add -v x"}},
		{name: "without arguments", text: "git add", want: []string{"git add *", "git add"}},
		{name: "three words", text: "git stash push -m x", want: []string{"git stash push *", "git stash push -m x"}},
		{name: "two of three words", text: "git stash", want: []string{"git stash"}},
		{name: "another sub-command that begins so", text: "git addendum x", want: []string{"git addendum x"}},
		{name: "lines in a quote", text: "git add -v 'a\nb'", want: []string{"git add *"}},
		{name: "a substitution", text: `git add -v "$(cat msg)"`, want: []string{"git add *"}},
		{name: "a message from the input", text: "git add --pathspec-from-file -", want: []string{"git add *"}},
		{name: "a star", text: "git add *.go", want: []string{"git add *"}},
		{name: "long", text: "git add " + strings.Repeat("a", 300), want: []string{"git add *"}},
		{name: "fed by xargs", text: "git add …", want: []string{"git add *"}},
		{name: "a commit", text: "git commit -m x", want: []string{"git commit -m x"}},
		{name: "not in the table", text: "npm install", want: []string{"npm install"}},
		{name: "a script by its name", text: "npm run test:unit -- -t x", want: []string{"npm run test:unit *", "npm run test:unit -- -t x"}},
		{name: "no script", text: "npm run", want: []string{"npm run"}},
		{name: "an option before the script", text: "npm run -s test", want: []string{"npm run -s test"}},
		{name: "a script that is a path", text: "bun run ./a.ts", want: []string{"bun run ./a.ts"}},
		{name: "a script in quotes", text: "npm run 'a'", want: []string{"npm run 'a'"}},
		{name: "a script that ends like a prefix", text: "npm run a: b", want: []string{"npm run a: *", "npm run a: b"}},
		{name: "a build", text: "go test ./...", want: []string{"go test *", "go test ./..."}},
		{name: "a build behind options", text: "go -C dir test", want: []string{"go -C dir test"}},
		{name: "a program alone", text: "pytest", want: []string{"pytest *", "pytest"}},
		{name: "a program behind a launcher", text: "uv run pytest -x", want: []string{"uv run pytest *", "uv run pytest -x"}},
		{name: "options of a launcher", text: "uv run --all-extras pytest", want: []string{"uv run --all-extras pytest"}},
		{name: "one target of many", text: "make test", want: []string{"make test"}},
		{name: "behind options", text: "git -C dir add", want: []string{"git -C dir add"}},
		{name: "behind a variable", text: "CC=gcc make test", want: []string{"CC=gcc make test"}},
		{name: "by a path", text: "/usr/bin/git add", want: []string{"/usr/bin/git add"}},
		{name: "a quoted sub-command", text: `git "add" x`, want: []string{`git "add" x`}},
		{name: "an escaped sub-command", text: `git a\dd x`, want: []string{`git a\dd x`}},
		{name: "a sub-command that goes on", text: "git add'x' y", want: []string{"git add'x' y"}},
		{name: "braces", text: "git add{,} y", want: []string{"git add{,} y"}},
		{name: "what a quote keeps", text: "mawk '{ print $1 }' f", want: []string{"mawk '{ print $1 }' f"}},
		{name: "find", text: "find . -name x -delete", want: []string{"find . -name x -delete"}},
		{name: "a script", text: "python3 a.py -v", want: []string{"python3 a.py -v"}},
		{name: "a text of Python", text: "python3 -u -c 'print(1)'", want: []string{"python3 -u -c 'print(1)'"}},
		{name: "a command elsewhere", text: "ssh host uptime", want: []string{"ssh host uptime"}},
		{name: "PowerShell", tool: "PowerShell", text: `Remove-Item 'C:\a b\'`, want: []string{`Remove-Item 'C:\a b\'`}},
		{name: "git in PowerShell", tool: "PowerShell", text: "git add .", want: []string{"git add *", "git add ."}},
		{name: "Monitor", tool: "Monitor", text: "tail -f x", want: []string{"tail -f x"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := tc.tool
			if tool == "" {
				tool = "Bash"
			}
			got := suggest.Command(tool, tc.text)
			require.Equal(t, tc.want, got)
			requireProven(t, tool, tc.text, got)
		})
	}
}

func TestCommandProposesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, text string }{
		{name: "no text"},
		{name: "blanks around it", text: " ls"},
		{name: "no shell", tool: "Edit", text: "git add"},
		{name: "too long for any rule", text: "git add " + strings.Repeat("a", 10_000)},
		{name: "too long to remember", text: "make " + strings.Repeat("a", 300)},
		{name: "no UTF-8", text: "git add \xff"},
		{name: "a control character", text: "git add \x1b[2K"},
		{name: "a control character of Unicode", text: "git add \u0085"},
		{name: "several lines", text: "make 'a\nb'"},
		{name: "a tab", text: "make 'a\tb'"},
		{name: "a letter nobody sees", text: "make te\u200bst"},
		{name: "a change of direction", text: "make \u202etset"},
		{name: "a star", text: "rm *.o"},
		{name: "the end of a prefix", text: "make a:*"},
		{name: "a variable", text: `rm "$x"`},
		{name: "a quote in a quote", text: `rm "'$x'"`},
		{name: "behind an escaped quote", text: `rm \'$x\'`},
		{name: "a substitution", text: "rm `cat list`"},
		{name: "an open quote", text: "rm 'a"},
		{name: "xargs adds to it", text: "rm …"},
		{name: "it looks like a parameter", text: "description:x"},
		{name: "variables alone", text: "PATH=./bin B+=c"},
		{name: "a variable for what follows", text: "export PATH=./bin"},
		{name: "commands of a file for what follows", text: "source env.sh"},
		{name: "an alias of PowerShell", tool: "PowerShell", text: "Set-Alias git evil"},
		{name: "a variable of PowerShell", tool: "PowerShell", text: "Set-Item Env:PATH bin"},
		{name: "an interpreter alone", text: "python3"},
		{name: "an interpreter with options", text: "python3.12 -u"},
		{name: "an interpreter of its input", text: "python3 - a"},
		{name: "a shell of its input", text: "bash -s a"},
		{name: "by a path", text: "/usr/bin/perl"},
		{name: "behind a variable", text: "A=b node"},
		{name: "at the end of another", text: "docker exec -i box bash"},
		{name: "a manifest of the input", text: "kubectl apply -f -"},
		{name: "glued", text: "kubectl apply -f-"},
		{name: "behind an equals sign", text: "kubectl apply --filename=-"},
		{name: "quoted", text: "make -f '-'"},
		{name: "the input by its path", text: "make -f /dev/stdin"},
		{name: "a shell elsewhere", text: "ssh host"},
		{name: "a database", text: "psql db"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := tc.tool
			if tool == "" {
				tool = "Bash"
			}
			require.Nil(t, suggest.Command(tool, tc.text))
		})
	}
}

func TestCommandWithInputProposes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{name: "a filter", text: "sort -u -o x", want: []string{"sort -u -o x"}},
		{name: "a program of its own", text: "./import"},
		{name: "an interpreter of a file", text: "python3 a.py"},
		{name: "an editor", text: "sed e"},
		{name: "a writer", text: "tee x"},
		{name: "a prefix", text: "git add -v x", want: []string{"git add *"}},
		{name: "a filter told to", text: "grep -f - x"},
		{name: "no command"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, suggest.CommandWithInput("Bash", tc.text))
		})
	}
}

func FuzzCommand(f *testing.F) {
	for _, text := range []string{
		"", "git add -v 'a\nb'", "git add …", `rm "$x"`, "python3 -", "A=b make", "=", " ", "'", `\`, "a:b", "-", "git\tcommit", "\xff", "git stash push *", "' '",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"Bash", "PowerShell", "Monitor"} {
			got := suggest.Command(tool, text)
			requireProven(t, tool, text, got)
			require.Equal(t, got, suggest.Command(tool, text))
		}
		require.Nil(t, suggest.Command("Read", text))
	})
}

func BenchmarkCommand(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		suggest.Command("Bash", "git add -v 'a message of some words'")
	}
}
