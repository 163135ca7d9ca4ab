package shellparse

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWildcardSpecFlagsExist asks the programs that are here whether they have the flags
// of their specs. A flag that takes no value, but stands in the table with one,
// would hide the word behind it: the help tells them apart.
func TestWildcardSpecFlagsExist(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, words, help string }{
		{"go", "build", "help build"}, {"go", "vet", "vet -flags"},
		{"cargo", "build", "build --help"}, {"cargo", "check", "check --help"}, {"cargo", "test", "test --help"},
		{"make", "", "--help"}, {"kubectl", "logs", "logs --help"}, {"kubectl", "get", "get --help"}, {"kubectl", "describe", "describe --help"}, {"pytest", "", "--help"},
		{"gh", "pr view", "pr view --help"}, {"gh", "pr list", "pr list --help"}, {"gh", "run view", "run view --help"}, {"gh", "run list", "run list --help"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.words, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(tt.name)
			if err != nil {
				t.Skip(tt.name + " is not installed")
			}
			help, err := exec.CommandContext(t.Context(), program, strings.Fields(tt.help)...).CombinedOutput()
			if err != nil {
				t.Skip(tt.name + " tells nothing of its flags")
			}
			s, _, ok := wildcardSpecOf(tt.name, argsOf(tt.words))
			require.True(t, ok)
			for known := range strings.FieldsSeq(s.Flags) {
				flag := strings.TrimRight(known, "=?")
				if s.SingleDash {
					flag = flag[2:]
				}
				require.True(t, strings.Contains(string(help), flag) || tt.name == "kubectl" && has("-n --namespace", flag), flag)
			}
		})
	}
}

// Launchers lead to the same limits as the plain name.
func TestWildcardSpecsBehindLaunchers(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"pytest -q tests": false, "pytest -p x": true, "python -m pytest -q tests": false, "python -m pytest -p x": true, "python3 -m pytest -c x": true,
		"/usr/bin/python3.12 -m pytest -p x": true, "python a.py -p x": false, "python -m http.server": false, "py -m pytest -p x": true,
		"coverage run -m pytest -p x": true, "python -m coverage run -m pytest -p x": true, "python -m coverage run -m pytest -q": false,
		"uv run pytest -q": false, "uv run pytest -p x": true, "uv run python -m pytest -p x": true, "uv tool run pytest -p x": true, "uvx pytest@8 -p x": true, "uv sync": false,
		"poetry run pytest -p x": true, "pdm run pytest -p x": true, "pipenv run pytest -p x": true, "poetry run pytest": false, "poetry install": false,
		"npx jest": false, "npx jest -t 'a b' src/a.test.ts --coverage": false, "npx jest --config x.js": true, "npx jest -c x.js": true, "npx jest --reporters=./x": true, "npx jest@29 --env ./x": true,
		"jest --config x.js": true, "./node_modules/.bin/jest --config x.js": true, "pnpm exec jest -c x.js": true, "pnpm jest -c x.js": true, "yarn jest -c x.js": true, "yarn jest -t x": false,
		"npm exec -- jest -c x.js": true, "npm exec jest -c x.js": true, "bunx jest -c x.js": true, "bun x jest -c x.js": true,
		"npx eslint src --ext .ts --fix": false, "npx eslint -c x.js": true, "npx eslint --rulesdir x .": true, "npx eslint -f ./x.js .": true, "npx eslint -f json --max-warnings=0 .": false, "npx eslint --format=stylish .": false,
		"npx vitest run -t a": false, "npx vitest --config x": true, "npx mocha -r ./x": true, "npx mocha --grep a test": false, "npx mocha --require=./x": true,
		"env CI=1 pytest -p x": true, "cross-env A=1 B=2 jest -c x": true, "env CI=1 pytest -q": false, "bundle exec make SHELL=x": true, "npx cowsay -c x": false,
		"npx jest \"$x\"": true,
	} {
		require.Equal(t, want, exceedsWildcard(argsOf(line)), line)
	}
}

func FuzzWildcardSpec(f *testing.F) {
	for _, line := range []string{"go test -run X ./...", "make -j4 a", "npm run a -- -t 'b c'", "kubectl get -o yaml x", "cargo test -- --skip x", "pytest -k= --", "npx jest@29 -t x", "python3 -m coverage run -m pytest -q", "env A=1 make"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := argsOf(line)
		before := joinArgs(words, sourceText)
		if exceedsWildcard(words) {
			return
		}
		require.Equal(t, before, joinArgs(words, sourceText))
		if len(words) == 0 || !words[0].isLiteral() {
			return
		}
		// A spec that some arguments do not exceed is exceeded with an unlisted one.
		if s, rest, ok := wildcardSpecOf(programName(words[0].value), words[1:]); ok {
			require.True(t, exceedsSpec(s, append(rest, literalArg("--nobody-knows-this"))))
		}
	})
}

// leavesProjectSpelled is outside as one expression.
var leavesProjectSpelled = regexp.MustCompile(`^[@/~]|(^|[/\\])\.\.([/\\]|$)|^\\|^[A-Za-z]:[/\\]|://|=`)

func FuzzMayLeaveProject(f *testing.F) {
	for _, operand := range []string{
		"", "a", ".", "..", "...", "../a", "a/..", "a/../b", `a\..\b`, `..\`, "a..", "a../b", "/", "~", "@a", `\`, "c:/", `Z:\a`, "_:/", "1:/", "c:", "c:a",
		"://", "a://b", ":/", "a=b", "é/..", "\xff/../", "a\n..", "a\n/x", "a:\n/",
	} {
		f.Add(operand)
	}
	f.Fuzz(func(t *testing.T, operand string) {
		require.Equal(t, leavesProjectSpelled.MatchString(operand), mayLeaveProject(operand), "%q", operand)
	})
}
