package shellparse

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The limits of the inspection of one command.
const (
	maxNested       = 400 // nested texts
	maxCommandWords = 12  // words at which a nested command may begin
)

// inspectNested adds to a command the texts, files and hosts that deny rules look at:
// its own, and those of the commands that it runs. depth is the number of commands that
// run each other.
func (w *walker) inspectNested(c *Command, args []arg, depth int) {
	if depth > 0 && len(args) > 0 && (!args[0].isLiteral() || args[0].isPlaceholder()) {
		w.markUnknown("the name of a command is computed")
	}
	w.inspectOnce(c, args, depth, false, func() {
		w.inspectWords(c, args, depth)
		w.inspectSuffixes(c, args, depth)
	})
}

// inspectSuffixes adds the effects of the later words of a command if they may begin another one.
func (w *walker) inspectSuffixes(c *Command, args []arg, depth int) {
	if !args[0].known {
		return
	}
	name := programName(args[0].value)
	if isBuiltin(name) || !mayStartAny(name) {
		if last := args[len(args)-1]; depth > 0 && last.found != nil && effectOf(name, args[1:]).class == Unknown {
			w.addFoundGuesses(c, last, false)
		}
		return
	}
	c.addSuffixes(args)
	if depth > 0 && effectOf(name, args[1:]).class == Unknown {
		w.addGuesses(c, args)
	}
}

// inspectCandidate is inspectNested for words that may be a command or something else,
// such as the value of an option.
func (w *walker) inspectCandidate(c *Command, args []arg, depth int) {
	w.inspectOnce(c, args, depth, true, func() { w.inspectWords(c, args, depth) })
}

// inspectWords adds the effects of the words of a possible command.
func (w *walker) inspectWords(c *Command, args []arg, depth int) {
	if depth > 0 {
		c.Nested = append(c.Nested, joinSources(c.Text, args))
	}
	name := programName(args[0].value)
	c.addSpellings(args, name)
	if !args[0].known {
		return
	}
	if depth > 0 || name != args[0].value {
		w.addNestedEffect(c, args, effectOf(name, args[1:]), depth)
	}
	w.inspectCopied(c, name, args[1:])
	at := w.place
	w.place = w.placeAfterOptions(name, args[1:])
	w.addEntered(c, name, at)
	w.inspectLists(c, name, args[1:])
	w.inspectStarted(c, name, args[1:], depth)
	w.place = at
}

// inspectStarted inspects the commands that a program starts.
func (w *walker) inspectStarted(c *Command, name string, args []arg, depth int) {
	if name == "xargs" || name == "parallel" {
		args = w.namePlaceholders(name, args)
	}
	if depth > 0 && subcommandUnknown(name, args) {
		w.markUnknown("what " + name + " is to do is computed")
	}
	if name == "command" && len(args) > 0 && args[0].is("-v", "-V") {
		return
	}
	if between, ok := launcherWords(name); ok {
		w.inspectLaunched(c, name, args, between, depth)
	}
	finds, subcommands := isFindProgram(name), subcommandLaunchers[name]
	for i, a := range args {
		switch {
		case !a.known:
		case finds && has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", a.value):
			run := untilFindEnd(args[i+1:])
			if strings.HasPrefix(name, "fd") {
				run = append(run[:len(run):len(run)], addedArgs)
			}
			w.inspectNested(c, run, depth+1)
		case subcommands != nil && i < maxCommandWords:
			if between, ok := subcommands[a.value]; ok {
				w.inspectLaunched(c, name, args[i+1:], between, depth)
			}
		}
	}
	if certain, ok := scriptRunners[name]; ok {
		for _, text := range scriptsOf(name, args) {
			w.addScript(c, text, certain)
		}
		if fillsScript(name, args) {
			w.markUnknown("the text that runs is computed")
		}
		if readsScriptFromInput(name, args) {
			w.markUnknown("a shell reads what it runs from its input or from a file that is not known")
		}
	}
	for _, o := range riskyOptions(name, args) {
		if o.runs() {
			w.addOptionCommand(c, o.value)
		}
	}
	w.inspectTexts(c, name, args, depth)
	if name == "make" || name == "gmake" {
		w.inspectMake(c, args)
	}
	for _, text := range embeddedScripts(c, name, args) {
		w.addScript(c, text, false)
	}
}

// addOptionCommand adds the command line in an option of a command.
func (w *walker) addOptionCommand(c *Command, line arg) {
	if !line.known {
		c.RunsUnseen = true
		return
	}
	w.addTexts(c, line.value)
	if strings.Contains(line.value, ",") && !strings.Contains(line.value, " ") { // as -wrapper has it
		w.addTexts(c, strings.ReplaceAll(line.value, ",", " "))
	}
}

// addNestedEffect adds the effect of a nested command. Its files become guesses.
func (w *walker) addNestedEffect(c *Command, args []arg, e effect, depth int) {
	if c.AskReason == "" {
		c.AskReason = e.askReason
	}
	removed := slices.DeleteFunc(slices.Clone(e.files), func(f file) bool { return f.isFoundTree() })
	w.addRemovalReason(c, args, removed)
	for _, f := range e.files {
		if !f.known && (f.found == nil || f.write) && (f.source == "" || strings.Contains(f.source, findPlaceholder)) {
			w.markUnknown("a program adds files that are not known")
		}
		f.mayWrite = f.mayWrite || f.write && !f.guess
		f.guess = !f.isFoundTree()
		f.tree = f.tree || f.isFoundTree()
		w.addFiles(c, []file{f})
	}
	w.addHosts(c, e.hosts)
	w.addStarted(c, e, depth)
}

// untilFindEnd returns the arguments before the one that ends a command of find.
func untilFindEnd(args []arg) []arg {
	for i, a := range args {
		if a.value == ";" || a.value == "+" {
			return args[:i]
		}
	}
	return args
}

// inspectLaunched inspects the words after a launcher that may be its command. between
// is the number of operands before the command. A word after an option may be the
// option's value or the command, so it is inspected, too.
func (w *walker) inspectLaunched(c *Command, name string, args []arg, between, depth int) {
	assigns := launchedAssignments(name, args, between)
	w.inspectVariables(c, assigns, true)
	w.addGitPlaces(c, assigns, gitPlaces{guess: true, write: true})
	option := false // the previous word is an option, whose value this word may be
	for i, a := range args {
		_, isAssignment := assignmentOf(name, a)
		switch {
		case a.known && strings.HasPrefix(a.value, "-") && len(a.value) > 1:
			option = !isCompleteOption(name, a.value)
			continue
		case isAssignment:
			if !a.known {
				w.markUnknown("what a variable is set to may be several words")
			}
			continue
		case a.isAdded():
			if name != "xargs" || i < len(args)-1 { // without a command xargs runs echo
				w.markUnknown("the name of a command is computed")
			}
			return
		}
		if option || between > 0 {
			w.inspectCandidate(c, args[i:], depth+1)
		} else {
			w.inspectNested(c, args[i:], depth+1)
		}
		if !option {
			if between == 0 {
				if !a.known || a.isPlaceholder() {
					w.markUnknown("the name of a command is computed")
				}
				return
			}
			between--
		}
		option = false
	}
}

// mayStartAny reports whether any word of a command may begin another: the program is
// not known, or may run anything.
func mayStartAny(name string) bool {
	_, known := specOf(name)
	if _, ok := versionSpecs[name]; known && !ok && name != "docker" && name != "podman" {
		return false
	}
	_, launcher := launcherWords(name)
	_, shell := scriptRunners[name]
	return !launcher && (!shell || name == "npm")
}

// listOptions are options with which a program reads files whose names stand in another
// file or come from its input, by program.
var listOptions = map[string]string{
	"tar": "-T --files-from", "bsdtar": "-T --files-from", "gtar": "-T --files-from", "zip": "-@ --names-stdin", "rsync": "--files-from", "rclone": "--files-from --files-from-raw",
	"wc": "--files0-from", "du": "--files0-from", "sort": "--files0-from", "find": "-files0-from", "file": "-f --files-from",
	"md5sum": "-c --check", "sha1sum": "-c --check", "sha224sum": "-c --check", "sha256sum": "-c --check", "sha384sum": "-c --check", "sha512sum": "-c --check",
	"shasum": "-c --check", "b2sum": "-c --check", "cksum": "-c --check", "curl": "-K --config", "ack": "-x --files-from", "ug": "--from", "ugrep": "--from",
	"ctags": "-L", "etags": "-L", "cscope": "-i", "exiftool": "-@", "cloc": "--list-file", "clamscan": "-f --file-list", "restic": "--files-from --files-from-raw --files-from-verbatim",
	"borg": "--paths-from-stdin --paths-from-command --patterns-from", "sftp": "-b", "lftp": "-f", "genisoimage": "-path-list", "mkisofs": "-path-list",
	"docker": "-v --volume --mount --env-file", "podman": "-v --volume --mount --env-file",
}

// listReaders are programs that read the names of files from their input.
const listReaders = "cpio pax afio"

// responseFiles are programs that read arguments from the file behind an @.
var responseFiles = wordSet("7z 7za 7zr ar as c++ cc clang clang++ convert cpp csc exiftool g++ gcc gfortran identify jar java javac javadoc ld link magick mogrify nm objdump" +
	" ranlib rar rustc size strings strip")

// inspectLists adds the files that a program reads because a list names them. The names in
// such a list are known only if the line spells them.
func (w *walker) inspectLists(c *Command, name string, args []arg) {
	reads := has(listReaders, name)
	options := listOptions[name]
	for _, a := range args {
		if reads {
			break
		}
		reads = options != "" && a.known && takesList(options, name, a.value) ||
			strings.HasPrefix(a.value, "@") && responseFiles[strings.TrimRight(name, "-.0123456789")] ||
			name == "zip" && zipList.MatchString(a.value)
	}
	if !reads {
		return
	}
	c.ReadsUnseen = true
	texts, _ := w.inputTexts()
	for _, text := range texts {
		if !w.pay(len(text)) {
			return
		}
		for file := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == 0 }) {
			c.Paths = w.appendPaths(c.Paths, file, Path{Guess: true})
		}
	}
}

// zipList matches the options of zip that name a list, alone or behind other letters.
var zipList = regexp.MustCompile(`^-[a-zA-Z]*@`)

// takesList reports whether an argument is one of options, possibly abbreviated or behind
// other letters.
func takesList(options, name, value string) bool {
	given, _, _ := strings.Cut(value, "=")
	for option := range strings.FieldsSeq(options) {
		switch {
		case option == given:
			return true
		case strings.HasPrefix(option, "--"):
			if len(given) > len("--x") && strings.HasPrefix(option, given) {
				return true
			}
		case len(option) == 2 && len(value) > 2 && value[0] == '-' && value[1] != '-':
			if strings.Contains(value, option[1:]) && !strings.HasPrefix(name, "docker") && name != "podman" {
				return true
			}
		case name == "tar" && !strings.HasPrefix(value, "-") && strings.Trim(value, "AcdrtuxvzjJpkmOwhfCTXSWBbi") == "" && strings.Contains(value, "T"):
			return true
		}
	}
	return false
}

// copiesPrograms are programs that give a file another name.
var copiesPrograms = wordSet("cp ln mv install link rsync dd scp")

// inspectCopied adds the programs to which a command gives another name, under which no
// rule would know them.
func (w *walker) inspectCopied(c *Command, name string, args []arg) {
	if !copiesPrograms[name] && (!has("cat head tac tail tee", name) || !w.divertsOutput()) {
		return
	}
	for _, a := range args {
		value := strings.TrimPrefix(a.value, "if=")
		if !a.known || strings.HasPrefix(value, "-") || value == "" {
			continue
		}
		dirs := []string{path.Dir(value)}
		if !strings.Contains(value, "/") {
			dirs = w.place.dirs
		}
		for _, dir := range dirs {
			if has("bin sbin libexec", path.Base(dir)) && isSystemBin(dir) {
				c.RunsUnseen = true
				c.Nested = append(c.Nested, programName(value))
			}
		}
	}
}

// isSystemBin reports whether a directory may hold programs of the system: one that is
// given by an absolute path, or by one that leads out of the project.
func isSystemBin(dir string) bool {
	return strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..")
}

// launchers are programs that run the command after their options, with the number of
// operands before it. Only deny rules look behind them, so the list may be generous.
var launchers = map[string]int{
	"env": 0, "sudo": 0, "doas": 0, "pkexec": 0, "su": 0, "runuser": 0, "gosu": 1, "su-exec": 1, "setpriv": 0, "sg": 1,
	"watch": 0, "ionice": 0, "setsid": 0, "chrt": 1, "taskset": 1, "flock": 1, "setarch": 1, "linux64": 0, "linux32": 0,
	"prlimit": 0, "choom": 0, "tini": 0, "dumb-init": 0, "eatmydata": 0, "chronic": 0, "cross-env": 0, "ld.so": 0,
	"chroot": 1, "nsenter": 0, "unshare": 0, "bwrap": 0, "firejail": 0, "fakeroot": 0, "systemd-run": 0, "capsh": 0,
	"xargs": 0, "parallel": 0, "entr": 0, "busybox": 0, "toybox": 0,
	"strace": 0, "ltrace": 0, "gdb": 0, "valgrind": 0, "perf": 1, "unbuffer": 0, "script": 0,
	"timeout": 1, "time": 0, "nice": 0, "nohup": 0, "stdbuf": 0, "command": 0, "builtin": 0, "exec": 0,
	"noglob": 0, "nocorrect": 0, "repeat": 1, "-": 0, "--": 0, "coproc": 0, "ssh": 1, "tmux": 1, "screen": 0,
	"direnv": 2, "devbox": 1, "mise": 1, "npx": 0, "bunx": 0, "pipx": 1, "uv": 1, "uvx": 0, "poetry": 1,
	"pipenv": 1, "bundle": 1, "conda": 1, "xvfb-run": 0, "dbus-run-session": 0,
}

// subcommandLaunchers are programs with subcommands that are launchers.
var subcommandLaunchers = map[string]map[string]int{
	"npm": {"exec": 0, "x": 0}, "pnpm": {"exec": 0, "dlx": 0}, "yarn": {"exec": 0, "dlx": 0}, "bun": {"x": 0},
	"docker": {"exec": 1, "run": 1}, "podman": {"exec": 1, "run": 1}, "kubectl": {"exec": 1},
}

// launcherWords returns the number of operands between the name of a launcher and its
// command.
func launcherWords(name string) (between int, ok bool) {
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		name = "ld.so"
	}
	between, ok = launchers[name]
	return between, ok
}

// launcherOptions are the options of some launchers, by their letters: those without a
// value and those with one. An option is listed only if that is certain.
var launcherOptions = map[string]struct{ alone, valued string }{
	"env": {"i0v", "uSC"}, "sudo": {"AbBEHinPsS", "CDghpRrTtUu"}, "doas": {"ns", "Cu"}, "xargs": {"0rtxop", "adEILnPsJ"},
	"timeout": {"v", "sk"}, "nice": {"", "n"}, "stdbuf": {"", "ioe"}, "time": {"p", "fo"}, "setsid": {"cfw", ""},
	"command": {"p", ""}, "exec": {"cl", "a"}, "ionice": {"t", "cn"},
}

// isCompleteOption reports whether an option of a launcher surely does not take the
// next word as its value.
func isCompleteOption(name, option string) bool {
	if strings.HasPrefix(option, "--") {
		return option == "--" || strings.Contains(option, "=") || has("--ignore-environment --null --no-run-if-empty --preserve-status --foreground", option)
	}
	letters, ok := launcherOptions[name]
	for i := 1; ok && i < len(option); i++ {
		switch {
		case strings.IndexByte(letters.valued, option[i]) >= 0:
			return i < len(option)-1
		case strings.IndexByte(letters.alone, option[i]) < 0:
			return false
		}
	}
	return ok
}

// scriptRunners are commands that run a text. The value is true if a shell whose
// language the package reads surely runs it.
var scriptRunners = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true, "rbash": true,
	"su": true, "runuser": true, "script": true, "eval": true, "trap": true, "capsh": true, "sg": true,
	"flock": false, "watch": false, "ssh": false, "parallel": false, "env": false, "alias": false, "tmux": false, "screen": false,
	"compgen": false, "complete": false, "nix-shell": false, "fish": false, "busybox": false, "pwsh": false, "npm": false, "npx": false,
}

// isFindProgram reports whether a program runs the commands after options such as
// -exec.
func isFindProgram(name string) bool {
	switch name {
	case "find", "gfind", "fd", "fdfind", "bfs":
		return true
	}
	return false
}

// inspectMake adds the commands in the arguments of make: in the variables that it is
// given, and in rules of --eval. Rules that the line makes itself are not seen.
func (w *walker) inspectMake(c *Command, args []arg) {
	for i, a := range args {
		name, value, attached := strings.Cut(a.value, "=")
		switch {
		case !a.known && (strings.Contains(a.source, "=") || (file{arg: a}).isProcessSubst()):
			c.RunsUnseen = true
		case (file{arg: a}).isProcessSubst(), isStandardStream(a.value) && a.value != "/dev/null", a.is("-f-"),
			a.is("-") && i > 0 && (args[i-1].is("-f", "--file", "--makefile") || strings.HasSuffix(args[i-1].value, "f")):
			c.RunsUnseen = true
		case attached && !strings.HasPrefix(name, "-"), len(name) > len("--e") && strings.HasPrefix("--eval", name) && attached:
			w.guessVariable(c, strings.TrimRight(name, ":+?!"), a.withValue(value))
		case len(name) > len("--e") && strings.HasPrefix("--eval", name) && i+1 < len(args), a.is("-E") && i+1 < len(args):
			w.guessVariable(c, "--eval", args[i+1])
		}
	}
}

// markPlaceholders returns the arguments of xargs or parallel. For xargs, the words
// that it replaces by its input are marked.
func markPlaceholders(name string, args []arg) []arg {
	if name != "xargs" {
		return slices.Clone(args)
	}
	p := commandSpecs[name].parseArgs(args)
	return append(slices.Clone(args[:len(args)-len(p.operands)]), p.nestedCommand()...)
}

// nestedCommand returns the words of the command in the operands of xargs, with its
// placeholders marked.
func (p parsedArgs) nestedCommand() []arg {
	list := slices.Clone(p.operands)
	options := p.flagValues("-I", "-i", "-J", "--replace")
	if len(options) == 0 {
		return list
	}
	placeholder := options[len(options)-1].value
	if placeholder == "" {
		placeholder = findPlaceholder
	}
	for i, a := range list {
		switch {
		case a.value == placeholder:
			list[i] = arg{source: a.source, placeholder: true}
		case strings.Contains(a.value, placeholder):
			list[i].placeholder = true
		}
	}
	return list
}

// fillsScript reports whether a placeholder is a text that a shell runs, or part of
// one.
func fillsScript(name string, args []arg) bool {
	for i, a := range args {
		switch {
		case !a.isPlaceholder():
		case has("eval watch ssh tmux screen", name):
			return true
		case i > 0 && args[i-1].known && precedesScript(args[i-1].value):
			return true
		case a.known && slices.ContainsFunc(scriptsOf(name, args), arg.isPlaceholder):
			return true
		}
	}
	return false
}

// precedesScript reports whether an option of a shell is followed by a script.
func precedesScript(option string) bool {
	return has("--command --run -C", option) || len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.HasSuffix(option, "c")
}

// subcommandPrograms are programs whose first operand decides their effect.
const subcommandPrograms = "apt apt-get brew bun cargo docker gh go helm kubectl npm pip pip3 pnpm podman poetry systemctl terraform uv yarn"

// gitSubcommandFamilies are subcommands of git whose next word decides their effect.
const gitSubcommandFamilies = "bisect bundle config notes reflog remote stash submodule worktree"

// subcommandUnknown reports whether an unknown word leaves the effect of a program
// open, because it is the subcommand or the script.
func subcommandUnknown(name string, args []arg) bool {
	if !slices.ContainsFunc(args, func(a arg) bool { return !a.known || a.isPlaceholder() }) {
		return false
	}
	switch name {
	case "git":
		args = gitCommand(args)
		return len(args) == 0 || !args[0].isLiteral() || args[0].isPlaceholder() ||
			len(args) > 1 && has(gitSubcommandFamilies, args[0].value) && (!args[1].known || args[1].isPlaceholder())
	case "sed", "gsed", "awk", "gawk", "mawk", "nawk":
		return !slices.ContainsFunc(args[:firstPlaceholder(args)], func(a arg) bool { return !strings.HasPrefix(a.value, "-") })
	}
	if !has(subcommandPrograms, name) {
		return false
	}
	option := false
	for _, a := range args {
		switch {
		case !a.known || a.isPlaceholder():
			return true
		case strings.HasPrefix(a.value, "-"):
			option = true
		case !option:
			return false
		default:
			option = false // may be the option's value
		}
	}
	return false
}

// firstPlaceholder returns the index of the first placeholder, or the number of
// arguments.
func firstPlaceholder(args []arg) int {
	if i := slices.IndexFunc(args, arg.isPlaceholder); i >= 0 {
		return i
	}
	return len(args)
}

// A command may run words of the line, a text in it, or either of them, and these may run
// something in turn. Without a memory and a limit, each level would multiply the work.

// The costs of reading a text, however short it is, and each of the words of a possible
// command, in bytes of a text.
const (
	readPrice = 64
	wordPrice = 16
)

// pay takes the price of a text of n bytes from the budget of the line. If it does not
// suffice, the line is unknown, and pay reports false.
func (b *lineBuilder) pay(n int) bool {
	if b.state.workLeft -= n + readPrice; b.state.workLeft < 0 {
		b.state.giveUp("the line runs too many commands in others")
		return false
	}
	return true
}

// giveUp makes the line unknown, in whichever script of it this is called.
func (s *parserState) giveUp(reason string) {
	if s.gaveUp == "" {
		s.gaveUp = reason
	}
}

const tooDeep = "commands run commands too deeply"

// A scriptKey is a text that a command of the line runs, itself or by way of others.
type scriptKey struct {
	command         int // index of the command
	text, dir, home string
	shell           Shell
}

// A scriptRead is the memory of a script that was read.
type scriptRead struct {
	depth   int // number of scripts it was nested in
	unknown string
}

// readScript returns the effects of a script of a command, and why the script cannot be fully
// understood. If it was read for the same command already, its effects are among those of the
// command and are not returned again.
func (b *lineBuilder) readScript(text string, env Env) (sub Line, unknown string) {
	if b.scriptDepth >= maxScriptDepth {
		b.state.giveUp(tooDeep)
		return sub, tooDeep
	}
	if b.scriptDepth == 0 {
		b.state.command = len(b.line.Commands)
	}
	if !b.pay(len(text)) {
		return sub, b.state.gaveUp
	}
	key := scriptKey{command: b.state.command, text: text, dir: env.Dir, home: env.Home, shell: env.Shell}
	before, again := b.state.scripts[key]
	if again && before.depth <= b.scriptDepth {
		return sub, before.unknown
	}
	if b.state.scripts == nil {
		b.state.scripts = map[scriptKey]scriptRead{}
	}
	b.state.scripts[key] = scriptRead{depth: b.scriptDepth}
	sub = parse(text, env, b.scriptDepth+1, b.state)
	b.state.scripts[key] = scriptRead{depth: b.scriptDepth, unknown: sub.Unknown}
	return sub, sub.Unknown
}

// A candidate is the words of a possible command.
type candidate struct {
	command     int // index of the command of the line that runs it
	words, dirs string
	maybe       bool // it may be something else
}

// A candidateRead is the memory of a candidate that was inspected.
type candidateRead struct {
	depth   int
	unknown string
}

// inspectOnce calls inspect for the words of a possible command, unless that was done already
// for the same command of the line.
func (w *walker) inspectOnce(c *Command, args []arg, depth int, maybe bool, inspect func()) {
	switch {
	case len(args) == 0:
		return
	case depth > maxScriptDepth, len(c.Nested) > maxNested:
		w.state.giveUp(tooDeep)
		return
	case depth == 0:
		inspect()
		return
	case !w.pay(len(args) * wordPrice):
		return
	}
	key := candidate{command: len(w.line.Commands), words: exactText(args), dirs: strings.Join(w.place.dirs, "\x00"), maybe: maybe}
	before, again := w.candidates[key]
	if again && before.depth <= depth {
		if before.unknown != "" {
			w.markUnknown(before.unknown)
		}
		return
	}
	reason := w.line.Unknown
	w.line.Unknown = ""
	inspect()
	if w.candidates == nil {
		w.candidates = map[candidate]candidateRead{}
	}
	w.candidates[key] = candidateRead{depth: depth, unknown: w.line.Unknown}
	w.line.Unknown = cmp.Or(reason, w.line.Unknown)
}

// exactText is a text that only the same words have.
func exactText(args []arg) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(a.source)
		b.WriteByte(0)
		if a.value != a.source {
			b.WriteString(a.value)
		}
		b.WriteByte(0)
		for _, is := range []bool{a.known, a.glob, a.anyNumber, a.placeholder, a.found != nil} {
			if is {
				b.WriteByte('1')
			} else {
				b.WriteByte('0')
			}
		}
	}
	return b.String()
}
