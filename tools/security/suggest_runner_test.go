package security_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// runners are lines that run code of the project, with further arguments that run other
// code, write elsewhere or say where the code is. OUT stands for a place outside.
var runners = []struct{ lines, others string }{
	{
		lines: "pytest|pytest tests -q|py.test -x|python -m pytest|python3 -m pytest tests/t.py -k x|uv run pytest|poetry run pytest -x|pdm run pytest|pipenv run pytest" +
			"|find src -name '*.py' -exec pytest -q {} +|find . -name '*.py' \\( -size 1 \\) -exec python -m pytest {} \\;|find src | xargs pytest|find src -print0 | xargs -0 -n 1 pytest|for f in src/*.py; do pytest \"$f\"; done|for d in a b; do uv run pytest tests/$d; done",
		others: "-p evil|-pevil|-c OUT|-c evil.ini|--rootdir=OUT|--rootdir OUT|--confcutdir OUT|-o addopts=-pevil|--override-ini=x=y|--basetemp=OUT|--junitxml=OUT/x|--junit-xml OUT/x|--pdb|--pdbcls=evil:x|--pyargs evil" +
			"|--import-mode=importlib|--log-file=OUT/x|--cov-report=html:OUT|--cov-config=OUT/x|OUT|../out|@OUT/a.txt|~/notes|$X",
	},
	{
		lines: "npx tsc --noEmit|tsc --noEmit|yarn tsc --noEmit|pnpm exec tsc --noEmit|bunx tsc --noEmit --skipLibCheck",
		others: "false|--noEmit false|-p OUT|--project=OUT|-p ../out|--outDir OUT|--outFile OUT/x|--declarationDir OUT|-b|-b OUT|--init|--generateTrace OUT|--generateCpuProfile OUT/x|--tsBuildInfoFile OUT/x" +
			"|--incremental|--build|--plugins evil|--rootDir OUT|OUT/a.ts|@OUT/a.txt|--cwd OUT|-C OUT",
	},
	{
		lines:  "npx jest|jest src|yarn jest|pnpm exec jest|npx vitest run|vitest run src",
		others: "-c OUT|--config OUT|--config=evil.js|--rootDir OUT|--root OUT|-r OUT|--globalSetup OUT|--reporters=OUT|--reporter=OUT|--outputFile=OUT/x|--coverageDirectory=OUT|--env OUT|--environment OUT|--init|OUT|../out",
	},
	{lines: "rspec|rspec spec|bundle exec rspec", others: "-r OUT|-r ./evil|-I OUT|-O OUT|-o OUT/x|-f Evil::X|--drb|OUT|../out"},
	{lines: "make test|make -j4 test|make check", others: "deploy|install|-C OUT|-f OUT/a.txt|SHELL=OUT|--eval=x|-I OUT|-e"},
	{lines: "mvn test|mvn -q test|./mvnw test", others: "deploy|-f OUT|-s OUT|-Pevil|-DargLine=-javaagent:OUT|evil:run|-Dmaven.ext.class.path=OUT"},
	{lines: "gradle test|./gradlew test|gradle test --tests X", others: "publish|-p OUT|-I OUT|-c OUT|-Pevil=x|-Dorg.gradle.java.home=OUT|--include-build OUT|--project-cache-dir OUT"},
	{lines: "cargo test|cargo test -p x|cargo build", others: "--config OUT|--manifest-path OUT/Cargo.toml|--target-dir OUT|-Zevil|--target OUT/x.json|-- --logfile OUT/x|--config=build.rustc-wrapper=OUT"},
	{lines: "go test ./...|go test|go build ./...|go vet ./...", others: "-exec OUT|-exec=./evil|-toolexec=OUT|-vettool=OUT|-C OUT|-modfile=OUT|-overlay=OUT|-o OUT/x|-ldflags=-extld=OUT|-args -test.cpuprofile=OUT|OUT/x_test.go|../out"},
	{lines: "npm test|npm run test|npm run build|npm run test:unit -- -t x", others: "--prefix OUT|--script-shell=OUT|--script-shell OUT|--node-options=--require=OUT|--userconfig=OUT|-C OUT|-- --config OUT|-- --require OUT|-- OUT|-- ../out"},
	{lines: "pnpm run test|yarn run test|yarn test|bun run test|pnpm test", others: "--cwd OUT|--dir=OUT|-C OUT|--script-shell=OUT|--config OUT|--require OUT|--preload OUT|OUT|../out"},
}

// otherCode are commands that no suggestion for a runner may allow.
const otherCode = "find OUT -exec pytest {} +|find src -exec pytest -c OUT {} +|find src -execdir pytest {} +|find src -exec touch {} +|find src -delete|find src -exec pytest {} + -delete|ls OUT | xargs pytest|cat a | xargs pytest|for f in -pevil; do pytest $f; done" +
	"|make deploy|make install|mvn deploy|gradle publish|npm run deploy|npm publish|npm install evil|npx evil|npx -p evil tsc --noEmit|yarn evil|pnpm exec evil|bunx evil|uv run evil|uv run --with evil pytest" +
	"|uv run python evil.py|python -m evil|python evil.py|python -m pip install evil|poetry run evil|go run ./evil|go generate ./...|cargo run|cargo install evil|bundle exec evil|vitest init browser|tsc -p OUT|jest-evil|pytest-evil"

// TestSuggestionsForRunnersAllowNoOtherCode: the rule that is remembered of a line which
// runs code of the project covers no other program, target or script, and no argument that
// leads out of the project.
func TestSuggestionsForRunnersAllowNoOtherCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := filepath.Join(w.root, "out")
	split := func(list string) (lines []string) { // at a bar that has no blanks around it
		for line := range strings.SplitSeq(strings.NewReplacer("OUT", out, " | ", "\x00").Replace(list), "|") {
			lines = append(lines, strings.ReplaceAll(line, "\x00", " | "))
		}
		return lines
	}
	bash := func(line string) act { return act{tool: "Bash", input: map[string]string{"command": line}} }
	r := rand.New(rand.NewPCG(4, 19))
	prefixes, compared := 0, 0
	for _, known := range runners {
		var probes []string
		for _, line := range split(known.lines) {
			for _, other := range split(known.others) {
				program, rest, _ := strings.Cut(line, " ")
				probes = append(probes, line+" "+other, strings.TrimSpace(program+" "+other+" "+rest))
			}
		}
		probes = append(probes, split(otherCode)...)
		for _, line := range split(known.lines) {
			found := w.suggested(t, policy.ModeDefault, policy.SourceLocal, bash(line))
			require.NotEmpty(t, found, line)
			for _, updates := range found {
				after, err := permissions(t, policy.ModeDefault, policy.RuleSet{}).Apply(updates...)
				require.NoError(t, err)
				if strings.Contains(updates[0].String(), "*") {
					prefixes++
				}
				p := pool(t, sessionIn(t, tree{root: w.root}, "proj", pegboard.SessionConfig{Permissions: after}), w.tools()...)
				require.Equal(t, policy.Allow, p.Decide(t.Context(), call(t, "Bash", bash(line).input)).Behavior, line)
				r.Shuffle(len(probes), func(i, j int) { probes[i], probes[j] = probes[j], probes[i] })
				for _, probe := range probes[:effort.Of(t, len(probes))] {
					compared++
					require.NotEqual(t, policy.Allow, p.Decide(t.Context(), call(t, "Bash", bash(probe).input)).Behavior, "%q is allowed by what %q made somebody remember: %v", probe, line, updates)
				}
			}
		}
	}
	t.Logf("%d prefixes, %d comparisons", prefixes, compared)
	require.Greater(t, prefixes, 25)
}
