package security_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// foundRunners is a grammar of lines that start what runs code of the project with names that
// are found while they run.
const foundRunners = `
line
	find ‹start› ‹tests› -exec ‹command› {} ‹end›
	find ‹start› ‹tests› -exec ‹command› {} ‹end›
	find ‹start› ‹tests› -exec ‹command› {} ‹more› \;
	find ‹start› ‹tests› -exec cat {} \; -exec ‹command› {} ‹end›
	find ‹start› ‹tests› | ‹filter› xargs ‹options› ‹command›
	find ‹start› ‹tests› | xargs ‹command›
	find ‹start› ‹tests› -print0 | xargs -0 ‹options› ‹command›
	find ‹start› ‹tests› -print0 | xargs ‹command›
	find ‹start› ‹tests› | xargs -I{} ‹command› {} ‹more›
	‹search› ‹start› | xargs ‹options› ‹command›
	‹search› | xargs ‹command›
	ls ‹start› | xargs ‹command›
	cd src && find ‹start› ‹tests› -exec ‹command› {} ‹end›
	cd src && ls | xargs ‹command›
	for f in ‹pattern›; do ‹command› ‹word› ‹more›; done
	for f in ‹pattern›; do ‹command› ‹word›; done
	for f in ‹pattern› ‹pattern›; do [ -f "$f" ] && ‹command› ‹word›; done
	find ‹start› | while read -r f; do ‹command› ‹word›; done
	f=‹pattern›; ‹command› ‹word›
	‹command› ‹pattern› ‹more›
	‹command› ‹pattern› ‹pattern›
	‹set› find ‹start› ‹tests› -exec ‹command› {} ‹end›
	‹set› ‹command› ‹pattern›
start = . src ./src src/ src␠lib sub . src s* "a␠b" -x ./-x .. ../out S=x src/*
tests = -type␠f -name␠'*.py' -type␠f␠-name␠'*' -maxdepth␠1 -name␠'*x' !␠-name␠'x*' -type␠d
end = + \; + \;
filter
	sort |
	head -4 |
	grep -v a |
	sort -u | tail -5 |
options = -n␠1 -r -n1␠-P1 -L␠1
search = grep␠-rl␠x rg␠-l␠x grep␠-Rl␠x rg␠--files
command
	pytest
	pytest -q
	pytest -k
	pytest -x --tb
	python -m pytest
	make
	make -j2
	make -j
	go test
	go test -run
	go build -o
	go vet
	eslint --fix
	eslint -f
	npm run build --
	npm run build -w
	npm test -- -t
	npx jest
	mocha
	timeout 5 pytest
	ninja
more = -q -x . a -k
word = "$f" $f "./$f" "src/$f" "$f/x" "${f}" "${f%.py}" "${f#src/}" "--$f"
pattern = src/* ./* src/*.py *.py s* S* src/-* */* src/?* src/.* a␠b -p␠evil src/x lib/* {src,lib}/* src/[a-z]* ../* SHELL=x
set = X=1 PATH=. PYTEST_ADDOPTS=-pevil MAKEFLAGS=-ik CI=true
`

// oddNames are names of files that a program may take for something else.
var oddNames = []string{
	"x.py", "a.py", "x", "-p", "-pevil", "--collect-only", "-exec=x", "a -p evil", "SHELL=x", "src/SHELL=x.py", "a\n-pevil", "'q", `a\b`, `"q`, "--", "@x", "..x", "http:", ".hid", "x y/-z.py",
	"~", "*", "$(x)", "-x/y.py", "S=x/a.py", "a b/x", "a  -f x.py", "é.py", "-", "b.py -k", "x\t-x",
}

// runnerBox is a project in which programs of foundRunners write down how they were started.
type runnerBox struct {
	root string
	env  []string
	pool *pegboard.Pool
}

func newRunnerBox(t *testing.T) runnerBox {
	t.Helper()
	b := runnerBox{root: realTemp(t)}
	stub := filepath.Join(b.root, "stub")
	script.Write(t, stub, "#!/bin/sh\n{ printf '%s\\0' \"${0##*/}\" \"$@\"; printf '\\n\\0'; } >>\""+b.root+"/ran\"\n")
	for _, dir := range []string{"bin", "proj", "home"} {
		require.NoError(t, os.Mkdir(filepath.Join(b.root, dir), 0o755))
	}
	for _, name := range strings.Fields("pytest python make go eslint npm npx mocha ninja") {
		require.NoError(t, os.Symlink(stub, filepath.Join(b.root, "bin", name)))
	}
	b.env = append(env(b.root), "PATH="+filepath.Join(b.root, "bin")+":/usr/bin:/bin")
	var rules policy.RuleSet
	for rule := range strings.SplitSeq("pytest|python -m pytest|make|go test|go build|go vet|eslint|npm run build|npm test|npx jest|mocha|ninja", "|") {
		rules.Allow = append(rules.Allow, "Bash("+rule+" *)")
	}
	s := sessionIn(t, tree{root: b.root}, "proj", pegboard.SessionConfig{Permissions: permissions(t, policy.ModeDefault, rules)})
	b.pool = pool(t, s, shell.Bash(shell.Options{Env: b.env}))
	return b
}

func (b runnerBox) allows(t *testing.T, line string) bool {
	t.Helper()
	return b.pool.Decide(t.Context(), call(t, "Bash", map[string]string{"command": line})).Behavior == policy.Allow
}

// plant makes the project anew, with some of oddNames in each directory.
func (b runnerBox) plant(t *testing.T, r *rand.Rand) {
	t.Helper()
	proj := filepath.Join(b.root, "proj")
	old, err := os.ReadDir(proj)
	require.NoError(t, err)
	for _, e := range old {
		require.NoError(t, os.RemoveAll(filepath.Join(proj, e.Name())))
	}
	for _, dir := range []string{"", "src", "lib", "src/sub", "sub"} {
		write(t, filepath.Join(proj, dir, "x.py"), "x\n")
		for range r.IntN(3) {
			name := filepath.Join(proj, dir) + "/" + oddNames[r.IntN(len(oddNames))]
			if os.MkdirAll(filepath.Dir(name), 0o755) == nil {
				_ = os.WriteFile(name, []byte("x\n"), 0o644) // or a directory has the name
			}
		}
	}
}

// run runs a line and returns the commands that it started, each as a line.
func (b runnerBox) run(t *testing.T, line string) (started []string) {
	t.Helper()
	log := filepath.Join(b.root, "ran")
	_ = os.Remove(log) // the line before may have started nothing
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir, cmd.Env = filepath.Join(b.root, "proj"), b.env
	_ = cmd.Run() // it may find nothing and fail
	record, _ := os.ReadFile(log)
	for words := range strings.SplitSeq(string(record), "\n\x00") {
		if words != "" {
			started = append(started, writtenOut(strings.Split(strings.TrimSuffix(words, "\x00"), "\x00")))
		}
	}
	return started
}

// writtenOut returns a command as a line. An equals sign behind a slash sets nothing, but
// a rule does not read a line that closely.
func writtenOut(words []string) string {
	for i, word := range words[1:] {
		if slash, sign := strings.IndexByte(word, '/'), strings.IndexByte(word, '='); slash >= 0 && slash < sign && word[0] != '-' {
			word = strings.ReplaceAll(word, "=", "_")
		}
		if words[i+1] = word; word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !strings.ContainsRune("-_./:", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			words[i+1] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// TestNamesForRunnersStayOperands: a line that a rule with a wildcard allows, and that starts
// what runs code of the project with names that are found when it runs, starts nothing that
// the rule would not allow if the line spelled the names.
func TestNamesForRunnersStayOperands(t *testing.T) {
	t.Parallel()
	b := newRunnerBox(t)
	r := rand.New(rand.NewPCG(9, 19))
	w := &writer{pick: r.IntN, grammar: grammarOf(foundRunners)}
	lines, ran, started := 0, 0, 0
	for range effort.Of(t, 60) {
		b.plant(t, r)
		for range 40 {
			w.left = 60
			line := w.expand("line")
			if lines++; !b.allows(t, line) {
				continue
			}
			ran++
			for _, command := range b.run(t, line) {
				started++
				require.True(t, b.allows(t, command), "%q starts %s", line, command)
			}
		}
	}
	t.Logf("%d of %d lines ran and started %d commands", ran, lines, started)
	require.Positive(t, started)
}

// TestRulesCoverHarmlessOptions: a rule with a wildcard covers the reporters that runners bring,
// coverage files in the project, and directories of it. Of any other option the question names
// what keeps the rule from covering the line.
func TestRulesCoverHarmlessOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "away")))
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{
		"Bash(npx mocha *)", "Bash(make *)", "Bash(go test *)", "Bash(npm test *)", "Bash(pytest *)", "Bash(npx jest *)", "Bash(npx vitest run *)", "Bash(cargo test *)",
	}, Deny: []string{"Edit(/main.go)", "Edit(/sub/made.go)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
	var registry pegboard.Registry
	require.NoError(t, registry.Add(shell.Bash(shell.Options{})))
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	decide := func(line string) policy.Decision {
		return pool.Decide(t.Context(), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"` + line + `"}`)})
	}
	for _, line := range []string{
		"go test -coverprofile=main.go", "go test -coverprofile main.go ./...", "make -C sub ../main.go", "go test -C sub -coverprofile=made.go",
	} {
		require.Equal(t, policy.Deny, decide(line).Behavior, "a deny rule for edits is about the report: %s", line)
	}
	for _, tt := range []struct{ line, names string }{
		{line: "npx mocha --reporter dot x"}, {line: "npx mocha -R min test/a.js"}, {line: "npm test -- --reporter=spec"},
		{line: "npx jest --coverage --coverageReporters=text"}, {line: "npx vitest run --reporter verbose"},
		{line: "make -C sub"}, {line: "make -kC sub test"}, {line: "go test -C sub ./..."},
		{line: "go test ./... -coverprofile=c.out"}, {line: "go test -coverprofile c.out ./..."},
		{line: "pytest --cov=src --cov-report=html --cov-report=term-missing"}, {line: "pytest --cov"},
		{line: "cargo test --manifest-path sub/Cargo.toml"},

		{line: "npx mocha --reporter ./evil.js", names: "--reporter"}, {line: "npx mocha --reporter evil", names: "--reporter"},
		{line: "npx mocha test/a.js --require x", names: "--require"}, {line: "make -C ../other", names: "-C"}, {line: "make -C away", names: "outside the working directories"},
		{line: "make SHELL=x", names: "SHELL=x"}, {line: "go test -exec ./x ./...", names: "-exec"}, {line: "go test -coverprofile=/tmp/c.out", names: "-coverprofile=/tmp/c.out"},
		{line: "go test -coverprofile=.cache/x", names: "-coverprofile=.cache/x"}, {line: "pytest -p evil", names: "-p"}, {line: "pytest --cov-report=html:../x", names: "--cov-report=html:../x"},
		{line: "npm test -- --reporter=./evil", names: "--reporter=./evil"},
	} {
		d := decide(tt.line)
		if tt.names == "" {
			require.Equal(t, policy.Allow, d.Behavior, "%s: %s", tt.line, d.Reason)
			continue
		}
		require.Equal(t, policy.Ask, d.Behavior, tt.line)
		require.Contains(t, d.Reason, `: allow rule "Bash(`, tt.line)
		require.Contains(t, d.Reason, tt.names, tt.line)
	}
}
