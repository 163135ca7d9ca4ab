package shellparse

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A commandSpec describes the arguments of a command and their effects. It lists the
// known flags; any other flag makes the command unknown.
type commandSpec struct {
	source   string // the manual that the flags were taken from
	flags    string // the known flags; see flagKind
	operands operandKind
	// hasUnsafeFlags is set if a flag of the command, listed or not, writes a file,
	// runs a program or sends something. An argument that may be a flag then makes the
	// command unknown.
	hasUnsafeFlags bool
	// readsPatterns is set with otherOperands if post reads every operand that is a pattern.
	readsPatterns bool
	// flagsEndAtOperand is set if all arguments after the first operand are operands.
	flagsEndAtOperand bool
	// defaultsToDir is set if the command works on the working directory when it has no
	// operand.
	defaultsToDir bool
	changes       string // the change it makes, such as "makes directories"; empty for commands that only read
	editsOnly     bool   // it changes only the files among its arguments
	// post is called after the other fields are applied, for rules that they cannot
	// express.
	post func(p parsedArgs, e *effect)
	// custom replaces all other fields, for commands that do not parse their arguments
	// as getopt does.
	custom func(args []arg) effect
}

// An operandKind is the kind of a command's operands.
type operandKind int

const (
	noOperands    operandKind = iota // the command has no operands
	plainTexts                       // words that do not name files
	readFiles                        // files that are read; "-" is the standard input
	readTrees                        // files or directories that are read with everything below them
	namedTrees                       // files or directories of which everything below is named
	writtenFiles                     // files that are read and written
	otherOperands                    // handled by post
)

// gnuFlags are the flags that all GNU programs have.
const gnuFlags = " --help --version"

// effectOf returns the effect of the command called name with given arguments. name is
// not a path, and wrappers, which run another command, are removed already.
//
// Removals are not judged here; see removalReason.
func effectOf(name string, args []arg) effect {
	e := specEffectOf(name, args)
	if settingsWriters[name] != nil {
		e.addSettings(name, args)
	}
	return e
}

// specEffectOf is effectOf without the settings that a command writes.
func specEffectOf(name string, args []arg) effect {
	s, ok := specOf(name)
	switch {
	case !ok:
		return unknownEffect("nobody here knows what " + name + " does")
	case s.custom != nil:
		e := s.custom(args)
		e.start(name)
		return e
	}
	return s.effectOf(name, args)
}

// specOf returns the spec of a command.
func specOf(name string) (commandSpec, bool) {
	s, ok := commandSpecs[name]
	return s, ok
}

// KnowsProgram reports whether the tables describe a program of that name.
func KnowsProgram(name string) bool {
	_, ok := commandSpecs[name]
	return ok
}

// ProgramOf returns the base name of the program that a simple command runs.
func ProgramOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(path.Base(strings.Trim(word, `'"`)), ".exe")
}

// gitValueOptions are the options of git before its subcommand that take the next
// word as their value.
var gitValueOptions = map[string]bool{"-C": true, "-c": true, "--git-dir": true, "--work-tree": true, "--namespace": true}

// SubcommandOf is like ProgramOf. For git it appends the subcommand.
func SubcommandOf(text string) string {
	name := ProgramOf(text)
	if name != "git" {
		return name
	}
	words := strings.Fields(text)[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		skip := 1
		if gitValueOptions[words[0]] {
			skip = 2
		}
		words = words[min(skip, len(words)):]
	}
	if len(words) == 0 {
		return name
	}
	return name + " " + words[0]
}

// commandSpecs are all known commands.
var commandSpecs = mergeTables(tables())

func mergeTables(tables [10]map[string]commandSpec) map[string]commandSpec {
	all := map[string]commandSpec{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// tables returns the known commands by family.
func tables() [10]map[string]commandSpec {
	return [...]map[string]commandSpec{
		listSpecs, readSpecs, filterSpecs, systemSpecs, searchSpecs, languageSpecs, versionSpecs, editSpecs, archiveSpecs, networkSpecs,
	}
}

// effectOf returns the effect of a command that parses its arguments as getopt does.
func (s commandSpec) effectOf(name string, args []arg) effect {
	p := s.parseArgs(args)
	e := effect{files: p.fileOperands(s)}
	if s.changes != "" {
		e.class, e.reason, e.editsOnly = Mutating, name+" "+s.changes, s.editsOnly
	}
	if s.operands == noOperands && len(p.operands) > 0 {
		e.worsen(Unknown, p.operands[0].source+" is an operand that is not known")
	}
	if s.post != nil {
		e = s.applyPost(p, e)
	}
	if p.writesNamed {
		e.worsen(Mutating, name+" writes a file")
	}
	if p.reason != "" {
		e.worsen(Unknown, p.reason)
	}
	e.editsOnly = e.editsOnly && e.class == Mutating
	return e
}

// applyPost returns the effect after post is applied.
func (s commandSpec) applyPost(p parsedArgs, e effect) effect {
	s.post(p, &e)
	return e
}

// fileOperands returns the files among the arguments of a command.
func (p parsedArgs) fileOperands(s commandSpec) []file {
	files := p.namedFiles
	if s.operands == plainTexts || s.operands == noOperands || s.operands == otherOperands {
		return files
	}
	for _, a := range slices.Concat(p.operands, p.splitValues) {
		if a.value == "-" && a.known && s.operands == readFiles {
			continue
		}
		if s.operands == writtenFiles {
			files = append(files, file{arg: a, write: true})
			continue
		}
		files = append(files, s.fileOperand(a))
	}
	if s.defaultsToDir && len(p.operands) == 0 {
		files = append(files, s.fileOperand(literalArg(".")))
	}
	return files
}

// fileOperand returns an operand that is read or named.
func (s commandSpec) fileOperand(a arg) file {
	named := s.operands == namedTrees
	return file{arg: a, tree: named || s.operands == readTrees, namesOnly: named}
}

// A flagKind says whether a flag takes a value. In a table it follows the name of the
// flag: "-a -n= --color? --file<". "-#" stands for a number such as "-5", "+#" for one
// such as "+5".
type flagKind string

const (
	noValue       flagKind = ""  // no value
	takesValue    flagKind = "=" // a value, attached or in the next argument
	optionalValue flagKind = "?" // a value only if it is attached
	readsFile     flagKind = "<" // as takesValue; the value names a file that is read
	writesFile    flagKind = ">" // as takesValue; the value names a file that is written
)

// A flag is a flag of a command, under its name in the table.
type flag struct {
	name  string
	value arg
}

// parsedArgs are the arguments of a command, split into flags and operands.
type parsedArgs struct {
	flags    []flag
	operands []arg
	// splitValues are values of flags that may expand to several arguments, of which
	// all but the first are operands.
	splitValues []arg
	namedFiles  []file   // values of flags that name files
	writesNamed bool     // one of namedFiles is written
	unlisted    []string // long flags that are not known
	reason      string   // why the effect of the command is not known; empty if it is known
}

func (p parsedArgs) hasFlag(names ...string) bool {
	return slices.ContainsFunc(p.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// flagValues returns the values of the flags with these names, in order.
func (p parsedArgs) flagValues(names ...string) []arg {
	var list []arg
	for _, f := range p.flags {
		if slices.Contains(names, f.name) {
			list = append(list, f.value)
		}
	}
	return list
}

// abbreviates reports whether a flag that is not known may be the given one, cut off.
func (p parsedArgs) abbreviates(name string) bool {
	return slices.ContainsFunc(p.unlisted, func(f string) bool { return len(f) > len("--") && strings.HasPrefix(name, f) })
}

// refuse records why the effect of the command is not known. The first reason is kept.
func (p *parsedArgs) refuse(reason string) {
	if p.reason == "" {
		p.reason = reason
	}
}

// kindOf looks a flag up in the table.
func (s commandSpec) kindOf(name string) (flagKind, bool) {
	if strings.ContainsAny(name, "=?<>#") {
		return "", false // not a flag, but with its mark it could match one
	}
	mark, ok := markOf(s.flags, name, "=?<>")
	return flagKind(mark), ok
}

// completed returns the only listed long flag that begins with a name, or "". The command may
// not accept the shorter name, but rules that deny consider the effect of the flag.
func (s commandSpec) completed(name string) (flag string) {
	if len(name) <= len("--") {
		return ""
	}
	for listed := range strings.FieldsSeq(s.flags) {
		listed = strings.TrimRight(listed, "=?<>")
		switch {
		case listed == name || !strings.HasPrefix(listed, name):
		case flag != "":
			return ""
		default:
			flag = listed
		}
	}
	return flag
}

// takesNumbers reports whether the command takes "-5" (mark "-#") or "+5" (mark "+#").
func (s commandSpec) takesNumbers(mark string) bool { return has(s.flags, mark) }

// refusesArg reports whether an argument that may be a flag makes the effect unknown.
// If a listed flag names a file, even an unknown word does: it could hide the file.
func (s commandSpec) refusesArg(a arg) bool {
	return a.mayBeFlag() && (s.hasUnsafeFlags || !a.known && strings.ContainsAny(s.flags, "<>"))
}

// readsOperands reports whether all operands that patterns stand for are files that the
// command reads.
func (s commandSpec) readsOperands() bool {
	return s.readsPatterns || s.operands == readFiles || s.operands == readTrees || s.operands == namedTrees
}

// An argParser parses the arguments of a command.
type argParser struct {
	spec   commandSpec
	parsed parsedArgs
	rest   []arg // not parsed yet
}

// parseArgs splits flags and operands as getopt does: flags may follow operands, short
// flags may be bundled, values may be attached. Long flags must not be abbreviated.
func (s commandSpec) parseArgs(args []arg) parsedArgs {
	p := argParser{spec: s, rest: args}
	for len(p.rest) > 0 {
		a := p.next()
		switch {
		case a.is("--"):
			p.takeOperands()
		case a.isLiteral() && strings.HasPrefix(a.value, "--"):
			p.longFlag(a)
		case a.isLiteral() && len(a.value) > 1 && a.value[0] == '-':
			p.shortFlags(a)
		case a.isLiteral() && a.value != "" && a.value[0] == '+' && isDigits(a.value[1:]) && s.takesNumbers("+#"):
		case p.globFlag(a):
		default:
			if s.refusesArg(a) && (!s.readsOperands() || !a.isNamePattern()) {
				p.parsed.refuse(a.source + " may become a flag")
			}
			p.parsed.operands = append(p.parsed.operands, a)
			if s.flagsEndAtOperand {
				p.takeOperands()
			}
		}
	}
	return p.parsed
}

func (p *argParser) next() arg {
	a := p.rest[0]
	p.rest = p.rest[1:]
	return a
}

// takeOperands takes the remaining arguments as operands.
func (p *argParser) takeOperands() {
	p.parsed.operands = append(p.parsed.operands, p.rest...)
	p.rest = nil
}

// longFlag takes a flag such as "--lines" or "--lines=5".
func (p *argParser) longFlag(a arg) {
	name, value, attached := strings.Cut(a.value, "=")
	kind, ok := p.spec.kindOf(name)
	if !ok || attached && kind == noValue {
		p.parsed.refuse("the flag " + name + " is not known")
		p.parsed.unlisted = append(p.parsed.unlisted, name)
		if name = p.spec.completed(name); name == "" {
			return
		}
		kind, _ = p.spec.kindOf(name)
	}
	a.value = value
	p.addFlag(name, kind, a, attached)
}

// shortFlags takes "-l", bundles such as "-la", and attached values as in "-n5".
func (p *argParser) shortFlags(a arg) {
	letters := a.value[1:]
	if isDigits(letters) && p.spec.takesNumbers("-#") {
		return
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		kind, ok := p.spec.kindOf(name)
		switch {
		case !ok:
			p.parsed.refuse("the flag " + name + " is not known")
		case kind == noValue:
			p.parsed.flags = append(p.parsed.flags, flag{name: name})
		default:
			if strings.HasPrefix(letters, "=") && (kind == readsFile || kind == writesFile) {
				p.parsed.refuse("not all programs read " + a.source + " in the same way")
			}
			a.value = letters
			p.addFlag(name, kind, a, letters != "")
			return
		}
	}
}

// addFlag adds a flag with its value, if it takes one: the attached one, or else the
// next argument.
func (p *argParser) addFlag(name string, kind flagKind, value arg, attached bool) {
	args := &p.parsed
	f := flag{name: name}
	switch {
	case kind == noValue || kind == optionalValue && !attached:
	case attached:
		f.value = value
	case len(p.rest) == 0:
		args.refuse("the flag " + name + " has no value")
	default:
		f.value = p.next()
		if f.value.mayBeSeveral() {
			args.splitValues = append(args.splitValues, f.value)
		}
		if f.value.mayBeSeveral() && p.spec.refusesArg(f.value) {
			args.refuse(f.value.source + " may become a flag")
		}
		// Another program of the same name may have this flag without a value.
		if v := f.value.value; p.spec.hasUnsafeFlags && len(v) > 1 && v[0] == '-' && !isDigits(v[1:2]) {
			args.refuse(f.value.source + " looks like a flag")
		}
		attached = true
	}
	if attached && (kind == readsFile || kind == writesFile) {
		args.namedFiles = append(args.namedFiles, file{arg: f.value, write: kind == writesFile})
		args.writesNamed = args.writesNamed || kind == writesFile && !f.value.is("/dev/null")
	}
	args.flags = append(args.flags, f)
}

// globFlag takes a flag such as --include=*.go. The shell may expand it, but only to
// the same flag with another value.
func (p *argParser) globFlag(a arg) bool {
	if !a.known || !a.glob || !strings.HasPrefix(a.value, "--") {
		return false
	}
	name, value, attached := strings.Cut(a.value, "=")
	kind, ok := p.spec.kindOf(name)
	if !attached || !ok || kind != takesValue && kind != optionalValue {
		return false
	}
	a.value = value
	p.parsed.flags = append(p.parsed.flags, flag{name: name, value: a})
	return true
}

// A settingsWriter is a subcommand that writes the settings of a program, which later
// calls of it read wherever they run.
type settingsWriter struct {
	words string // the subcommand; words with a dash are flags, any of which is needed
	home  string // the file below the home directory
	here  string // the file in the working directory that is written instead, if it is
	// runs is set if a setting may name a program, or where programs come from. A person is
	// then asked in every mode.
	runs bool
	// exact is set if no rule with a wildcard covers it, though it only edits the project.
	exact bool
}

// settingsWriters are such subcommands, by program. Source: the manuals of Go 1.26 (go help
// env), npm 10 and pnpm 9 (config), Yarn 1 and 4 (config), pip 24 (config), Cargo (config),
// Poetry 2 (config), conda 24 (config), Bundler 2 (config), gh 2 (config, alias), kubectl 1.32
// (config), Docker 27 (context, plugin), AWS CLI 2 (configure), gcloud (config), Helm 3 (repo,
// plugin), rustup 1 (default, override, toolchain), direnv 2, mise, pre-commit 4, Lefthook 1,
// Husky 9, Git LFS 3.
var settingsWriters = map[string][]settingsWriter{
	"aws":        {{words: "configure", home: ".aws/config", runs: true}},
	"bundle":     {{words: "config", home: ".bundle/config", runs: true}},
	"cargo":      {{words: "config set", home: ".cargo/config.toml", runs: true}, {words: "login", home: ".cargo/credentials.toml"}},
	"conda":      {{words: "config --add --append --prepend --set --remove --remove-key", home: ".condarc", runs: true}},
	"direnv":     {{words: "allow", home: ".local/share/direnv/allow", runs: true}, {words: "permit", home: ".local/share/direnv/allow", runs: true}},
	"docker":     {{words: "context create", home: ".docker/contexts"}, {words: "context use", home: ".docker/config.json"}, {words: "context update", home: ".docker/contexts"}, {words: "plugin install", home: ".docker/plugins", runs: true}},
	"gcloud":     {{words: "config set", home: ".config/gcloud"}, {words: "config unset", home: ".config/gcloud"}},
	"gh":         {{words: "config set", home: ".config/gh/config.yml", runs: true}, {words: "alias set", home: ".config/gh/config.yml", runs: true}, {words: "alias import", home: ".config/gh/config.yml", runs: true}, {words: "extension install", home: ".local/share/gh", runs: true}},
	"git-lfs":    {{words: "install", home: ".gitconfig", runs: true}},
	"go":         {{words: "env -w -u", home: ".config/go/env", runs: true}},
	"helm":       {{words: "repo add", home: ".config/helm"}, {words: "plugin install", home: ".local/share/helm", runs: true}},
	"husky":      {{words: "", here: ".husky", runs: true}},
	"kubectl":    {{words: "config set", home: ".kube/config"}, {words: "config set-context", home: ".kube/config"}, {words: "config set-cluster", home: ".kube/config"}, {words: "config set-credentials", home: ".kube/config", runs: true}, {words: "config use-context", home: ".kube/config"}, {words: "config unset", home: ".kube/config"}, {words: "config delete-context", home: ".kube/config"}},
	"lefthook":   {{words: "install", here: ".git/hooks", runs: true}},
	"mise":       {{words: "trust", home: ".local/state/mise", runs: true}, {words: "settings", home: ".config/mise", runs: true}},
	"pip":        pipSettings,
	"pip3":       pipSettings,
	"pnpm":       {{words: "config set", home: ".config/pnpm/rc", here: ".npmrc", runs: true}, {words: "config delete", home: ".config/pnpm/rc", here: ".npmrc"}, {words: "set", home: ".config/pnpm/rc", here: ".npmrc", runs: true}},
	"poetry":     {{words: "config", home: ".config/pypoetry/config.toml", here: "poetry.toml", runs: true}},
	"pre-commit": {{words: "install", here: ".git/hooks", runs: true}, {words: "init-templatedir", home: ".git-template", runs: true}},
	"rustup":     {{words: "default", home: ".rustup"}, {words: "override set", home: ".rustup"}, {words: "toolchain link", home: ".rustup", runs: true}},
	"npm":        npmSettings,
	"yarn": {{words: "config set", home: ".yarnrc", here: ".yarnrc.yml", runs: true}, {words: "config unset", home: ".yarnrc", here: ".yarnrc.yml"},
		{words: "set version", here: ".yarnrc.yml", runs: true}, {words: "plugin import", here: ".yarnrc.yml", runs: true}},
}

var npmSettings = []settingsWriter{
	{words: "config set", home: ".npmrc", here: ".npmrc", runs: true}, {words: "config delete", home: ".npmrc", here: ".npmrc"},
	{words: "config edit", home: ".npmrc", here: ".npmrc", runs: true}, {words: "config rm", home: ".npmrc", here: ".npmrc"},
	{words: "c set", home: ".npmrc", here: ".npmrc", runs: true}, {words: "c delete", home: ".npmrc", here: ".npmrc"},
	{words: "c edit", home: ".npmrc", here: ".npmrc", runs: true}, {words: "set", home: ".npmrc", here: ".npmrc", runs: true},
	{words: "pkg set", here: "package.json", exact: true},
}

var pipSettings = []settingsWriter{
	{words: "config set", home: ".config/pip/pip.conf", runs: true}, {words: "config edit", home: ".config/pip/pip.conf", runs: true},
	{words: "config unset", home: ".config/pip/pip.conf"},
}

// settingsWriterOf returns the settings that a command writes, or nil.
func settingsWriterOf(name string, args []arg) *settingsWriter {
	list := settingsWriters[name]
	if list == nil {
		return nil
	}
	var words, flags []string
	for _, a := range args {
		flag, _, _ := strings.Cut(a.value, "=")
		switch {
		case !a.isLiteral():
			words = append(words, "")
		case strings.HasPrefix(flag, "-"):
			flags = append(flags, flag)
		default:
			words = append(words, a.value)
		}
	}
	for i := range list {
		if list[i].matches(words, flags) {
			return &list[i]
		}
	}
	return nil
}

// matches reports whether a command with these words and flags writes the settings.
func (s *settingsWriter) matches(words, flags []string) bool {
	needed, given := false, false
	for word := range strings.FieldsSeq(s.words) {
		if strings.HasPrefix(word, "-") {
			needed, given = true, given || gitWords{flags: flags}.has(word)
			continue
		}
		if len(words) == 0 || words[0] != word {
			return false
		}
		words = words[1:]
	}
	return given || !needed && !gitWords{flags: flags}.has("--list", "--help", "-h", "--show", "--show-sources")
}

// addSettings adds the settings that a command writes.
func (e *effect) addSettings(name string, args []arg) {
	s := settingsWriterOf(name, args)
	if s == nil {
		return
	}
	e.worsen(Unknown, name+" changes its settings")
	if s.runs && e.askReason == "" {
		e.askReason = name + " would change its settings, which later calls run or trust"
	}
	e.noWildcards = e.noWildcards || s.runs || s.exact
	if s.home != "" {
		e.files = append(e.files, file{arg: literalArg(s.home), inHome: true, write: true, tree: true})
	}
	if s.here != "" {
		e.files = append(e.files, file{arg: literalArg(s.here), write: true, tree: true, guess: s.home != ""})
	}
}

// A variableKind says what programs do with a variable of their environment.
type variableKind int

// The kinds. The zero kind is that of a variable that no table lists.
const (
	variableUnlisted variableKind = iota
	variableHarmless              // changes the output of a program or how carefully it runs
	variableCommand               // a command that a program runs, mostly by a shell
	variableUnseen                // the value does not tell what programs run because of it
	variableSetting               // gives git a setting
	variableHome                  // a directory with settings of programs
	variableCode                  // code, or a file with code, that a program runs when it starts
	variableProgram               // a program or its options
)

// variableNames are variables by kind. Those of git have the prefix GIT_; others with
// that prefix are unseen. Source: git(1), ENVIRONMENT VARIABLES, and git-config(1),
// ENVIRONMENT, git 2.39; environ(7), git-var(1), ssh(1), less(1), ld.so(8), bash(1).
var variableNames = map[variableKind]string{
	variableHarmless: "GIT_ADVICE GIT_ALLOW_PROTOCOL GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME GIT_CEILING_DIRECTORIES GIT_COMMITTER_DATE" +
		" GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME GIT_DEFAULT_HASH GIT_DIFF_OPTS" +
		" GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_FLUSH GIT_GLOB_PATHSPECS GIT_HTTP_USER_AGENT GIT_ICASE_PATHSPECS GIT_INDEX_VERSION" +
		" GIT_LFS_SKIP_SMUDGE GIT_LITERAL_PATHSPECS GIT_MERGE_AUTOEDIT GIT_MERGE_VERBOSITY GIT_NAMESPACE GIT_NOGLOB_PATHSPECS" +
		" GIT_NO_LAZY_FETCH GIT_NO_REPLACE_OBJECTS GIT_NOTES_REF GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE GIT_PRINT_SHA1_ELLIPSIS GIT_PROTOCOL" +
		" GIT_PROTOCOL_FROM_USER GIT_REFLOG_ACTION GIT_SSH_VARIANT GIT_TERMINAL_PROMPT",
	variableCommand: "EDITOR FCEDIT PAGER SSH_ASKPASS VISUAL" +
		" GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND",
	variableHome:    "HOME XDG_CONFIG_HOME",
	variableCode:    "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PYTHONSTARTUP PERL5OPT PERL5DB RUBYOPT GCONV_PATH VIMINIT EXINIT",
	variableProgram: "AR AS CC CPP CXX FC LD LESSCLOSE LESSOPEN MAKE PC PROMPT_COMMAND PS0 PS1 PS4 RUSTC YACC LEX",
}

// programSuffixes are how the names of variables end that name a program or its options,
// programPrefixes how they begin. Letter case does not count.
const (
	programSuffixes = "PAGER EDITOR VISUAL BROWSER COMMAND SHELL WRAPPER CMD PROGRAM RUNNER LINKER ASKPASS OPTIONS FLAGS RSH SSH PROXY_COMMAND"
	programPrefixes = "GIT_CONFIG NPM_CONFIG_ BASH_FUNC_"
)

// optionVariables are the variables from which programs take options.
var optionVariables = map[string]string{
	"TAR_OPTIONS": "tar", "MAKEFLAGS": "make", "GNUMAKEFLAGS": "make", "MFLAGS": "make", "NODE_OPTIONS": "node", "LESS": "less", "MORE": "more",
	"MANOPT": "man", "ZIPOPT": "zip", "ZIP": "zip", "UNZIP": "unzip", "RUBYOPT": "ruby", "PERL5OPT": "perl", "ACK_OPTIONS": "ack", "RSYNC_RSH": "rsync -e",
	"VIMINIT": "vim -c", "EXINIT": "ex -c", "NINJA_FLAGS": "ninja", "GREP_OPTIONS": "grep", "PYTEST_ADDOPTS": "pytest", "JAVA_TOOL_OPTIONS": "java",
	"MAVEN_OPTS": "java", "GOFLAGS": "go test", "SCREENRC": "screen -c", "npm_config_call": "npx -c", "CFLAGS": "gcc", "CXXFLAGS": "g++", "CPPFLAGS": "gcc", "LDFLAGS": "gcc", "WGETRC": "wget --config",
}

// variableKindOf returns the kind of a variable.
func variableKindOf(name string) variableKind {
	if harmlessVariables[name] {
		return variableHarmless
	}
	if strings.HasPrefix(name, "GIT_CONFIG_") {
		return variableSetting
	}
	upper := strings.ToUpper(name)
	for kind, names := range variableNames {
		if has(names, name) || kind == variableProgram && has(names, upper) {
			return kind
		}
	}
	if strings.HasPrefix(name, "GIT_") {
		return variableUnseen
	}
	if optionVariables[name] != "" || hasAffix(upper) {
		return variableProgram
	}
	return variableUnlisted
}

// hasAffix reports whether the name of a variable is of a family that names programs.
func hasAffix(upper string) bool {
	for end := range strings.FieldsSeq(programSuffixes) {
		if strings.HasSuffix(upper, end) {
			return true
		}
	}
	for start := range strings.FieldsSeq(programPrefixes) {
		if strings.HasPrefix(upper, start) {
			return true
		}
	}
	return false
}

// runsNothingMore reports whether a value of a variable surely makes programs run nothing
// more than without it.
func runsNothingMore(kind variableKind, name, value string) bool {
	switch {
	case value == "":
		return true
	case kind == variableCommand:
		return has("true false : cat less more", value)
	}
	// Traces are written to a file only if the value names one.
	return value == "/dev/null" || strings.HasPrefix(name, "GIT_TRACE") && has("0 1 2 true false", value)
}

// namesProgram reports whether a variable may hold a program or code that another program runs.
func namesProgram(kind variableKind, name string) bool {
	switch kind {
	case variableCommand, variableSetting, variableCode, variableProgram:
		return true
	}
	return hasAffix(strings.ToUpper(name))
}

// loadsCode reports whether a program may run code that the value of a variable names and
// that the line does not show.
func loadsCode(kind variableKind, name, value string) bool {
	switch {
	case kind == variableCode:
		return true
	case name == "NODE_OPTIONS":
		return strings.Contains(value, "require") || strings.Contains(value, "import") || strings.Contains(value, "loader") || strings.Contains(value, "-r")
	}
	path, _, _ := strings.Cut(value, " ")
	return namesProgram(kind, name) && strings.Contains(path, "/") && !strings.HasPrefix(path, "/usr/bin/") && !strings.HasPrefix(path, "/bin/") && !strings.HasPrefix(path, "-")
}

// versionSpecs are commands whose only known harmless use is to print their version, or
// little more.
// cargo, rustc and others are left out: a file of the project chooses their toolchain
// and may name any program.
var versionSpecs = map[string]commandSpec{
	"bash":    {source: "GNU bash 5.2 manual", custom: onlyWith("--version")},
	"bun":     {source: "bun 1.2 manual", custom: onlyWith("--version", "-v")},
	"clang":   {source: "clang 18 manual", custom: onlyWith("--version")},
	"cmake":   {source: "cmake 3.30 manual", custom: onlyWith("--version")},
	"deno":    {source: "deno 2 manual", custom: onlyWith("--version", "-V")},
	"g++":     {source: "GCC 14 manual", custom: onlyWith("--version")},
	"gcc":     {source: "GCC 14 manual", custom: onlyWith("--version")},
	"java":    {source: "java(1) of JDK 21", custom: onlyWith("-version", "--version")},
	"javac":   {source: "javac(1) of JDK 21", custom: onlyWith("-version", "--version")},
	"make":    {source: "GNU make 4.4 manual", custom: onlyWith("--version", "-v")},
	"node":    {source: "node 22 manual", custom: onlyWith("--version", "-v")},
	"npm":     {source: "npm 10 manual", custom: onlyWith("--version", "-v")},
	"npx":     {source: "npm 10 manual", custom: onlyWith("--version", "-v")},
	"perl":    {source: "perlrun 5.38", custom: onlyWith("--version", "-v")},
	"php":     {source: "php 8.3 manual", custom: onlyWith("--version", "-v")},
	"pip":     {source: "pip 24 manual", custom: pipEffect},
	"pip3":    {source: "pip 24 manual", custom: pipEffect},
	"python":  {source: "Python 3.13 manual", custom: onlyWith("--version", "-V", "-VV")},
	"python3": {source: "Python 3.13 manual", custom: onlyWith("--version", "-V", "-VV")},
	"ruby":    {source: "ruby 3.3 manual", custom: onlyWith("--version", "-v")},
	"tsc":     {source: "TypeScript 5 manual", custom: onlyWith("--version", "-v")},
	"go":      {source: "Go 1.26, Go Toolchains", custom: goEffect},
	"kubectl": {source: "kubectl 1.32 manual", custom: kubectlEffect},
	"openssl": {source: "openssl(1) of OpenSSL 3", custom: opensslEffect},
	"gofmt": {
		// -w writes; -d ran diff in some versions.
		source: "Go 1.26, cmd/gofmt", operands: readTrees, hasUnsafeFlags: true, flags: "-l -e -s",
	},
}

// onlyWith returns the effect of a command that is known to be harmless only if its
// single argument is one of words.
func onlyWith(words ...string) func(args []arg) effect {
	reason := "only " + strings.Join(words, " and ") + " are known not to act"
	return func(args []arg) effect {
		if len(args) == 1 && args[0].is(words...) {
			return effect{}
		}
		return unknownEffect(reason)
	}
}

// pipEffect returns the effect of pip. Its other subcommands may ask an index or, like
// freeze, run git in the directories of packages.
func pipEffect(args []arg) effect {
	if len(args) < 2 || !args[0].is("show") {
		return onlyWith("--version", "-V")(args)
	}
	p := commandSpec{operands: plainTexts, hasUnsafeFlags: true, flags: "-f --files"}.parseArgs(args[1:])
	if p.reason != "" {
		return unknownEffect(p.reason)
	}
	return effect{}
}

// goEffect returns the effect of go. The tool runs lines that only read with
// GOTOOLCHAIN=local: otherwise even go version may download and run the toolchain that go.mod
// names. It also keeps go doc from downloading modules.
func goEffect(args []arg) effect {
	unknown := unknownEffect("go may download modules, run a compiler and what a module names")
	if len(args) == 0 {
		return unknown
	}
	flags := map[string]string{"version": "", "env": "-json -changed", "doc": "-all -c -cmd -short -src -u"}
	harmless, ok := flags[args[0].value]
	if !ok || !args[0].known || args[0].value == "version" && len(args) > 1 {
		return unknown
	}
	var e effect
	for _, a := range args[1:] {
		switch {
		case !a.isLiteral(), strings.HasPrefix(a.value, "-") && !has(harmless, a.value), !strings.HasPrefix(a.value, "-") && mayLeaveProject(a.value), strings.Contains(a.value, "@"):
			return unknown
		case strings.HasPrefix(a.value, "."):
			e.addRead(a)
		}
	}
	return e
}

// kubectlEffect returns the effect of kubectl, which does most things on a server.
func kubectlEffect(args []arg) effect {
	words := joinValues(args)
	if len(args) == 2 && args[0].isLiteral() && args[1].isLiteral() && slices.Contains([]string{"config current-context", "config get-contexts", "config get-clusters", "config get-users", "version --client"}, words) {
		return effect{}
	}
	return unknownEffect("kubectl talks to a server")
}

// opensslEffect returns the effect of openssl.
func opensslEffect(args []arg) effect {
	if len(args) == 0 || !args[0].is("version") || slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() }) {
		return unknownEffect("only openssl version is known not to act")
	}
	return effect{}
}

// has reports whether list, whose words are separated by one blank, contains name.
func has(list, name string) bool {
	if name == "" || strings.Contains(name, " ") {
		return false
	}
	for at := 0; ; at++ {
		n := strings.Index(list[at:], name)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(name)
		if (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}

// markOf looks a name up in a list whose words end in one of marks or in none. It
// returns the mark of the word.
func markOf(list, name, marks string) (mark string, ok bool) {
	for word := range strings.FieldsSeq(list) {
		if mark, ok := strings.CutPrefix(word, name); ok && len(mark) < 2 && strings.Contains(marks, mark) {
			return mark, true
		}
	}
	return "", false
}

// wordSet returns the words of a list that is too long for [has].
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
