package shelltable

import (
	"maps"
	"regexp"
	"slices"
)

// A WildcardSpec says which arguments of a command a rule with a wildcard covers. It is
// for commands that people allow with any arguments, such as "go test". The files of
// the project decide what such a command starts, and a person who allows it knows that.
// But some of its options make it start another program, read files outside the
// project, write to a given place, or send something elsewhere.
//
// The spec lists the arguments that do none of this. Any other argument sets NoWildcards
// on the command: the rule "go test *" covers "go test -run X ./..." but not "go test
// -exec ./other". A rule without a wildcard still covers it. This is stricter than the
// documented meaning of a prefix, under which the rule covers both.
//
// Options before the subcommand are not examined: "go -C dir test" does not begin with
// "go test". A rule that covers it either names the option or allows everything the
// program can do.
type WildcardSpec struct {
	Source         string
	Words          string                    // the subcommand; empty if the program has none
	Flags          string                    // as in the tables of shellparse; with SingleDash, long flags may have one dash
	AfterDashes    string                    // flags after "--", for the program that receives them
	SingleDash     bool                      // flags of more than one letter may have one dash
	EndsAtOperand  bool                      // the words behind the first operand are for a program of the project
	ScopedNames    bool                      // operands may be names of packages such as @scope/name
	PassesFlags    bool                      // flags before "--" may be passed on as those after it are
	Values         map[string]*regexp.Regexp // patterns that the values of some flags must match
	Writes         string                    // the flags whose value is a file that is written, or a directory that is entered
	RefusedOperand *regexp.Regexp            // operands that no wildcard covers, in addition to those that may lead out of the project
	RefusedArg     *regexp.Regexp            // arguments that no wildcard covers, whatever their flags
	Proposal       Proposal                  // whether a prefix of the command is proposed
	Behind         []string                  // launchers behind which the same prefix is proposed, such as "npx"
}

// A Proposal says which prefix of a command is proposed as an allow rule. Only commands
// that people run with other arguments every time have one:
//   - Build tools run the code of the project. Flags for other programs, settings and
//     places are not listed.
//   - Package managers run a script of the project by its name. Their own flags and
//     paths elsewhere are not listed.
//   - kubectl and gh show data of a server. Flags for another server, account or
//     setting are not listed, nor are secrets.
type Proposal int

// The proposals.
const (
	NoProposal    Proposal = iota // none
	ProposePrefix                 // the program and its subcommand, such as "go test *"
	ProposeScript                 // the same with the next word, the name of a script, such as "npm run build *"
)

// proposed returns the spec with another proposal, which holds behind launchers, too.
func (s WildcardSpec) proposed(p Proposal, launchers ...string) WildcardSpec {
	s.Proposal, s.Behind = p, launchers
	return s
}

// Flags that several WildcardSpecs share. A flag is listed if none of its values names
// a program, a file, a place to write to, or a server.
const (
	// goBuildFlags leaves out -exec, -toolexec, -modfile, -overlay, -mod, -pkgdir,
	// and the flags for compilers and linkers, which may name other programs.
	goBuildFlags = ` --a --n --v --x --p= --race --msan --asan --cover --covermode= --coverpkg= --json --tags= --trimpath --work --C=`
	// goTestFlags leaves out -args, -c, -o and the flags that write other profiles than that
	// of the coverage.
	goTestFlags = ` --bench= --benchmem --benchtime= --count= --cpu= --failfast --fullpath --list= --parallel= --run= --short
		--shuffle= --skip= --timeout= --vet= --coverprofile=`
	// cargoFlags leaves out --config, -Z, -C, --target-dir,
	// --artifact-dir, --lockfile-path, --fix, and --target, which may be a file that
	// names a linker.
	cargoFlags = ` -p= --package= --workspace --all --exclude= --all-targets --lib --bins --bin= --examples --example= --tests
		--test= --benches --bench= -F= --features= --all-features --no-default-features -r --release --profile= -j= --jobs=
		--locked --offline --frozen --ignore-rust-version -v --verbose -q --quiet --color= --message-format= --manifest-path=`
	// npmFlags are flags before "--", which npm reads itself. --script-shell names a
	// program, and so does every abbreviation of it. A workspace is one of those that
	// the project lists.
	npmFlags = `-s --silent --if-present -w= --workspace=`
	// scriptFlags are flags that test runners and similar scripts read in nearly the
	// same way. Any other flag is unknown: --config, --require and --plugin run a file, and so
	// does a reporter that no runner brings.
	scriptFlags = `-t= -g= --grep= --testNamePattern= --testPathPattern= --testPathPatterns= --coverage? --verbose? --watch? --watchAll? --run --bail? --silent? --ci? --runInBand --fix --check` +
		` --maxWorkers= --testTimeout= --timeout= --retries= --shard= --max-warnings= --quiet --color --colors --no-color --no-coverage --passWithNoTests --forceExit --detectOpenHandles` +
		` --updateSnapshot --findRelatedTests --runTestsByPath --listTests --onlyChanged -R= --reporter= --reporters=`
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
	// output matches a path in the project without hidden directories, where a report is
	// written, or a program. Go overwrites only programs, and those it builds come from the
	// project.
	output = regexp.MustCompile(`^=?(\./)?\w[\w.-]*(/\w[\w.-]*)*/?$`)
	// goValues are patterns for the values of flags that several commands of go share.
	goValues = map[string]*regexp.Regexp{"--C": output}
	goTest   = withValues(goValues, map[string]*regexp.Regexp{
		"--coverprofile": output,
	})
	// cargoManifest matches the manifest of a package in the project.
	cargoManifest = map[string]*regexp.Regexp{"--manifest-path": regexp.MustCompile(`^=?(\./)?(\w[\w.-]*/)*Cargo\.toml$`)}
	// reporter matches the reporters that mocha, Jest, Vitest, Playwright and node bring. Any
	// other is a module that is loaded.
	reporter         = regexp.MustCompile(`^=?(dot|spec|nyan|tap|tap-flat|landing|list|progress|json|json-stream|min|doc|markdown|xunit|junit|html|html-cov|line|blob|github|default|verbose|basic|tree|summary|github-actions|hanging-process)$`)
	coverageReporter = regexp.MustCompile(`^=?(clover|cobertura|html|html-spa|json|json-summary|lcov|lcovonly|none|teamcity|text|text-lcov|text-summary)$`)
	// pytestReport matches the reports of pytest-cov in their default places.
	pytestReport = regexp.MustCompile(`^=?(term|term-missing|annotate|html|xml|json|lcov)(:skip-covered)?$`)
	pytestValues = map[string]*regexp.Regexp{"--cov": projectPath, "--cov-report": pytestReport}
	jestValues   = map[string]*regexp.Regexp{"--reporters": reporter, "--coverageReporters": coverageReporter}
	vitestValues = map[string]*regexp.Regexp{"--reporter": reporter}
	// kubectlFormat matches formats that do not come from a file.
	kubectlFormat = regexp.MustCompile(`^=?(json|yaml|name|wide|(jsonpath|jsonpath-as-json|go-template|custom-columns)=.*)$`)
	// kubectlSecret matches the kinds whose values are secret, in a list.
	kubectlSecret = regexp.MustCompile(`(?i)(^|,)secrets?([./,]|$)`)
	// eslintFormat matches formats that no file defines.
	eslintFormat = regexp.MustCompile(`^=?(stylish|json|json-with-metadata|html|compact|unix)$`)
	wholeNumber  = regexp.MustCompile(`^[0-9]*$`)
	// workspace matches the name of a workspace, or its path in the project.
	workspace = regexp.MustCompile(`^=?(@[\w-][\w.-]*/)?(\./)?\w[\w.-]*(/\w[\w.-]*)*$`)
	// gluedWorkspace matches letters that npm reads as several flags.
	gluedWorkspace = regexp.MustCompile(`^-\w*w.`)
	setting        = regexp.MustCompile(`^(true|false|[0-9]+([%/][0-9]*)?)?$`)
	// scriptValues are patterns for the values of scriptFlags that are numbers or switches.
	scriptValues = map[string]*regexp.Regexp{
		"--coverage": setting, "--verbose": setting, "--watch": setting, "--watchAll": setting, "--bail": setting, "--silent": setting, "--ci": setting,
		"--maxWorkers": setting, "--testTimeout": setting, "--timeout": setting, "--retries": setting, "--shard": setting, "--max-warnings": setting,
		"-R": reporter, "--reporter": reporter, "--reporters": reporter,
	}
	workspaceValues = map[string]*regexp.Regexp{"-w": workspace, "--workspace": workspace}
	npmValues       = withValues(scriptValues, workspaceValues)
)

// WildcardSpecs are the commands of which a rule with a wildcard covers only the listed
// arguments, by program. The first spec whose words begin the arguments counts.
var WildcardSpecs = mergeSpecs(everydaySpecs, runnerSpecs)

func mergeSpecs(tables ...map[string][]WildcardSpec) map[string][]WildcardSpec {
	all := map[string][]WildcardSpec{}
	for _, table := range tables {
		for name, specs := range table {
			all[name] = slices.Concat(all[name], specs)
		}
	}
	return all
}

func withValues(tables ...map[string]*regexp.Regexp) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// everydaySpecs are the specs of the programs that agents run most.
var everydaySpecs = map[string][]WildcardSpec{
	"go": {
		{Source: "Go 1.26, go help build", Words: "build", Proposal: ProposePrefix, Flags: goBuildFlags + " --o=", Writes: "--C", Values: withValues(goValues, map[string]*regexp.Regexp{"--o": output}), SingleDash: true},
		{Source: "Go 1.26, go help test, testflag", Words: "test", Proposal: ProposePrefix, Flags: goBuildFlags + goTestFlags, Writes: "--C --coverprofile", Values: goTest, SingleDash: true},
		{Source: "Go 1.26, go help vet", Words: "vet", Proposal: ProposePrefix, Flags: "--n --v --x --c= --json --tags= --race", SingleDash: true},
	},
	"cargo": {
		{Source: "cargo 1.95, cargo help build", Words: "build", Proposal: ProposePrefix, Flags: cargoFlags + " --keep-going", Values: cargoManifest},
		{Source: "cargo 1.95, cargo help build", Words: "b", Flags: cargoFlags + " --keep-going", Values: cargoManifest},
		{Source: "cargo 1.95, cargo help check", Words: "check", Proposal: ProposePrefix, Flags: cargoFlags + " --keep-going", Values: cargoManifest},
		{Source: "cargo 1.95, cargo help check", Words: "c", Flags: cargoFlags + " --keep-going", Values: cargoManifest},
		{Source: "cargo 1.95, cargo help test, and the flags of its tests but --logfile", Words: "test", Proposal: ProposePrefix, Flags: cargoTest, Values: cargoManifest, AfterDashes: libtestFlags},
		{Source: "cargo 1.95, cargo help test, and the flags of its tests but --logfile", Words: "t", Flags: cargoTest, Values: cargoManifest, AfterDashes: libtestFlags},
		{Source: "cargo 1.95, cargo help clippy, and the lints of rustc", Words: "clippy", Proposal: ProposePrefix, Flags: cargoFlags + " --keep-going --no-deps", Values: cargoManifest, AfterDashes: "-A= -D= -F= -W="},
	},
	"npm":  {npmScript("run").proposed(ProposeScript), npmScript("run-script"), npmScript("test").proposed(ProposePrefix), npmScript("t"), npmScript("tst")},
	"pnpm": {pnpmScript("run").proposed(ProposeScript), pnpmScript("test").proposed(ProposePrefix), pnpmScript("t")},
	"yarn": {yarnScript("run").proposed(ProposeScript), yarnScript("test").proposed(ProposePrefix)},
	"bun":  {{Source: "bun 1.2 manual, bun run", Words: "run", Proposal: ProposeScript, Flags: runnerFlags, AfterDashes: scriptFlags, Values: scriptValues, PassesFlags: true}},
	"make": {makeSpec}, "gmake": {makeSpec},
	"pytest": {pytestSpec.proposed(ProposePrefix, "python -m", "python3 -m", "uv run", "poetry run", "pdm run", "pipenv run")}, "py.test": {pytestSpec},
	"jest":   {jestSpec.proposed(ProposePrefix, "npx", "bunx", "yarn", "pnpm exec")},
	"vitest": {vitestRun.proposed(ProposePrefix, "npx", "bunx", "yarn", "pnpm exec"), vitestSpec},
	"tsc":    {tscCheck.proposed(ProposePrefix, "npx", "bunx", "yarn", "pnpm exec")},
	"mocha":  {mochaSpec},
	"eslint": {eslintSpec},
	"kubectl": {
		{
			Source: "kubectl 1.32, get", Words: "get", Proposal: ProposePrefix, Values: map[string]*regexp.Regexp{"-o": kubectlFormat, "--output": kubectlFormat}, RefusedOperand: kubectlSecret,
			Flags: kubectlList + " --field-selector= -o= --output= -w --watch --show-labels --show-kind --no-headers --sort-by= -L= --label-columns= --ignore-not-found",
		},
		{Source: "kubectl 1.32, describe", Words: "describe", Proposal: ProposePrefix, Flags: kubectlList + " --show-events?", RefusedOperand: kubectlSecret},
		{
			Source: "kubectl 1.32, logs", Words: "logs", Proposal: ProposePrefix, Flags: kubectlFlags + " -c= --container= --all-containers --prefix -f --follow -p --previous" +
				" --since= --since-time= --tail= --timestamps --limit-bytes= --ignore-errors --max-log-requests=",
		},
	},
	"gh": {
		{Source: "gh 2.60 manual", Words: "pr view", Proposal: ProposePrefix, Flags: "-c --comments --json="},
		{Source: "gh 2.60 manual", Words: "pr list", Proposal: ProposePrefix, Flags: ghFind + " -B= --base= -H= --head= -d --draft"},
		{Source: "gh 2.60 manual", Words: "issue view", Proposal: ProposePrefix, Flags: "-c --comments --json="},
		{Source: "gh 2.60 manual", Words: "issue list", Proposal: ProposePrefix, Flags: ghFind + " -m= --milestone= --mention="},
		{Source: "gh 2.60 manual", Words: "run view", Proposal: ProposePrefix, Flags: "-a= --attempt= --exit-status -j= --job= --log --log-failed -v --verbose --json="},
		{Source: "gh 2.60 manual", Words: "run list", Proposal: ProposePrefix, Flags: ghList + " -a --all -b= --branch= -c= --commit= --created= -e= --event= -s= --status= -u= --user= -w= --workflow="},
	},
}

const (
	cargoTest    = cargoFlags + ` --doc --no-run --no-fail-fast`
	libtestFlags = `--nocapture --no-capture --ignored --include-ignored --exact --show-output --skip= --list --test-threads= -q --quiet`
)

func npmScript(words string) WildcardSpec {
	return WildcardSpec{Source: "npm 11 manual, npm run", Words: words, Flags: npmFlags, AfterDashes: scriptFlags, Values: npmValues, RefusedArg: gluedWorkspace}
}

func pnpmScript(words string) WildcardSpec {
	return WildcardSpec{Source: "pnpm 10 manual, pnpm run", Words: words, Flags: runnerFlags, AfterDashes: scriptFlags, Values: scriptValues, PassesFlags: true}
}

func yarnScript(words string) WildcardSpec {
	return WildcardSpec{Source: "yarn 1.22 and 4 manuals, yarn run", Words: words, Flags: runnerFlags, AfterDashes: scriptFlags, Values: scriptValues, PassesFlags: true}
}

// makeSpec leaves out flags that choose other rules or a directory elsewhere. A word with
// an equals sign sets a variable, even after "--", and SHELL is one.
var makeSpec = WildcardSpec{
	Source: "GNU make 4.4 manual, options", Values: map[string]*regexp.Regexp{"-j": wholeNumber, "--jobs": wholeNumber, "-C": output, "--directory": output}, Writes: "-C --directory",
	Flags: "-j? --jobs? -k --keep-going -s --silent --quiet -B --always-make -n --just-print --dry-run --recon" +
		" -w --print-directory --no-print-directory -C= --directory=",
}

// pytestSpec leaves out -p, -c, -o, --rootdir, --confcutdir, --basetemp, --pyargs,
// --pdb and all flags that say where a report is written.
var pytestSpec = WildcardSpec{
	Source: "pytest 8.4 manual, command-line flags, and pytest-cov 6", Values: pytestValues,
	Flags: "-k= -m= -v -q -x -s -l -r= --verbose --quiet --exitfirst --showlocals --maxfail= --durations= --durations-min= --tb= --lf --last-failed" +
		" --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only --no-header --no-summary --color= --strict-markers -n= --cov? --cov-report=",
}

// jestSpec leaves out -c, --env, --rootDir and all other flags that name a file or a
// module, and those that choose where to write.
var jestSpec = WildcardSpec{
	Source: "Jest 29 and 30 manuals, CLI options", Values: jestValues,
	Flags: "-t= --testNamePattern= --testPathPattern= --testPathPatterns= --testPathIgnorePatterns= -i --runInBand -w= --maxWorkers= --bail? --ci" +
		" --coverage? --collectCoverageFrom= --verbose? --silent? --watch --watchAll? -u --updateSnapshot -o --onlyChanged -f --onlyFailures" +
		" --changedSince= --findRelatedTests --runTestsByPath --passWithNoTests --forceExit --detectOpenHandles --json --listTests --no-cache" +
		" --noStackTrace --expand --lastCommit --randomize --seed= --shard= --showSeed --testTimeout= --color --colors --no-color --no-coverage" +
		" --reporters= --coverageReporters=",
}

// vitestFlags leave out the same flags of vitest.
const vitestFlags = "-t= --testNamePattern= --run --watch? --coverage --bail= --silent? --hideSkippedTests --passWithNoTests --allowOnly --retry= --shard=" +
	" --changed? --testTimeout= --hookTimeout= --no-color --no-coverage -u --update --maxWorkers= --minWorkers= --logHeapUsage --reporter="

var (
	// vitestRun is proposed. Other words than "run" may install packages.
	vitestRun  = WildcardSpec{Source: "Vitest 3 manual, CLI, vitest run", Words: "run", Flags: vitestFlags, Values: vitestValues}
	vitestSpec = WildcardSpec{Source: "Vitest 3 manual, CLI", Flags: vitestFlags, Values: vitestValues}
)

// tscCheck leaves out --build, --init, --incremental, --plugins, all flags that say where
// something is written, and "false", which a flag may be followed by.
var tscCheck = WildcardSpec{
	Source: "TypeScript 5 manual, tsc CLI options", Words: "--noEmit", SingleDash: true, RefusedOperand: regexp.MustCompile(`(?i)^(true|false|null)$`),
	Values: map[string]*regexp.Regexp{"-p": projectPath, "--project": projectPath},
	Flags: "-p= --project= -t= --target= -m= --module= --moduleResolution= --jsx= --lib= -w --watch --pretty --skipLibCheck --skipDefaultLibCheck --strict --allowJs --checkJs" +
		" --strictNullChecks --strictFunctionTypes --strictBindCallApply --strictPropertyInitialization --noImplicitAny --noImplicitReturns --noImplicitThis --noImplicitOverride" +
		" --noUnusedLocals --noUnusedParameters --noUncheckedIndexedAccess --noFallthroughCasesInSwitch --exactOptionalPropertyTypes --useUnknownInCatchVariables" +
		" --esModuleInterop --allowSyntheticDefaultImports --resolveJsonModule --isolatedModules --verbatimModuleSyntax --allowImportingTsExtensions --downlevelIteration" +
		" --experimentalDecorators --emitDecoratorMetadata --forceConsistentCasingInFileNames --noErrorTruncation --diagnostics --extendedDiagnostics --listFiles --explainFiles" +
		" --traceResolution --showConfig",
}

// mochaSpec leaves out -r, -u, --config, --package, --file and the flags of node.
var mochaSpec = WildcardSpec{
	Source: "Mocha 11 manual, command line", Values: map[string]*regexp.Regexp{"-R": reporter, "--reporter": reporter},
	Flags: "-g= --grep= -f= --fgrep= -i --invert -b --bail --exit -t= --timeout= -s= --slow= --retries= -j= --jobs= -p --parallel --recursive" +
		" -w --watch --check-leaks --full-trace --forbid-only --forbid-pending -c --color --no-color --dry-run --list-interfaces --sort -A --async-only -R= --reporter=",
}

// eslintSpec leaves out -c, --rulesdir, --plugin, --parser,
// --resolve-plugins-relative-to, -o and the flags for the place of the cache.
var eslintSpec = WildcardSpec{
	Source: "ESLint 9 manual, command line", Values: map[string]*regexp.Regexp{"-f": eslintFormat, "--format": eslintFormat},
	Flags: "--ext= --fix --fix-dry-run --fix-type= --quiet --max-warnings= --cache --no-cache --color --no-color --no-ignore --ignore-pattern=" +
		" --no-error-on-unmatched-pattern --pass-on-no-patterns --no-warn-ignored --exit-on-fatal-error --no-inline-config --stats --debug -f= --format=" +
		" --report-unused-disable-directives --report-unused-disable-directives-severity= --env-info",
}
