package shelltable

import (
	"regexp"
	"strings"
)

// Flags that several specs of this file share.
const (
	// goListFlags leaves out the same flags as goBuildFlags.
	goListFlags = ` --compiled --deps --e --export --f= --find --m --reuse= --retracted --test --u --versions`
	// dotnetFlags leaves out -p, which sets properties that name programs, and all flags
	// for places outside the project.
	dotnetFlags = `-c= --configuration= -f= --framework= -r= --runtime= --no-build --no-restore --no-dependencies --no-incremental --nologo -v= --verbosity=` +
		` --self-contained? --no-self-contained --arch= --os= --interactive? --tl? --force`
	// phpunitFlags leaves out --bootstrap, -c, --extension, --include-path, -d, --printer
	// and the flags that write reports.
	phpunitFlags = `--filter= --exclude-filter= --testsuite= --exclude-testsuite= --group= --exclude-group= --covers= --uses= --testdox --stop-on-failure --stop-on-error` +
		` --stop-on-defect --stop-on-warning --stop-on-risky --fail-on-warning --fail-on-risky --colors? -v --verbose --debug --no-coverage --list-tests --list-groups` +
		` --list-suites --order-by= --random-order --reverse-order --process-isolation --display-warnings --display-deprecations --display-notices --display-all-issues` +
		` --no-progress --no-results --no-output --do-not-cache-result --cache-result --columns= --repeat= --version --help`
	npmPackageFlags = npmFlags + ` --json --depth= --all -a --long -l --parseable -p --omit= --include= --workspaces --include-workspace-root --production --prod --dev --only=` +
		` --audit-level= --dry-run --package-lock-only --no-audit --no-fund --fund? --save-dev -D --save -S --save-exact -E --save-optional -O --save-peer --save-prod -P --no-save` +
		` --legacy-peer-deps --strict-peer-deps --force -f --verbose --loglevel= -d --color? --no-color --prefer-offline --prefer-online --offline --ignore-scripts --no-package-lock` +
		` --no-optional --foreground-scripts --version -v --help -h -y --yes --no-progress --progress? --global -g --tag= --access= --no-bin-links --latest --frozen-lockfile --immutable`
)

var (
	// projectPath matches a path in the project without hidden directories.
	projectPath = regexp.MustCompile(`^=?(\./?|(\./)?\w[\w.-]*(/\w[\w.-]*)*/?)?$`)
	// mavenGoal matches goals that are no phase: those of a plug-in may run anything.
	mavenGoal = regexp.MustCompile(`:`)
	// mavenProperty matches the value of -D for properties that only choose tests.
	mavenProperty   = regexp.MustCompile(`^(skipTests|skipITs|test|it\.test|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests|groups|excludedGroups|maven\.test\.failure\.ignore|style\.color|spotless\.check\.skip|checkstyle\.skip)(=|$)`)
	dotnetLogger    = regexp.MustCompile(`^=?(console|trx|html)(;verbosity=\w+)?$`)
	rspecFormat     = regexp.MustCompile(`^=?(p|d|j|h|f|progress|documentation|doc|json|html|failures)$`)
	ninjaTool       = regexp.MustCompile(`^=?(query|targets|commands|clean|compdb|graph|rules|deps|inputs|list|missingdeps)$`)
	ninjaDebug      = regexp.MustCompile(`^=?(stats|explain|keepdepfile|keeprsp|nostatcache|list)$`)
	packageFromAway = regexp.MustCompile(`^file:|^git|^link:|^\.`)
)

// runnerSpecs are the specs of programs that build, test and check projects.
var runnerSpecs = map[string][]WildcardSpec{
	"go": {
		{Source: "Go 1.26, go help list", Words: "list", Flags: goBuildFlags + goListFlags, Writes: "--C", Values: goValues, SingleDash: true},
		{Source: "Go 1.26, go help generate", Words: "generate", Flags: "--run= --skip= --n --v --x --tags=", SingleDash: true},
		{Source: "Go 1.26, go help fmt", Words: "fmt", Flags: "--n --x --mod=", SingleDash: true},
		{Source: "Go 1.26, go help doc", Words: "doc", Flags: "--all --c --cmd --short --src --u", SingleDash: true},
		{Source: "Go 1.26, go help install", Words: "install", Flags: goBuildFlags, Writes: "--C", Values: goValues, SingleDash: true},
		{Source: "Go 1.26, go help get", Words: "get", Flags: "--t --u= --v --x --tool --n", SingleDash: true},
		{Source: "Go 1.26, go help mod tidy", Words: "mod tidy", Flags: "--e --v --x --diff --go= --compat=", SingleDash: true},
		{Source: "Go 1.26, go help mod", Words: "mod download", Flags: "--x --json --reuse=", SingleDash: true},
		{Source: "Go 1.26, go help mod", Words: "mod graph", Flags: "--x --go=", SingleDash: true},
		{Source: "Go 1.26, go help mod", Words: "mod verify", SingleDash: true},
		{Source: "Go 1.26, go help mod", Words: "mod why", Flags: "--m --vendor", SingleDash: true},
		{Source: "Go 1.26, go help mod", Words: "mod vendor", Flags: "--e --v", SingleDash: true},
		{Source: "Go 1.26, go help mod edit", Words: "mod edit", Flags: "--fmt --json --print --go= --toolchain= --require= --droprequire= --exclude= --dropexclude= --retract= --dropretract= --godebug= --tool= --droptool=", SingleDash: true},
		{Source: "Go 1.26, go help run", Words: "run", Flags: goBuildFlags, Writes: "--C", Values: goValues, SingleDash: true, EndsAtOperand: true},
		{Source: "Go 1.26, go help fix", Words: "fix", Flags: "--n --v --x --diff --json --tags=", SingleDash: true},
		{Source: "Go 1.26, go help clean", Words: "clean", Flags: "--i --r --n --x --cache --testcache --modcache --fuzzcache", SingleDash: true},
	},
	"npm":    npmPackages("ls list la ll outdated audit view info show v install i ci add update up upgrade uninstall remove rm prune dedupe explain why pack root bin prefix fund search whoami ping doctor query rebuild"),
	"mvn":    {mavenSpec},
	"mvnw":   {mavenSpec},
	"gradle": {gradleSpec}, "gradlew": {gradleSpec},
	"dotnet": {
		{Source: ".NET 9 SDK manual, dotnet test", Words: "test", Flags: dotnetFlags + ` --filter= --logger= -l= --blame -t --list-tests --collect=`, Values: map[string]*regexp.Regexp{"--logger": dotnetLogger, "-l": dotnetLogger}},
		{Source: ".NET 9 SDK manual, dotnet build", Words: "build", Flags: dotnetFlags},
		{Source: ".NET 9 SDK manual, dotnet restore", Words: "restore", Flags: dotnetFlags},
		{Source: ".NET 9 SDK manual, dotnet clean", Words: "clean", Flags: dotnetFlags},
		{Source: ".NET 9 SDK manual, dotnet format", Words: "format", Flags: `--no-restore --verify-no-changes --include= --exclude= --severity= -v= --verbosity=`},
	},
	"rspec":   {rspecSpec.proposed(ProposePrefix, "bundle exec")},
	"phpunit": {phpunitSpec}, "pest": {phpunitSpec}, "paratest": {phpunitSpec},
	"tox": {{
		Source: "tox 4 manual, command line", Values: scriptValues, AfterDashes: scriptFlags + ` -k= -m= -q -x -v`,
		Flags: "-e= -f= -m= -q -v -r --recreate -p? --parallel? --parallel-no-spinner -l --listenvs -a --listenvs-all --notest --skip-missing-interpreters? --skip-pkg-install --no-recreate-pkg --colored= --fail-fast --version --help",
	}},
	"nox": {{
		Source: "nox 2025 manual, command line", Values: scriptValues, AfterDashes: scriptFlags + ` -k= -m= -q -x -v`,
		Flags: "-s= -e= --session= --sessions= -t= --tags= -k= --keywords= -r -R -l --list --reuse-existing-virtualenvs --no-install -p= --python= --pythons= -x --stop-on-first-error -v --verbose --non-interactive",
	}},
	"ninja": {{
		Source: "ninja 1.12 manual", Flags: "-C= -j= -k= -l= -n -v --verbose --quiet -d= -t= --version",
		Values: map[string]*regexp.Regexp{"-C": projectPath, "-t": ninjaTool, "-d": ninjaDebug},
	}},
	"ctest": {{
		Source: "ctest(1) of CMake 3.30", SingleDash: true, Values: map[string]*regexp.Regexp{"--test-dir": projectPath},
		Flags: "--output-on-failure -V --VV --verbose --extra-verbose -j= --parallel? -R= --tests-regex= -E= --exclude-regex= -L= --label-regex= --LE= --label-exclude= -N --show-only? -Q --quiet" +
			" --rerun-failed --stop-on-failure --timeout= --repeat= -C= --build-config= --test-dir= --progress --no-tests= --schedule-random --stop-time= --print-labels --preset= --list-presets",
	}},
	"cmake": {{
		Source: "cmake(1) 3.30, Build a Project", Words: "--build", AfterDashes: "-j? --jobs? -k --keep-going -s --silent -v -n -B",
		Flags: "-t= --target= --config= -j? --parallel? --clean-first -v --verbose --fresh --preset=",
	}},
	"pre-commit": {{
		Source: "pre-commit 4 manual, run", Words: "run",
		Flags: "-a --all-files --files= -v --verbose --show-diff-on-failure --fail-fast --hook-stage= --from-ref= --to-ref= -s= -o= --color=",
	}},
	"prettier": {{
		Source: "Prettier 3 manual, CLI",
		Flags: "-c --check -w --write -l --list-different --no-config --no-editorconfig --no-semi --single-quote --jsx-single-quote --use-tabs --tab-width= --print-width= --trailing-comma= --prose-wrap=" +
			" --end-of-line= --arrow-parens= --quote-props= --no-bracket-spacing --bracket-same-line --log-level= --loglevel= -u --ignore-unknown --cache --no-color --color --no-error-on-unmatched-pattern --stdin-filepath= --version --help --with-node-modules",
	}},
	"task": {{
		Source: "Task 3 manual, CLI",
		Flags:  "-l --list -a --list-all -v --verbose -s --silent -f --force -n --dry -p --parallel -C= --concurrency= -y --yes -w --watch -o= --output= -c --color? --summary --status -x --exit-code -j --json --version --help",
	}},
	"just": {{
		Source: "just 1.40 manual", Flags: "-l --list --summary -n --dry-run -q --quiet -v --verbose --show= --dump --variables --groups --unsorted --yes --color= --no-highlight --version --help",
	}},
	"rake": {{Source: "Rake 13 manual", Flags: "-T? --tasks? -P --prereqs -n --dry-run -t? --trace? -q --quiet -s --silent -v --verbose -m --multitask -A --all -j? --jobs? --version --help"}},
	"composer": {
		{Source: "Composer 2 manual", Words: "install", Flags: composerFlags + " --no-dev --dev --no-autoloader --no-scripts --prefer-dist --prefer-source --dry-run -o --optimize-autoloader --no-progress --ignore-platform-reqs"},
		{Source: "Composer 2 manual", Words: "test", Flags: composerFlags, AfterDashes: phpunitFlags},
		{Source: "Composer 2 manual", Words: "validate", Flags: composerFlags + " --no-check-all --strict --no-check-publish --with-dependencies"},
	},
	"bats": {{Source: "bats-core 1.11 manual", Flags: "-c --count -f= --filter= -F= --formatter= -j= --jobs= --no-parallelize-across-files -p --pretty -r --recursive -t --tap -T --timing -x --trace --verbose-run --print-output-on-failure --show-output-of-passing-tests",
		Values: map[string]*regexp.Regexp{"-F": batsFormat, "--formatter": batsFormat}}},
	"deno": {
		{Source: "Deno 2 manual, deno test", Words: "test", Flags: "--filter= --fail-fast? --coverage? --parallel --shuffle? --trace-leaks --no-check --check -q --quiet --doc --watch -A --allow-all --allow-read? --allow-env? --permit-no-files --no-run --cached-only --no-lock --frozen?"},
		{Source: "Deno 2 manual, deno lint", Words: "lint", Flags: "--fix --json --compact -q --quiet --watch --ignore? --permit-no-files --rules-tags? --rules-include? --rules-exclude?"},
		{Source: "Deno 2 manual, deno fmt", Words: "fmt", Flags: "--check -q --quiet --watch --ignore? --permit-no-files --line-width= --indent-width= --single-quote? --no-semicolons? --use-tabs? --prose-wrap="},
	},
}

var batsFormat = regexp.MustCompile(`^=?(pretty|tap|tap13|junit)$`)

const composerFlags = "-n --no-interaction -q --quiet -v --verbose --no-ansi --ansi --no-plugins --no-cache"

// npmPackages returns specs for subcommands that look at packages and install them. Their settings,
// such as --script-shell, --registry and --prefix, and all abbreviations of them, are not
// listed.
func npmPackages(subcommands string) []WildcardSpec {
	var list []WildcardSpec
	for words := range strings.FieldsSeq(subcommands) {
		list = append(list, WildcardSpec{Source: "npm 11 manual, config", Words: words, Flags: npmPackageFlags, ScopedNames: true, RefusedOperand: packageFromAway, Values: workspaceValues, RefusedArg: gluedWorkspace})
	}
	return list
}

// mavenSpec leaves out -f, -s, -gs, -t, -gt, -l, -P, -D of properties that choose more
// than tests, and goals of plug-ins.
var mavenSpec = WildcardSpec{
	Source: "Maven 3.9 manual, mvn options", SingleDash: true, RefusedOperand: mavenGoal, Values: map[string]*regexp.Regexp{"-D": mavenProperty, "--define": mavenProperty},
	Flags: "-q --quiet --ntp --no-transfer-progress -X --debug -e --errors -o --offline -U --update-snapshots -T= --threads= --pl= --projects= --am --also-make --amd --also-make-dependents" +
		" --fae --fail-at-end --ff --fail-fast --fn --fail-never -B --batch-mode -N --non-recursive -V --show-version -v --version --rf= --resume-from= -D= --define= -C --strict-checksums",
}

// gradleSpec leaves out -I, -b, -c, -p, -g, -D, -P, --include-build, --project-cache-dir
// and --scan.
var gradleSpec = WildcardSpec{
	Source: "Gradle 8 manual, command-line interface",
	Flags: "--info --debug -d --stacktrace -s --full-stacktrace -S --continue --no-continue --parallel --no-parallel --daemon --no-daemon --offline --rerun-tasks --rerun --tests= -q --quiet -i -w --warn -x= --exclude-task=" +
		" --build-cache --no-build-cache --configuration-cache --no-configuration-cache --warning-mode= --console= --dry-run -m --max-workers= --priority= --no-rebuild -t --continuous --refresh-dependencies --all --task= --version -v --test-dry-run",
}

// rspecSpec leaves out -r, -I, -O, -o, -f of a class, --bisect and --drb.
var rspecSpec = WildcardSpec{
	Source: "RSpec 3.13 manual, command line", Values: map[string]*regexp.Regexp{"-f": rspecFormat, "--format": rspecFormat},
	Flags: "-f= --format= --fail-fast? --no-fail-fast -e= --example= -E= --example-matches= -t= --tag= --seed= --order= --color --colour --force-color --no-color -c -b --backtrace --dry-run" +
		" -p? --profile? --no-profile -w --warnings --only-failures -n --next-failure -P= --pattern= --exclude-pattern= --failure-exit-code= -v --version",
}

var phpunitSpec = WildcardSpec{Source: "PHPUnit 12 manual, command line", Flags: phpunitFlags + ` --parallel -p= --processes= --bail --compact --ci --dirty --retry --todos`}
