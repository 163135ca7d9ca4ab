package shellparse

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// TestWildcardSpecFlagsExist asks the programs that are here whether they have the flags
// of their specs. A flag that takes no value, but stands in the table with one,
// would hide the word behind it: the help tells them apart.
func TestWildcardSpecFlagsExist(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, words, help string }{
		{"go", "build", "help build"}, {"go", "vet", "help build; tool vet -flags"},
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
			var help strings.Builder
			for line := range strings.SplitSeq(tt.help, ";") {
				out, err := exec.CommandContext(t.Context(), program, strings.Fields(line)...).CombinedOutput()
				if err != nil {
					t.Skip(tt.name + " tells nothing of its flags")
				}
				help.Write(out)
			}
			s, _, ok := wildcardSpecOf(tt.name, argsOf(tt.words))
			require.True(t, ok)
			for known := range strings.FieldsSeq(s.Flags) {
				flag := strings.TrimRight(known, "=?")
				if s.SingleDash {
					flag = flag[2:]
				}
				require.True(t, strings.Contains(help.String(), flag) || tt.name == "kubectl" && has("-n --namespace", flag), flag)
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

// Options that run a program, load code or write a file.
func TestExceedsOptions(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rg --pre ./x a", "rg --pre=./x a", "rg --hostname-bin ./x a", "ag --pager ./x a", "ag --pag=./x a", "ack --pager=./x a", "ugrep --filter=*:x a", "fd a -x rm", "fd a -HX rm", "fd a --exec-batch rm",
		"sort --compress-program=x a", "sort --compress-prog x a", "sort --com=x a", "split --filter=x a", "split --fi x a", "sdiff --diff-program=x a b", "diff3 --diff-p x a b c",
		"man -P x ls", "man -fPx ls", "man --pager=x ls", "less -k x a", "less +!x a", "more +!x a", "bat --pager=x a", "file -C -m x", "zip a.zip b -TT x", "zip a.zip b -qTTx", "zip a.zip b --unzip-c x", "zip a.zip b -lf x",
		"tar cf a b --index-file=x", "tar -cf a -g x b", "tar cf a --listed-inc=x b", "rsync --log-file=x a b", "rsync --write-ba=x a b",
		"awk -f x a", "awk '{print | \"x\"}' a", "awk 'BEGIN{system(\"x\")}'", "gawk --load x", "awk -lx a", "awk 'BEGIN{\"x\"|getline}'", "awk '{print > \"x\" y}' a; true", "awk '{print > x}' a", "gawk -i x '1' a", "awk --file=x a",
		"sed --fi x a", "sed -nf x a", "yq --from-file x a", "yq -i .a .git/config", "yq -i .a ../x", "xmllint --output x a", "sqlite3 a '.shell x'", "sqlite3 a '.system x'", "sqlite3 a \"select writefile('x', 1)\"", "sqlite3 a '.output x'",
		"sqlite3 a '.import x y'", "sqlite3 -cmd '.shell x' a", "sqlite3 --init x a", "psql -c '\\! x'", "psql -c 'copy a to program $$x$$'", "mysql -e 'system x'", "mysql --pager=x", "gofmt -cpuprofile=x a", "gofmt --cpuprofile x a", "objdump --plugin=x a", "nm --plug x a",
		"pandoc --filter ./x a", "pandoc -Fx a", "openssl req -engine ./x", "tcpdump -z x", "gcc -fplugin=./x a.c", "gcc -B./x a.c", "gcc -wrapper x,y a.c", "clang -Xclang -load a.c", "cmake -P x", "cmake -E rm a", "perf record -o x ls",
		"mypy --python-executable ./x .", "mypy --config-file ../x .", "pylint --load-plugins=x a", "pylint --init-hook=x a", "pylint --rcfile=/x a", "flake8 --config=../x", "pyright -p ../x", "ruff check -o x", "tsc -p ../x", "tsc --project=/x", "stylelint --custom-syntax=x a",
		"cargo tree --config x", "cargo doc -Z x", "cargo run --manifest-path ../x", "pip list --python ./x", "pip list --pyt=./x", "npm exec -c x", "npm exec --call=x", "npx -c x", "npx --call=x", "npm run a --script-sh x", "pnpm install --config.script-shell=x", "yarn --cwd ../x install",
		"helm install a b --post-renderer ./x", "curl -K x", "curl -sw '%output{x}' a", "curl --write-out @x a", "curl --write-o='%output{x}' a", "wget --use-askpass=x a", "wget --warc-file=x a", "wget -ex a",
		"vim -c x a", "vim +x a", "vim -S x", "ex -s -c '!x'", "emacs --eval x", "emacs -batch -l x", "nano -s x a", "gdb -ex 'shell x'", "gdb --eval-command=x", "gdb -x a", "lldb -o x",
		"node -c -r ./x a", "node --check --import ./x a", "bash -n +n x", "bash -n -O extglob +n x", "sh -n -c x", "bash -ni x", "perl -c x", "perl -wc x", "ruby -c -r./x a", "php -l -d x a",
		"unknown --exec x", "unknown --run-command=x", "unknown --diff-program x", "unknown --plugin ./x", "unknown --config ../x", "unknown --config=/x", "unknown --eval x", "unknown --require x", "unknown --pre x", "unknown -o ../x a", "unknown --in-place .x",
		"python -m unknown --x a; true", "rg $x a",
	} {
		if words := argsOf(line); !strings.Contains(line, ";") && !strings.Contains(line, "$x") {
			require.True(t, exceedsOptions(words), line)
		}
	}
	require.True(t, exceedsOptions([]arg{literalArg("rg"), {source: "$x", anyNumber: true}}))
}

// What people run every day stays covered.
func TestExceedsOptionsNot(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rg -n --pretty a src", "rg -- --pre", "rg --pcre2 a", "ag -l a", "fd -e go -t f", "fd -E x a", "sort -u -k2 -t, a", "sort -o a a", "sort --key=2 a", "split -l 10 a", "man -k a", "less -R a", "less +G a", "bat -p a", "file -b a",
		"zip -r a.zip b", "zip -qr a.zip b -x c", "tar -czf a.tgz b", "tar xzf a.tgz", "rsync -av a b", "awk -F: '{print $1}' a", "awk '/a|b/ {n++} END {print n}' a", "awk -v x=1 '$1 > x' a", "awk 'NR > 1 && $2 > 3 {print $0}' a", "awk '{print > \"x\"}' a", "awk '{print $1 | \"sort -u\"}' a", "sed -n 1,5p a", "sed -i s/a/b/ a", "sed -Ee s/f/g/ a",
		"yq .a a.yaml", "yq -i '.a=1' a.yaml", "yq eval .a a.yaml", "sqlite3 a 'select 1'", "sqlite3 a .tables .schema", "sqlite3 -header -csv a 'select 1'", "sqlite3 a '.mode csv' '.headers on' '.dump'", "psql -c 'select 1'", "gofmt -l -w .", "gofmt -d a", "goimports -w a",
		"gcc -O2 -Wall -o a a.c", "gcc -c a.c -Iinclude -DX=1", "gcc -fuse-ld=gold a.c", "cmake -S . -B build -DX=1", "cmake --build build -j4", "openssl x509 -in a -noout -text", "mypy src", "mypy --config-file mypy.ini src", "mypy --strict .", "pylint -j4 src", "flake8 src", "ruff check --fix .", "ruff format",
		"tsc --noEmit", "tsc -p tsconfig.json", "tsc -p .", "cargo run -- --config x", "cargo run --release", "cargo fmt --all", "cargo tree -i a", "cargo test", "pip list", "pip install -r requirements.txt", "npm run a", "npm install a", "npm run build -- --config x", "npx cowsay -c x", "npx tsc --noEmit", "npx eslint .",
		"pnpm install", "yarn install", "curl -sS -o a https://a.example", "curl -s -w '%{http_code}' https://a.example", "wget -q https://a.example/x", "vim a", "vim +10 a", "kubectl get pods -o wide", "kubectl exec a -- ls -s",
		"node -c a.js", "node --check a.js", "node a.js", "node -e x", "node -r ./x a.js", "bash -n a.sh", "bash -nv a.sh", "bash a.sh -n +n", "bash -c x", "perl -e x", "perl -ne 'print' a", "perl -pi -e s/a/c/ a", "ruby -c a.rb", "ruby -ne c", "php -l a.php", "python -c x", "python3 -m json.tool a",
		"python a.py --config ../x --eval x", "make", "unknown a --config a.yaml", "unknown --preset x --prefix a --filter 'a b' -c x -e x", "unknown ../x /tmp/y", "unknown -o out.txt a", "docker compose --project-directory ../x up", "ts-node -e x",
	} {
		require.False(t, exceedsOptions(argsOf(line)), line)
	}
}

// Runners of which most arguments are listed.
func TestRunnerSpecs(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"mvn test": false, "mvn -q test -Dtest=A#b": false, "mvn clean verify -DskipTests": false, "mvn -pl a -am test": false, "mvn test exec:exec": true, "mvn test -f ../x": true, "mvn -s x test": true, "mvn test -Dexec.executable=x": true, "mvn -B --no-transfer-progress test": false, "./mvnw test": false, "./mvnw test -f x": true,
		"gradle test --tests A": false, "./gradlew build -x test --info": false, "./gradlew test -p ../x": true, "gradle test -I x": true, "gradle -Dx=y test": true, "gradle :a:test": false,
		"dotnet test --no-build --filter 'Name=A'": false, "dotnet test -p:X=y": true, "dotnet test --logger console;verbosity=detailed": false, "dotnet test --logger ./x": true, "dotnet test --settings x": true, "dotnet build -c Release": false, "dotnet test --test-adapter-path x": true, "dotnet run": false,
		"rspec spec/a_spec.rb:12": false, "bundle exec rspec -fd --tag x": false, "rspec -r ./x": true, "rspec -I x": true, "rspec -f ./x": true, "rspec -O x": true,
		"phpunit --filter a tests": false, "vendor/bin/phpunit --testsuite unit": false, "phpunit --bootstrap x": true, "phpunit -c x": true, "vendor/bin/pest --parallel": false,
		"tox -e py312 -- -k a": false, "tox -c x": true, "tox -e py -x a=b": true, "nox -s tests": false, "nox -f x": true, "ninja -C build -j4 all": false, "ninja -f x": true, "ninja -C ../x": true, "ninja -t commands": false,
		"ctest --output-on-failure -j8 -R a": false, "ctest --test-dir build -VV": false, "ctest -S x": true, "ctest --test-command x": true, "ctest -SP x": true, "cmake --build build --target all -j8": false, "cmake --build . -- -j4": false, "cmake --build . -- SHELL=./x": true, "cmake --build ../x": true,
		"pre-commit run -a": false, "pre-commit run ruff --files a.py": false, "pre-commit run -c x": true, "prettier --check .": false, "npx prettier --write src": false, "prettier --plugin=x a": true, "npx prettier --config ../x .": true,
		"go list ./...": false, "go list -m -json all": false, "go list -f '{{.Dir}}' ./...": false, "go list -toolexec=x": true, "go list -overlay x": true, "go generate ./...": false, "go generate ../x": true, "go mod tidy": false, "go mod tidy -C x": true, "go run ./cmd/a --flag ../x -exec=b": false, "go run -exec x .": true, "go run ../x": true, "go fmt ./...": false, "go doc fmt.Println": false, "go install -toolexec x a@latest": true, "go install golang.org/x/tools/gopls@latest": false, "go get -u ./...": false,
		"npm ls --depth=0": false, "npm ls --prefix ../x": true, "npm outdated --registry=x": true, "npm install --save-dev @types/node": false, "npm install @types/node@20.1.0 a@^1": false, "npm install ../x": true, "npm install git+ssh://x/y": true, "npm install file:x": true, "npm ci --ignore-scripts": false, "npm install --script-shell x": true, "npm i --node-op=x": true, "npm audit --json": false,
		"task build": false, "task -t x": true, "task build X=y": true, "just test": false, "just -f x": true, "just --set a b": true, "rake test": false, "rake -f x": true, "rake -r x": true, "bats test": false, "bats -F ./x test": true, "deno test": false, "deno test --config x": true,
	} {
		words := make([]arg, 0, 8)
		for _, a := range argsOf(strings.ReplaceAll(line, "'", "")) {
			words = append(words, literalArg(a.value))
		}
		require.Equal(t, want, exceedsWildcard(words) || exceedsOptions(words), line)
	}
}

// TestOptionSpecOptionsExist asks the programs that are here for the options of their
// specs, and whether there are others that take a program.
func TestOptionSpecOptionsExist(t *testing.T) {
	t.Parallel()
	takesProgram := []string{"=COMMAND", "=PROG", "=PROGRAM", "=CMD", " <COMMAND>", " <PROG>", " <CMD>", "=SHELL-COMMAND", "=PAGER"}
	for name, list := range shelltable.OptionSpecs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil || has("vi view ex rvim rview gvim vimdiff nvim vim emacs gdb tex latex less apropos whatis openssl npx ar nm strip ranlib objdump readelf c++ cc g++", name) {
				t.Skip(name + " is not installed, or tells nothing of all its options")
			}
			help, err := exec.CommandContext(t.Context(), program, "--help").CombinedOutput()
			if err != nil {
				t.Skip(name + " has no --help")
			}
			for line := range strings.Lines(string(help)) {
				for _, mark := range takesProgram {
					before, _, ok := strings.Cut(line, mark)
					option := before[strings.LastIndexAny(before, " ,[")+1:]
					if !ok || !strings.HasPrefix(option, "--") || has(notRun, option) {
						continue
					}
					_, found := matchOption(&list[len(list)-1], &commandSpec{}, literalArg(option), literalArg("x"))
					require.True(t, found || name == "tar", "%s: %s", name, strings.TrimSpace(line))
				}
			}
		})
	}
}

// notRun are options whose value is called a command, and that are handled elsewhere or
// name one of the program's own.
const notRun = "--rsh --rsh-command --rmt-command --help --command"
