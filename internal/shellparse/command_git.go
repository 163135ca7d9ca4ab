package shellparse

import (
	"path"
	"slices"
	"strings"
)

// gitEffect returns the effect of git.
//
// A read-only effect with git set is read-only only if the configuration of the
// repository starts no program; see package gitrepo.
func gitEffect(args []arg) effect {
	g := parseGitGlobals(args)
	var e effect
	switch {
	case g.prints, len(g.rest) == 0: // git alone or with --version only prints something
	case !g.rest[0].isLiteral():
		e = unknownEffect("the subcommand of git is not known")
	default:
		e = gitSubcommandEffect(g.rest[0].value, g.rest[1:], g.dir)
		if !isGitCommand(g.rest[0].value) {
			e.alias = &gitAliasUse{name: g.rest[0].value, args: g.rest[1:], dir: g.dir}
		}
	}
	reads := e.class == ReadOnly
	if reads && len(g.rest) > 0 && g.rest[0].is("ls-files") && g.dir == "" && listsBelow(g.rest[1:]) {
		e.prints = &foundNames{trees: []arg{literalArg(".")}, plain: true, bare: true}
	}
	if g.reason != "" {
		e.git = nil
		e.worsen(Unknown, g.reason)
	}
	for _, s := range g.settings {
		e.addGitSetting(s)
	}
	if g.unseen != "" {
		e.refuseUnseen(g.unseen)
	}
	if g.dir != "" && e.class != ReadOnly {
		e.files = append(e.files, file{arg: literalArg(g.dir), tree: true, write: true})
	}
	for _, place := range g.places {
		e.files = append(e.files, file{arg: gitInDir(place, g.dir), tree: true, write: !reads})
	}
	return e
}

// listsBelow reports whether git ls-files with these arguments prints nothing but names of
// files in the working directory, one a line.
func listsBelow(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool {
		if strings.HasPrefix(a.value, "-") {
			return !a.is("-c", "--cached", "-m", "--modified", "-o", "--others", "--exclude-standard", "--")
		}
		return !a.isLiteral() || strings.HasPrefix(a.value, ":") || mayLeaveProject(a.value)
	})
}

// A gitForm is a subcommand with arguments that only read.
type gitForm struct {
	flags []string // tables of the safe flags; see gitFlagKind
	// refuse returns why the words may do more than read, or an empty string. It is set
	// for subcommands whose operands decide this.
	refuse func(w gitWords) string
	// firstIsName is set if the first operand is not a path but a pattern or a name.
	firstIsName bool
	// pathsAfterDashes is set if git reads all words after "--" as paths.
	pathsAfterDashes bool
	// operandsAreFiles is set if git reads operands as files even outside a repository.
	operandsAreFiles bool
	// showsContent is set if git prints the content of files below its paths,
	// showsPatches if it does so with one of gitPatchFlags, defaultsToDir if it does so
	// for the working directory when there are no paths.
	showsContent, showsPatches, defaultsToDir bool
	// otherFiles are flags with which git shows files that are not among its operands.
	otherFiles []string
}

func gitSubcommandEffect(name string, args []arg, dir string) effect {
	form, ok := gitForms[name]
	if len(args) > 0 {
		if longer, found := gitForms[name+" "+args[0].value]; found && args[0].known && !args[0].glob {
			form, ok = longer, true
			name, args = name+" "+args[0].value, args[1:]
		}
	}
	if !ok {
		return gitOtherEffect(name, args, dir)
	}
	words, reason := parseGitArgs(args, form.flags, form.pathsAfterDashes)
	if reason != "" {
		e := unknownEffect("git " + name + ": " + reason)
		e.addGitRisks(name, args, form, dir)
		e.addGitStarted(name, args, dir)
		e.addGitWrites(name, args, dir)
		e.files = append(e.files, gitUnknownFiles(name, dir)...)
		e.files = append(e.files, gitComparedTrees(name, args, dir)...)
		return e
	}
	if form.refuse != nil {
		if reason := form.refuse(words); reason != "" {
			e := effect{class: Mutating, reason: "git " + name + ": " + reason, files: gitChangedFiles(name, args, dir)}
			e.addGitStarted(name, args, dir)
			e.addGitWrites(name, args, dir)
			return e
		}
	}
	if name == "version" {
		return effect{}
	}
	return effect{git: &Git{Dir: dir}, files: gitShownFiles(words, form, dir)}
}

// gitOtherEffect returns the effect of a subcommand that does more than read.
func gitOtherEffect(name string, args []arg, dir string) effect {
	e := unknownEffect("git " + name + " is not known to only read")
	switch {
	case slices.Contains(strings.Fields(gitNetwork), name):
		e = effect{class: Unknown, reason: "git " + name + " talks to another repository", hosts: gitHosts(args)}
	case slices.Contains(strings.Fields(gitMutating), name):
		e = effect{class: Mutating, reason: "git " + name + " changes the repository or its files", files: gitChangedFiles(name, args, dir)}
		e.files = append(e.files, gitInputFiles(name, args, dir)...)
	}
	e.addGitRisks(name, args, gitForm{}, dir)
	e.addGitStarted(name, args, dir)
	e.addGitWrites(name, args, dir)
	e.files = append(e.files, gitUnknownFiles(name, dir)...)
	return e
}

// gitHosts returns the hosts of operands that are URLs or of the form host:path.
func gitHosts(args []arg) []string {
	var hosts []string
	for _, a := range args {
		if !a.known || a.glob || strings.HasPrefix(a.value, "-") {
			continue
		}
		_, host, isURL := strings.Cut(a.value, "://")
		if isURL {
			host, _, _ = strings.Cut(host, "/")
		} else if before, _, ok := strings.Cut(a.value, ":"); ok && !strings.Contains(before, "/") {
			host = before
		}
		host = host[strings.LastIndexByte(host, '@')+1:]
		if name, port, ok := cutLast(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
			host = name
		}
		if host = strings.Trim(host, "[]"); host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func gitInDir(a arg, dir string) arg {
	a.value = gitJoinDir(dir, a.value)
	return a
}

// mayLeaveDir reports whether a path may lead out of the directory it is relative to.
func mayLeaveDir(name string) bool {
	return path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..")
}

// pathspecPath returns the path in an operand such as "HEAD:a", ":(top)a", ":!a" or
// "a". Source: gitglossary(7), pathspec; gitrevisions(7).
func pathspecPath(operand string) string {
	before, after, found := strings.Cut(operand, ":")
	switch {
	case !found:
		return operand
	case before != "":
		return after
	case strings.HasPrefix(after, "("):
		_, after, _ = strings.Cut(after, ")")
	case len(after) > 1 && after[1] == ':' && after[0] >= '0' && after[0] <= '3':
		after = after[2:] // a stage of the index
	default:
		after = strings.TrimLeft(after, "/!^:")
	}
	return after
}

// gitWords are the words after a subcommand of git, as git classifies them.
type gitWords struct {
	flags            []string // names of the flags, such as "-n" for "-n5"
	operands         []arg    // before "--"
	paths            []arg    // after "--"
	readFiles        []arg    // values of flags that name a file git reads
	shownFiles       []arg    // files in the repository that flags name
	flagAfterOperand bool     // a flag follows an operand
}

// has reports whether the words include one of the flags.
func (w gitWords) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(w.flags, n) })
}

// operandCount returns the number of operands before and after "--".
func (w gitWords) operandCount() int { return len(w.operands) + len(w.paths) }

// The kinds of values, written after the name of a flag in a table.
const (
	gitNoValue       = ""  // no value, as "--stat"
	gitValue         = "=" // attached, or in the next word, which must not look like a flag
	gitAnyValue      = "!" // attached, or in the next word, whatever it looks like
	gitOptionalValue = "?" // attached or absent
	gitReadsFile     = "<" // as gitValue; the value names a file that git reads
)

// gitFlagKind looks a flag up in tables such as "--stat? -n= -p". It returns the kind
// of its value and whether a table lists it. The name must match completely: git
// accepts abbreviations, so "--open" could be another flag.
func gitFlagKind(tables []string, name string) (takes string, ok bool) {
	for _, table := range tables {
		if mark, ok := markOf(table, name, "=!?<"); ok {
			return mark, true
		}
	}
	return "", false
}

// A gitArgParser classifies the words of a subcommand.
type gitArgParser struct {
	tables           []string
	pathsAfterDashes bool  // git reads words after "--" as paths
	args             []arg // not parsed yet
	words            gitWords
}

// parseGitArgs splits flags, values and operands. reason names a word that may make the
// command do more than read. paths is set if git reads the words after "--" as paths
// whatever they look like; some subcommands pass their words on without the "--".
func parseGitArgs(args []arg, tables []string, paths bool) (w gitWords, reason string) {
	p := gitArgParser{tables: tables, pathsAfterDashes: paths, args: args}
	for len(p.args) > 0 && reason == "" {
		a := p.args[0]
		p.args = p.args[1:]
		switch {
		case !a.known:
			reason = "it is not known what " + a.source + " is"
		case a.glob && !startsWithPlainByte(a.value):
			reason = a.source + " may become a flag"
		case a.glob:
			p.words.operands = append(p.words.operands, a)
		case a.value == "--":
			reason = p.takePathspecs()
		case strings.HasPrefix(a.value, "--"):
			reason = p.longFlag(a)
		case strings.HasPrefix(a.value, "-"):
			reason = p.shortFlags(a)
		default:
			p.words.operands = append(p.words.operands, a)
		}
	}
	return p.words, reason
}

// startsWithPlainByte reports whether every match of a pattern begins with the
// pattern's first byte, and that byte does not begin a flag.
func startsWithPlainByte(pattern string) bool {
	if pattern == "" {
		return false
	}
	c := pattern[0]
	return c == '.' || c == '/' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// takePathspecs takes the words after "--".
func (p *gitArgParser) takePathspecs() string {
	for _, a := range p.args {
		// If git read the "--" as the value of a flag, these would be flags.
		if strings.HasPrefix(a.value, "-") {
			return a.value + " looks like a flag"
		}
		switch {
		case !a.known:
			return "it is not known what " + a.source + " is"
		case a.glob && !p.pathsAfterDashes && !startsWithPlainByte(a.value):
			return a.source + " may become a flag"
		}
	}
	p.words.paths, p.args = p.args, nil
	return ""
}

func (p *gitArgParser) longFlag(a arg) string {
	name, value, attached := strings.Cut(a.value, "=")
	takes, ok := gitFlagKind(p.tables, name)
	if !ok || attached && takes == gitNoValue {
		return "the flag " + name + " is not known to only read"
	}
	a.value = value
	return p.addFlag(name, takes, a, attached)
}

// shortFlags takes "-p", "-n5", "-n 5", "-5" and bundles such as "-sb".
func (p *gitArgParser) shortFlags(a arg) string {
	letters := a.value[1:]
	if letters != "" && strings.Trim(letters, "0123456789") == "" {
		letters = "#"
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		takes, ok := gitFlagKind(p.tables, name)
		if !ok {
			return "the flag " + name + " is not known to only read"
		}
		if takes == gitNoValue {
			p.recordFlag(name)
			continue
		}
		a.value = letters
		return p.addFlag(name, takes, a, letters != "")
	}
	if a.value == "-" {
		return "- is not known to only read"
	}
	return ""
}

func (p *gitArgParser) recordFlag(flag string) {
	p.words.flags = append(p.words.flags, flag)
	p.words.flagAfterOperand = p.words.flagAfterOperand || len(p.words.operands) > 0
}

// addFlag takes a flag and its value, which may be attached or the next word.
func (p *gitArgParser) addFlag(name, takes string, value arg, attached bool) string {
	p.recordFlag(name)
	if takes == gitNoValue || takes == gitOptionalValue && !attached {
		return ""
	}
	if !attached {
		if len(p.args) == 0 {
			return "" // git uses a default, or reports an error
		}
		value = p.args[0]
		p.args = p.args[1:]
		if !value.known || value.glob {
			return "it is not known what " + value.source + " is"
		}
		if strings.HasPrefix(value.value, "-") && takes != gitAnyValue {
			return value.value + " after " + name + " looks like a flag"
		}
	}
	if takes == gitReadsFile {
		p.words.readFiles = append(p.words.readFiles, value)
	}
	if _, name, ok := cutLast(value.value, ":"); ok && name != "" && p.words.flags[len(p.words.flags)-1] == "-L" {
		p.words.shownFiles = append(p.words.shownFiles, arg{value: name, known: true, source: value.source})
	}
	return gitValueProblem(name, value.value)
}

// gitValueProblem returns why a value may make git start a program, or an empty string.
func gitValueProblem(name, value string) string {
	for rest := value; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		if strings.HasPrefix(strings.TrimLeft(after, "+- "), "G") {
			return "%G in a format checks signatures, which runs gpg"
		}
		rest = after
	}
	switch {
	case (name == "--format" || name == "--sort") && strings.Contains(value, "signature"):
		return "a format with a signature may check it, which runs gpg"
	case name == "--diff-merges" && (value == "r" || value == "remerge"):
		return "a remerge runs merge drivers"
	case name == "--submodule" && value == "diff":
		return "--submodule=diff runs git in the submodules"
	}
	return ""
}

// gitGlobals are the options of git before its subcommand. Source: git(1), OPTIONS.
type gitGlobals struct {
	dir      string // that the -C options lead to, or empty
	rest     []arg  // the subcommand and its arguments
	reason   string // why a read-only subcommand may not stay read-only
	settings []gitSetting
	places   []arg  // repositories and working trees that options name
	unseen   string // why git may run a program that cannot be seen
	prints   bool   // git prints something and ignores the subcommand
}

// gitValuedGlobals are the options that take the next word as their value.
const gitValuedGlobals = "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file"

// gitCommand returns the arguments of git without the options before its subcommand.
func gitCommand(args []arg) []arg {
	for len(args) > 0 && args[0].known && strings.HasPrefix(args[0].value, "-") {
		n := 1
		if has(gitValuedGlobals, args[0].value) || args[0].value == "--exec-path" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// refuse records why a read-only subcommand may not stay read-only.
func (g *gitGlobals) refuse(reason string) {
	if g.reason == "" {
		g.reason = reason
	}
}

// parseGitGlobals parses the options before the subcommand.
func parseGitGlobals(args []arg) gitGlobals {
	var g gitGlobals
	for len(args) > 0 {
		a := args[0]
		if !a.isLiteral() || !strings.HasPrefix(a.value, "-") {
			break
		}
		args = args[1:]
		name, value, attached := strings.Cut(a.value, "=")
		v := a.withValue(value)
		if !attached && has(gitValuedGlobals, name) {
			if len(args) == 0 {
				g.refuse("git " + name + " has no value")
				break
			}
			v, args = args[0], args[1:]
		}
		if g.addOption(a, name, v, attached); g.prints {
			return g
		}
	}
	g.rest = args
	return g
}

// addOption adds one option and its value.
func (g *gitGlobals) addOption(a arg, name string, value arg, attached bool) {
	switch name {
	case "-C":
		if !value.isLiteral() {
			g.refuse("git -C names a directory that is not known")
			return
		}
		g.dir = gitJoinDir(g.dir, value.value)
		return
	case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--no-lazy-fetch", "--no-advice":
		return
	case "--version", "-v":
		g.prints = true
		return
	case "-c":
		s := gitSettingOf(value)
		if strings.EqualFold(s.key.value, "core.worktree") {
			g.places = append(g.places, gitInDir(s.value, ".git")) // to which git takes it to be relative
		}
		g.settings = append(g.settings, s)
	case "--config-env":
		s := gitSettingOf(value)
		s.value = arg{source: value.source} // that of a variable
		g.settings = append(g.settings, s)
	case "--exec-path":
		if attached {
			g.unseen = "git runs the programs in the directory of --exec-path"
		}
	case "--git-dir", "--work-tree":
		g.places = append(g.places, value)
		if name == "--git-dir" && !value.is(".git", "./.git") {
			g.unseen = "git runs what the configuration of another repository names"
		}
	}
	g.refuse("git " + a.value + " may change where git works or what it runs")
}

// gitJoinDir returns the path of name, which git reads in dir.
func gitJoinDir(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return name
	}
	// Not path.Join: "link/.." is not the directory that holds the link.
	return strings.TrimSuffix(dir+"/"+name, "/")
}

// The following tables list flags of git with which it only reads, as gitFlagKind reads
// them. A flag that is missing may be equally harmless: it only causes a question.
//
// Left out on purpose are flags that write or read files (--output, -O, --contents,
// --no-index), that start programs (--ext-diff, --textconv, --show-signature,
// --remerge-diff, --open-files-in-pager), that enter submodules, and --stdin, which
// reads further options.

// gitDiffFlags format a diff. Source: git-diff(1), git 2.39.
const gitDiffFlags = `
	-p -u --patch -s --no-patch -U= --unified? -W --function-context --no-function-context
	--output-indicator-new= --output-indicator-old= --output-indicator-context=
	--raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram
	--anchored= --diff-algorithm= --stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count=
	--compact-summary --no-compact-summary --numstat --shortstat -X? --dirstat? --cumulative --dirstat-by-file?
	--summary --patch-with-stat -z --name-only --name-status --submodule? --color? --no-color
	--color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --word-diff? --word-diff-regex=
	--color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight=
	--full-index --binary --abbrev? --no-abbrev -B? --break-rewrites? -M? --find-renames? -C? --find-copies?
	--find-copies-harder -D --irreversible-delete --diff-filter= -l= -S= -G= --pickaxe-all --pickaxe-regex
	--skip-to= --rotate-to= -R --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol
	-b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I= --ignore-matching-lines=
	--inter-hunk-context= --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?
	--src-prefix= --dst-prefix= --no-prefix --line-prefix= --ita-invisible-in-index --ita-visible-in-index`

// gitCompareFlags choose the objects of a comparison. Source: git-diff(1),
// git-diff-tree(1), git-diff-index(1), git-diff-files(1).
const (
	gitCompareFlags = ` --cached --staged --merge-base --base --ours --theirs -0 -#`
	gitTreeFlags    = ` -r -t --root -m -c --cc --combined-all-paths --no-commit-id --pretty? --format= --always -v
		--diff-merges=`
)

// gitRevisionFlags choose commits. Source: git-rev-list(1), git-log(1).
const gitRevisionFlags = `
	-# -n= --max-count= --skip= --since= --after= --since-as-filter= --until= --before= --max-age= --min-age=
	--author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i --regexp-ignore-case
	--basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges
	--min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only
	--not --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --single-worktree
	--ignore-missing --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge
	--boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges
	--ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk`

// gitCommitFlags format commits. Source: git-log(1).
const gitCommitFlags = `
	--pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs
	--notes? --no-notes --show-notes? --standard-notes --no-standard-notes --no-show-signature --relative-date --date=
	--parents --children --left-right --graph --no-graph --show-linear-break? --log-size --source
	--decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations
	--mailmap --no-mailmap --use-mailmap --no-use-mailmap --follow --no-follow --full-diff -L= -q
	-m -c --cc --combined-all-paths --diff-merges= --no-diff-merges -r -t --root`

// gitListFlags are the flags of rev-list in addition to gitRevisionFlags.
const gitListFlags = `
	--objects --objects-edge --count --disk-usage? --header --timestamp --commit-header --no-commit-header
	--use-bitmap-index --filter= --no-filter --in-commit-order --unpacked --object-names --no-object-names --quiet
	--pretty? --format= --abbrev? --no-abbrev --abbrev-commit --no-abbrev-commit --oneline --parents --children --left-right
	--graph --date= --encoding=`

// gitRefFlags list refs. Source: git-branch(1), git-tag(1), git-for-each-ref(1).
const gitRefFlags = `
	--contains= --no-contains= --merged= --no-merged= --points-at= --sort! --format= --color? --no-color`

// gitColumnFlags are the flags of branch and tag in addition to gitRefFlags.
const gitColumnFlags = ` -l --list -i --ignore-case --column? --no-column --omit-empty`

// gitGrepFlags are the flags of grep. Source: git-grep(1).
const gitGrepFlags = `
	--cached --untracked --exclude-standard --no-exclude-standard -v --invert-match -i --ignore-case -w --word-regexp
	-a --text -I --no-textconv -r --recursive --no-recursive --max-depth= -E --extended-regexp -G --basic-regexp
	-F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l --files-with-matches --name-only
	-L --files-without-match -z --null -o --only-matching -c --count --color? --no-color --break --heading
	-C= --context= -B= --before-context= -A= --after-context= --threads= -# -p --show-function -W --function-context
	-f< -e! --and --or --not -q --quiet --all-match -m= --max-count=`

// gitBlameFlags are the flags of blame. Source: git-blame(1).
const gitBlameFlags = `
	--incremental -b --root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number
	-p --porcelain --line-porcelain -c -t -l -s -e --show-email -w --ignore-rev= --ignore-revs-file< --color-lines
	--color-by-age --minimal -C? -M? -L= --abbrev? --since= --first-parent --date= --reverse`

// gitConfigFlags read the configuration. --includes is left out, because it follows
// paths in a file that -f names. Source: git-config(1).
const (
	gitConfigFlags = `
	--global --system --local --worktree -f< --file< --blob= --fixed-value --type= --bool --int --bool-or-int --bool-or-str
	--path --expiry-date -z --null --name-only --show-origin --show-scope --default=`
	gitConfigActions = ` --get --get-all --get-regexp --get-urlmatch -l --list`
)

// gitMutating are subcommands that change the repository or its files.
const gitMutating = `add am apply bisect branch checkout checkout-index cherry-pick clean commit commit-graph
	commit-tree config fast-import filter-branch format-patch gc hash-object init index-pack maintenance merge
	mergetool mktag mktree multi-pack-index mv notes pack-objects pack-refs prune prune-packed read-tree rebase
	reflog repack replace reset restore revert rm sparse-checkout stage stash submodule subtree switch symbolic-ref
	tag unpack-objects update-index update-ref update-server-info worktree write-tree`

// gitNetwork are subcommands that talk to another repository.
const gitNetwork = `clone fetch fetch-pack http-fetch http-push ls-remote pull push remote request-pull send-email send-pack svn p4`

// gitForms are the subcommands, some with a second word, that only read. whatchanged is
// left out: newer versions of git let an alias replace it. Source: git(1) and the page
// of each subcommand; the tables are below.
var gitForms = map[string]gitForm{
	"annotate": {flags: []string{gitBlameFlags}, pathsAfterDashes: true},
	"blame":    {flags: []string{gitBlameFlags}, pathsAfterDashes: true},
	"branch": {
		flags:  []string{gitRefFlags, gitColumnFlags, "-a --all -r --remotes -v --verbose -q --quiet --show-current --abbrev? --no-abbrev"},
		refuse: onlyListed("--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
	},
	"cat-file": {flags: []string{"-e -p -t -s --allow-unknown-type --use-mailmap --mailmap --no-mailmap --no-use-mailmap -z",
		"--batch? --batch-check? --batch-command? --batch-all-objects --buffer --no-buffer --unordered --follow-symlinks"},
		otherFiles: []string{"--batch", "--batch-command"}},
	"check-attr":    {flags: []string{"-a --all --cached -z"}, firstIsName: true},
	"check-ignore":  {flags: []string{"-q --quiet -v --verbose -z -n --non-matching --no-index"}, pathsAfterDashes: true},
	"cherry":        {flags: []string{"-v --verbose --abbrev?"}},
	"config":        {flags: []string{gitConfigFlags, gitConfigActions}, refuse: refuseGitConfig},
	"config get":    {flags: []string{gitConfigFlags, "--all --regexp --value= --url="}, firstIsName: true},
	"config list":   {flags: []string{gitConfigFlags}},
	"count-objects": {flags: []string{"-v --verbose -H --human-readable"}},
	"describe": {flags: []string{"--debug --all --tags --long --first-parent --abbrev? --exact-match --candidates=",
		"--match= --exclude= --always --dirty? --broken?"}},
	"diff":         {flags: []string{gitDiffFlags, gitCompareFlags}, pathsAfterDashes: true, showsContent: true, operandsAreFiles: true},
	"diff-files":   {flags: []string{gitDiffFlags, gitTreeFlags, "-0 -1 -2 -3 -q --base --ours --theirs"}, pathsAfterDashes: true, showsContent: true},
	"diff-index":   {flags: []string{gitDiffFlags, gitTreeFlags, "--cached --merge-base"}, pathsAfterDashes: true, showsContent: true},
	"diff-tree":    {flags: []string{gitDiffFlags, gitTreeFlags, "--merge-base --parents --notes? --no-notes --encoding= --abbrev-commit --date= --oneline"}, pathsAfterDashes: true, showsContent: true},
	"for-each-ref": {flags: []string{gitRefFlags, "--count= -s --shell -p --perl --python --tcl --ignore-case --omit-empty --exclude="}},
	"grep":         {flags: []string{gitGrepFlags}, pathsAfterDashes: true, firstIsName: true, showsContent: true, defaultsToDir: true},
	"log":          {flags: []string{gitDiffFlags, gitRevisionFlags, gitCommitFlags}, pathsAfterDashes: true, showsPatches: true},
	"ls-files": {flags: []string{"-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed",
		"--directory --eol --empty-directory --no-empty-directory -u --unmerged --resolve-undo -x= --exclude= -X< --exclude-from<",
		"--exclude-standard --full-name --error-unmatch --with-tree= --abbrev? --no-abbrev --debug --deduplicate --sparse --format="}, pathsAfterDashes: true},
	"ls-tree":    {flags: []string{"-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev? --no-abbrev"}},
	"merge-base": {flags: []string{"-a --all --octopus --independent --is-ancestor --fork-point"}},
	"name-rev":   {flags: []string{"--name-only --tags --refs= --exclude= --all --annotate-stdin --undefined --no-undefined --always"}},
	"notes":      {refuse: onlyListed()},
	"notes list": {},
	"notes show": {},
	"range-diff": {flags: []string{gitDiffFlags, "--creation-factor= --no-dual-color --notes? --no-notes --left-only --right-only"}},
	"reflog":     {flags: []string{gitDiffFlags, gitRevisionFlags, gitCommitFlags}, refuse: refuseReflog},
	// An older git reads "list" and "exists" as the name of a ref to show.
	"reflog exists":  {},
	"reflog list":    {},
	"reflog show":    {flags: []string{gitDiffFlags, gitRevisionFlags, gitCommitFlags}},
	"remote":         {flags: []string{"-v --verbose"}, refuse: onlyListed()},
	"remote get-url": {flags: []string{"--push --all"}, firstIsName: true},
	"rev-list":       {flags: []string{gitRevisionFlags, gitListFlags}, pathsAfterDashes: true},
	"rev-parse": {flags: []string{"--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir",
		"--is-bare-repository --is-shallow-repository --show-prefix --show-cdup --abbrev-ref? --symbolic --symbolic-full-name --short? --verify",
		"-q --quiet --all --branches? --tags? --remotes? --glob= --exclude= --revs-only --no-revs --flags --no-flags --default= --sq --not",
		"--show-object-format? --path-format= --git-path= --shared-index-path --disambiguate= --local-env-vars --since= --until= --after= --before="}},
	"shortlog":   {flags: []string{"-s --summary -e --email -n --numbered -c --committer --group= --format= -w? --date=", gitRevisionFlags}, pathsAfterDashes: true},
	"show":       {flags: []string{gitDiffFlags, gitRevisionFlags, gitCommitFlags}, pathsAfterDashes: true, showsContent: true},
	"show-ref":   {flags: []string{"--tags --heads --branches --verify --head -d --dereference -s? --hash? --abbrev? -q --quiet"}, firstIsName: true},
	"stash list": {flags: []string{gitDiffFlags, gitRevisionFlags, gitCommitFlags}, firstIsName: true},
	"stash show": {
		flags: []string{gitDiffFlags, "--include-untracked --no-include-untracked --only-untracked"}, firstIsName: true,
		otherFiles: []string{"--include-untracked", "--only-untracked"},
	},
	"status": {flags: []string{"-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind --no-ahead-behind",
		"--porcelain? --long --no-long -z --null -u? --untracked-files? --ignored? --ignore-submodules? --column? --no-column",
		"--renames --no-renames -M? --find-renames?"}, pathsAfterDashes: true},
	"sparse-checkout list": {},
	"symbolic-ref":         {flags: []string{"-q --quiet --short --recurse --no-recurse"}, refuse: refuseSymbolicRef, firstIsName: true},
	"tag": {
		flags: []string{gitRefFlags, gitColumnFlags, "-n?"}, firstIsName: true,
		refuse: onlyListed("--list", "-l", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
	},
	"version":       {flags: []string{"--build-options"}},
	"worktree list": {flags: []string{"--porcelain -v --verbose -z"}},
}

// onlyListed refuses operands unless one of flags makes git list them. Otherwise an
// operand names something to create, or is another subcommand.
func onlyListed(flags ...string) func(gitWords) string {
	return func(w gitWords) string {
		if w.operandCount() == 0 || w.has(flags...) {
			return ""
		}
		return "its operand may make or change something"
	}
}

// refuseGitConfig accepts flags that read, and a single name, which git then reads.
func refuseGitConfig(w gitWords) string {
	if w.flagAfterOperand {
		return "what looks like a flag after the name is a value to set"
	}
	if w.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list") {
		return ""
	}
	// A word without a dot, such as edit, is a subcommand in newer versions.
	if w.operandCount() == 1 && len(w.operands) == 1 && strings.Contains(w.operands[0].value, ".") && !w.operands[0].glob {
		return ""
	}
	return "it may change the configuration"
}

// refuseReflog accepts operands that can only be refs. Any other word may be a
// subcommand such as expire.
func refuseReflog(w gitWords) string {
	unclear := slices.ContainsFunc(w.operands, func(a arg) bool {
		return a.glob || a.value != "HEAD" && !strings.ContainsAny(a.value, "@/~^.")
	})
	if unclear {
		return "an operand may be a subcommand that changes the reflog"
	}
	return ""
}

func refuseSymbolicRef(w gitWords) string {
	if w.operandCount() == 1 && !slices.ContainsFunc(slices.Concat(w.operands, w.paths), func(a arg) bool { return a.glob }) {
		return ""
	}
	return "with two operands it changes a ref"
}
