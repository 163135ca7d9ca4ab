package shellparse

import "regexp"

// Flags that several wildcardSpecs share. A flag is listed if none of its values names
// a program, a file, a place to write to, or a server.
const (
	// goBuildFlags leaves out -C, -exec, -toolexec, -modfile, -overlay, -mod, -pkgdir,
	// and the flags for compilers and linkers, which may name other programs.
	goBuildFlags = ` --a --n --v --x --p= --race --msan --asan --cover --covermode= --coverpkg= --json --tags= --trimpath --work`
	// goTestFlags leaves out -args, -c, -o and all flags that write a profile.
	goTestFlags = ` --bench= --benchmem --benchtime= --count= --cpu= --failfast --fullpath --list= --parallel= --run= --short
		--shuffle= --skip= --timeout= --vet=`
	// cargoFlags leaves out --config, -Z, -C, --manifest-path, --target-dir,
	// --artifact-dir, --lockfile-path, --fix, and --target, which may be a file that
	// names a linker.
	cargoFlags = ` -p= --package= --workspace --all --exclude= --all-targets --lib --bins --bin= --examples --example= --tests
		--test= --benches --bench= -F= --features= --all-features --no-default-features -r --release --profile= -j= --jobs=
		--locked --offline --frozen --ignore-rust-version -v --verbose -q --quiet --color= --message-format=`
	// npmFlags are flags before "--", which npm reads itself. --script-shell names a
	// program, and so does every abbreviation of it.
	npmFlags = `-s --silent --if-present`
	// scriptFlags are flags that test runners and similar scripts read in nearly the
	// same way. Any other flag is unknown: --config, --require and --plugin run a file.
	scriptFlags = `-t= -g= --grep= --testNamePattern= --coverage --verbose --watch --run --bail --silent --ci --runInBand --fix --check`
	// runnerFlags are the flags of package managers that pass flags on without "--".
	runnerFlags = `-s --if-present ` + scriptFlags
	// kubectlFlags leaves out --kubeconfig, which may name a program, and flags that
	// choose the server or the user.
	kubectlFlags = ` -n= --namespace= -l= --selector=`
	kubectlList  = kubectlFlags + ` -A --all-namespaces --chunk-size=`
	// ghList leaves out -R, which accepts any host, --web, and the programs of --jq and
	// --template; that of --jq sees the environment.
	ghList = ` -L= --limit= --json=`
	ghFind = ghList + ` -s= --state= -A= --author= -a= --assignee= -l= --label= -S= --search=`
)

var (
	// goOutput matches a path in the project without hidden directories. Go overwrites
	// only programs, and those it builds come from the project.
	goOutput = regexp.MustCompile(`^(\./)?\w[\w.-]*(/\w[\w.-]*)*/?$`)
	// kubectlFormat matches formats that do not come from a file.
	kubectlFormat = regexp.MustCompile(`^=?(json|yaml|name|wide|(jsonpath|jsonpath-as-json|go-template|custom-columns)=.*)$`)
	// kubectlSecret matches the kinds whose values are secret, in a list.
	kubectlSecret = regexp.MustCompile(`(?i)(^|,)secrets?([./,]|$)`)
	// eslintFormat matches formats that no file defines.
	eslintFormat = regexp.MustCompile(`^=?(stylish|json|json-with-metadata|html|compact|unix)$`)
	wholeNumber  = regexp.MustCompile(`^[0-9]*$`)
)

// wildcardSpecs are the commands of which a rule with a wildcard covers only the listed
// arguments, by program.
var wildcardSpecs = map[string][]wildcardSpec{
	"go": {
		{source: "Go 1.26, go help build", words: "build", flags: goBuildFlags + " --o=", values: map[string]*regexp.Regexp{"--o": goOutput}, singleDash: true},
		{source: "Go 1.26, go help test, testflag", words: "test", flags: goBuildFlags + goTestFlags, singleDash: true},
		{source: "Go 1.26, go help vet", words: "vet", flags: "--n --v --x --c= --json --tags= --race", singleDash: true},
	},
	"cargo": {
		{source: "cargo 1.95, cargo help build", words: "build", flags: cargoFlags + " --keep-going"},
		{source: "cargo 1.95, cargo help build", words: "b", flags: cargoFlags + " --keep-going"},
		{source: "cargo 1.95, cargo help check", words: "check", flags: cargoFlags + " --keep-going"},
		{source: "cargo 1.95, cargo help check", words: "c", flags: cargoFlags + " --keep-going"},
		{source: "cargo 1.95, cargo help test, and the flags of its tests but --logfile", words: "test", flags: cargoTest, afterDashes: libtestFlags},
		{source: "cargo 1.95, cargo help test, and the flags of its tests but --logfile", words: "t", flags: cargoTest, afterDashes: libtestFlags},
		{source: "cargo 1.95, cargo help clippy, and the lints of rustc", words: "clippy", flags: cargoFlags + " --keep-going --no-deps", afterDashes: "-A= -D= -F= -W="},
	},
	"npm":  {npmScript("run"), npmScript("run-script"), npmScript("test"), npmScript("t"), npmScript("tst")},
	"pnpm": {pnpmScript("run"), pnpmScript("test"), pnpmScript("t")},
	"yarn": {yarnScript("run"), yarnScript("test")},
	"bun":  {{source: "bun 1.2 manual, bun run", words: "run", flags: runnerFlags, afterDashes: scriptFlags, passesFlags: true}},
	"make": {makeSpec}, "gmake": {makeSpec},
	"pytest": {pytestSpec}, "py.test": {pytestSpec},
	"jest":   {jestSpec},
	"vitest": {vitestSpec},
	"mocha":  {mochaSpec},
	"eslint": {eslintSpec},
	"kubectl": {
		{
			source: "kubectl 1.32, get", words: "get", values: map[string]*regexp.Regexp{"-o": kubectlFormat, "--output": kubectlFormat}, refusedOperand: kubectlSecret,
			flags: kubectlList + " --field-selector= -o= --output= -w --watch --show-labels --show-kind --no-headers --sort-by= -L= --label-columns= --ignore-not-found",
		},
		{source: "kubectl 1.32, describe", words: "describe", flags: kubectlList + " --show-events?", refusedOperand: kubectlSecret},
		{
			source: "kubectl 1.32, logs", words: "logs", flags: kubectlFlags + " -c= --container= --all-containers --prefix -f --follow -p --previous" +
				" --since= --since-time= --tail= --timestamps --limit-bytes= --ignore-errors --max-log-requests=",
		},
	},
	"gh": {
		{source: "gh 2.60 manual", words: "pr view", flags: "-c --comments --json="},
		{source: "gh 2.60 manual", words: "pr list", flags: ghFind + " -B= --base= -H= --head= -d --draft"},
		{source: "gh 2.60 manual", words: "issue view", flags: "-c --comments --json="},
		{source: "gh 2.60 manual", words: "issue list", flags: ghFind + " -m= --milestone= --mention="},
		{source: "gh 2.60 manual", words: "run view", flags: "-a= --attempt= --exit-status -j= --job= --log --log-failed -v --verbose --json="},
		{source: "gh 2.60 manual", words: "run list", flags: ghList + " -a --all -b= --branch= -c= --commit= --created= -e= --event= -s= --status= -u= --user= -w= --workflow="},
	},
}

const (
	cargoTest    = cargoFlags + ` --doc --no-run --no-fail-fast`
	libtestFlags = `--nocapture --no-capture --ignored --include-ignored --exact --show-output --skip= --list --test-threads= -q --quiet`
)

func npmScript(words string) wildcardSpec {
	return wildcardSpec{source: "npm 11 manual, npm run", words: words, flags: npmFlags, afterDashes: scriptFlags}
}

func pnpmScript(words string) wildcardSpec {
	return wildcardSpec{source: "pnpm 10 manual, pnpm run", words: words, flags: runnerFlags, afterDashes: scriptFlags, passesFlags: true}
}

func yarnScript(words string) wildcardSpec {
	return wildcardSpec{source: "yarn 1.22 and 4 manuals, yarn run", words: words, flags: runnerFlags, afterDashes: scriptFlags, passesFlags: true}
}

// makeSpec leaves out flags that choose other rules or another directory. A word with
// an equals sign sets a variable, even after "--", and SHELL is one.
var makeSpec = wildcardSpec{
	source: "GNU make 4.4 manual, options", values: map[string]*regexp.Regexp{"-j": wholeNumber, "--jobs": wholeNumber},
	flags: "-j? --jobs? -k --keep-going -s --silent --quiet -B --always-make -n --just-print --dry-run --recon" +
		" -w --print-directory --no-print-directory",
}

// pytestSpec leaves out -p, -c, -o, --rootdir, --confcutdir, --basetemp, --pyargs,
// --pdb and all flags that write reports.
var pytestSpec = wildcardSpec{
	source: "pytest 8.4 manual, command-line flags",
	flags: "-k= -m= -v -q -x -s -l -r= --verbose --quiet --exitfirst --showlocals --maxfail= --durations= --durations-min= --tb= --lf --last-failed" +
		" --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only --no-header --no-summary --color= --strict-markers -n= --cov?",
}

// jestSpec leaves out -c, --env, --rootDir, --reporters and all other flags that name a
// file or a module, and those that choose where to write.
var jestSpec = wildcardSpec{
	source: "Jest 29 and 30 manuals, CLI options",
	flags: "-t= --testNamePattern= --testPathPattern= --testPathPatterns= --testPathIgnorePatterns= -i --runInBand -w= --maxWorkers= --bail? --ci" +
		" --coverage? --collectCoverageFrom= --verbose? --silent? --watch --watchAll? -u --updateSnapshot -o --onlyChanged -f --onlyFailures" +
		" --changedSince= --findRelatedTests --runTestsByPath --passWithNoTests --forceExit --detectOpenHandles --json --listTests --no-cache" +
		" --noStackTrace --expand --lastCommit --randomize --seed= --shard= --showSeed --testTimeout= --color --colors --no-color --no-coverage",
}

// vitestSpec leaves out the same flags of vitest, whose first word may be a subcommand.
var vitestSpec = wildcardSpec{
	source: "Vitest 3 manual, CLI",
	flags: "-t= --testNamePattern= --run --watch? --coverage --bail= --silent? --hideSkippedTests --passWithNoTests --allowOnly --retry= --shard=" +
		" --changed? --testTimeout= --hookTimeout= --no-color --no-coverage -u --update --maxWorkers= --minWorkers= --logHeapUsage",
}

// mochaSpec leaves out -r, -R, -u, --config, --package, --file and the flags of node.
var mochaSpec = wildcardSpec{
	source: "Mocha 11 manual, command line",
	flags: "-g= --grep= -f= --fgrep= -i --invert -b --bail --exit -t= --timeout= -s= --slow= --retries= -j= --jobs= -p --parallel --recursive" +
		" -w --watch --check-leaks --full-trace --forbid-only --forbid-pending -c --color --no-color --dry-run --list-interfaces --sort -A --async-only",
}

// eslintSpec leaves out -c, --rulesdir, --plugin, --parser,
// --resolve-plugins-relative-to, -o and the flags for the place of the cache.
var eslintSpec = wildcardSpec{
	source: "ESLint 9 manual, command line", values: map[string]*regexp.Regexp{"-f": eslintFormat, "--format": eslintFormat},
	flags: "--ext= --fix --fix-dry-run --fix-type= --quiet --max-warnings= --cache --no-cache --color --no-color --no-ignore --ignore-pattern=" +
		" --no-error-on-unmatched-pattern --pass-on-no-patterns --no-warn-ignored --exit-on-fatal-error --no-inline-config --stats --debug -f= --format=" +
		" --report-unused-disable-directives --report-unused-disable-directives-severity= --env-info",
}

// projectLaunchers are launchers that start a program of a project, with the words that
// precede its name. A launcher's own options are not skipped: a rule that covers them
// names them.
var projectLaunchers = map[string][]string{
	"python": {"-m"}, "py": {"-m"}, "coverage": {"run -m"},
	"uv": {"run", "tool run"}, "uvx": {""}, "poetry": {"run"}, "pdm": {"run"}, "pipenv": {"run"}, "hatch": {"run"}, "rye": {"run"}, "pipx": {"run"},
	"npx": {""}, "bunx": {""}, "npm": {"exec --", "exec", "x --", "x"}, "pnpm": {"exec", "dlx", ""}, "yarn": {"exec", "dlx", ""},
	"bun": {"x"}, "bundle": {"exec"}, "env": {""}, "cross-env": {""}, "direnv": {"exec ."}, "mise": {"exec --", "x --"}, "devbox": {"run"},
}
