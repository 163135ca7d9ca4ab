package shellparse

import (
	"path"
	"slices"
	"strings"
)

// gitConfigValued are the flags of git config with a value. Source: git-config(1).
const gitConfigValued = "-f --file --blob --type --default --comment --value --url"

// gitConfigFlagNames are its long flags, of which git accepts abbreviations.
const gitConfigFlagNames = gitConfigValued + " --global --system --local --worktree --add --replace-all --unset --unset-all --rename-section" +
	" --remove-section --edit --append --all --fixed-value --get --get-all --get-regexp --get-urlmatch --list --get-color --get-colorbool" +
	" --bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type --null --name-only --includes --no-includes --show-origin" +
	" --show-scope --regexp"

// A gitConfigCall is a call of git config that may write.
type gitConfigCall struct {
	files    []file // that it writes
	operands []arg
	flags    []string
	unclear  bool // a word may be a flag
}

// parseGitConfig parses the arguments of git config.
func parseGitConfig(args []arg, dir string) gitConfigCall {
	var c gitConfigCall
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.isLiteral():
			c.unclear = c.unclear || a.mayBeFlag() && len(c.operands) == 0
			c.operands = append(c.operands, a)
		case a.is("--"):
			c.operands = append(c.operands, args[i+1:]...)
			i = len(args)
		case !strings.HasPrefix(a.value, "-"):
			c.operands = append(c.operands, a)
		default:
			name, value, attached := strings.Cut(a.value, "=")
			name = longGitFlag(gitConfigFlagNames, name)
			v := a.withValue(value)
			if strings.HasPrefix(a.value, "-f") && len(a.value) > 2 {
				name, v, attached = "-f", a.withValue(a.value[2:]), true
			}
			if has(gitConfigValued, name) && !attached && i+1 < len(args) {
				i++
				v = args[i]
			}
			c.addFlag(name, v, dir)
		}
	}
	if len(c.files) == 0 {
		c.files = []file{{arg: gitInDir(literalArg(".git/config"), dir)}}
	}
	return c
}

// addFlag adds a flag, and the file that it names.
func (c *gitConfigCall) addFlag(name string, value arg, dir string) {
	c.flags = append(c.flags, name)
	switch name {
	case "--global":
		c.files = append(c.files, file{arg: literalArg(".gitconfig"), inHome: true})
	case "--system":
		c.files = append(c.files, file{arg: literalArg("/etc/gitconfig")})
	case "--worktree":
		c.files = append(c.files, file{arg: gitInDir(literalArg(".git/config.worktree"), dir)})
	case "-f", "--file":
		c.files = append(c.files, file{arg: gitInDir(value, dir)})
	}
}

// longGitFlag returns the first flag in a list that a long flag may be an abbreviation of. Two
// dashes alone end the flags.
func longGitFlag(list, name string) string {
	if !strings.HasPrefix(name, "--") || name == "--" || has(list, name) {
		return name
	}
	for known := range strings.FieldsSeq(list) {
		if strings.HasPrefix(known, name) {
			return known
		}
	}
	return name
}

// addGitConfig adds the files that git config writes, and the commands that its settings make
// git run. If a setting of the repository makes git run nothing, its file is only a guess:
// otherwise each such setting would be asked about in every mode.
func (e *effect) addGitConfig(args []arg, dir string) {
	c := parseGitConfig(args, dir)
	words := c.operands
	if len(words) > 0 && words[0].is("set", "unset", "edit", "rename-section", "remove-section") {
		c.flags, words = append(c.flags, words[0].value), words[1:]
	}
	harmless := false
	switch {
	case c.unclear:
		e.refuseUnseen("what git config sets is computed")
	case c.has("--unset", "--unset-all", "unset", "--remove-section", "remove-section"):
		harmless = true
	case c.has("--edit", "-e", "edit", "--rename-section", "rename-section"):
		e.noWildcards = true
	case len(words) > 1 && c.has("-f", "--file") && words[0].isLiteral() && gitKeyKindOf(words[0].value) == gitKeyUnseen:
		// The file is not known to be one of git's.
	case len(words) > 1:
		harmless = e.addGitSetting(gitSetting{words[0], words[1]})
	}
	for _, f := range c.files {
		f.write = true
		f.guess = harmless && !c.has("--global", "--system", "-f", "--file")
		e.files = append(e.files, f)
	}
}

func (c gitConfigCall) has(names ...string) bool { return gitWords{flags: c.flags}.has(names...) }

// A gitAliasUse is a subcommand of git that may be an alias.
type gitAliasUse struct {
	name string
	args []arg
	dir  string // as given by -C
}

// gitCommands are the subcommands that no alias can replace, since git has them built in
// or always installed. Others, such as svn, are packages of their own. Source: "git
// --list-cmds=builtins" of git 2.39, and the scripts of its core package.
var gitCommands = wordSet("add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap" +
	" check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects" +
	" credential credential-cache credential-store describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import" +
	" fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-commit-id grep" +
	" hash-object help hook index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge" +
	" merge-base merge-file merge-index merge-ours merge-recursive merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv" +
	" name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote" +
	" remote-ext remote-fd repack replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index" +
	" show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index" +
	" update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version worktree write-tree")

// isGitCommand reports whether git surely has a subcommand of its own with this name.
func isGitCommand(name string) bool { return gitCommands[name] }

// aliasEffect returns the commands that a subcommand of git may stand for: by an alias
// that the line makes, or by one that git finds in a directory.
func (b *lineBuilder) aliasEffect(use *gitAliasUse, dirs []string) effect {
	var e effect
	values := slices.Clone(b.gitAliases[strings.ToLower(use.name)])
	for _, dir := range dirs {
		if b.env.GitAliases == nil {
			break
		}
		found, err := b.env.GitAliases(joinDir(dir, use.dir), b.env.Home, use.name)
		if err != nil {
			e.refuseUnseen("git " + use.name + " may be an alias: " + err.Error())
		}
		values = append(values, found...)
	}
	for _, value := range values {
		e.addGitAlias(value, use.args)
	}
	return e
}

// addAliasDefinition records an alias for all commands of the line that follow.
func (b *lineBuilder) addAliasDefinition(s gitSetting) {
	if b.gitAliases == nil {
		b.gitAliases = map[string][]string{}
	}
	_, name, _ := strings.Cut(strings.ToLower(s.key.value), ".")
	name = strings.TrimSuffix(name, ".command")
	b.gitAliases[name] = append(b.gitAliases[name], s.value.value)
}

// addStarted adds the commands that an effect starts, and the aliases that it makes.
func (w *walker) addStarted(c *Command, e effect, depth int) {
	for _, s := range e.aliases {
		w.addAliasDefinition(s)
	}
	if e.lineUnknown != "" {
		w.markUnknown(e.lineUnknown)
	}
	for _, run := range e.runs {
		w.inspectNested(c, run, depth+1)
	}
	switch {
	case e.alias == nil:
	case depth > maxScriptDepth:
		w.state.giveUp(tooDeep)
	default:
		found := w.aliasEffect(e.alias, w.place.dirs)
		c.NoWildcards = c.NoWildcards || found.noWildcards
		w.addStarted(c, found, depth+1)
	}
}

// A gitSetting is an entry of git's configuration that a line sets.
type gitSetting struct {
	key   arg
	value arg
}

// gitSettingOf splits "key=value". A key alone means true.
func gitSettingOf(a arg) gitSetting {
	key, value, found := strings.Cut(a.value, "=")
	if !found {
		value = "true"
	}
	return gitSetting{a.withValue(key), a.withValue(value)}
}

// addGitSetting adds the commands that a setting makes git run. It reports whether the setting
// surely makes git run nothing more.
func (e *effect) addGitSetting(s gitSetting) (harmless bool) {
	kind := gitKeyUnseen
	if s.key.isLiteral() {
		kind = gitKeyKindOf(s.key.value)
	}
	switch {
	case kind == gitKeyHarmless:
		return true
	case !s.key.isLiteral() || !s.value.isLiteral():
		e.refuseUnseen("what a setting of git makes it run is not known")
		return false
	case isHarmlessGitValue(s.key.value, kind, s.value.value):
		return true
	}
	switch kind {
	case gitKeyCommand:
		e.noWildcards = true
		e.addScript(gitSettingCommand(s.key.value, s.value.value))
	case gitKeyAlias:
		e.noWildcards = true
		e.aliases = append(e.aliases, s)
		e.addGitAlias(s.value.value, nil)
	case gitKeyAddress:
		return e.addGitAddress(s.value)
	default:
		e.refuseUnseen("git may run what the setting " + s.key.value + " leads to")
	}
	return false
}

// refuseUnseen is for a command that may start others that cannot be seen: no rule with a
// wildcard covers it, and a rule that denies a command may be about them.
func (e *effect) refuseUnseen(reason string) {
	e.noWildcards = true
	e.worsen(Unknown, reason)
	if e.lineUnknown == "" {
		e.lineUnknown = reason
	}
}

// gitSettingCommand returns the command that git runs for the value of a key. Source:
// gitcredentials(7), CUSTOM HELPERS; git-config(1), submodule.<name>.update.
func gitSettingCommand(key, value string) string {
	_, name, _ := cutLast(strings.ToLower(key), ".")
	if text, ok := strings.CutPrefix(value, "!"); ok {
		return text
	}
	if name == "helper" && !strings.HasPrefix(value, "/") {
		return "git credential-" + value
	}
	return value
}

// addGitAddress adds the command in the address of a repository. It reports true if it finds
// no command. Source: gitremote-helpers(7), git-remote-ext(1).
func (e *effect) addGitAddress(a arg) (harmless bool) {
	helper, address, found := strings.Cut(a.value, "::")
	switch {
	case !a.isLiteral() || !found || strings.ContainsAny(helper, "/:@. "):
		return true
	case helper != "ext":
		e.refuseUnseen("git runs git-remote-" + helper + " for " + a.value)
		return false
	}
	e.noWildcards = true
	e.worsen(Unknown, a.source+" is a command that git runs")
	var words []arg
	for _, word := range splitExtAddress(address) {
		words = append(words, literalArg(word))
	}
	e.runs = append(e.runs, words)
	return false
}

// splitExtAddress returns the words of the command in an address for git-remote-ext.
func splitExtAddress(address string) []string {
	var words []string
	var word strings.Builder
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case c == ' ':
			words = append(words, word.String())
			word.Reset()
		case c == '%' && i+1 < len(address):
			i++
			switch address[i] {
			case ' ', '%':
				word.WriteByte(address[i])
			case 's':
				word.WriteString("upload-pack")
			case 'S':
				word.WriteString("git-upload-pack")
			}
		default:
			word.WriteByte(c)
		}
	}
	return append(words, word.String())
}

// addGitAlias adds the command that an alias stands for, with the arguments that git
// appends. Source: git-config(1), alias.*.
func (e *effect) addGitAlias(value string, args []arg) {
	if script, ok := strings.CutPrefix(value, "!"); ok {
		for _, a := range args {
			script += " " + shellWord(a)
		}
		e.addScript(script)
		return
	}
	words, ok := splitGitWords(value)
	if !ok {
		e.refuseUnseen("the alias " + value + " cannot be understood")
		return
	}
	run := []arg{literalArg("git")}
	for _, word := range words {
		run = append(run, literalArg(word))
	}
	if len(words) > 0 {
		e.runs = append(e.runs, append(run, args...))
	}
}

// shellWord returns an argument as a word of a script.
func shellWord(a arg) string {
	if a.isLiteral() {
		return "'" + strings.ReplaceAll(a.value, "'", `'\''`) + "'"
	}
	return `"$@"`
}

// splitGitWords splits a text as git splits an alias: at blanks outside quotes.
func splitGitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	quote, inWord := byte(0), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'':
			if i++; i == len(text) {
				return nil, false
			}
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// A gitKeyKind says what git does with the value of a key of its configuration.
type gitKeyKind int

// The kinds. The zero kind is that of a key that no table lists.
const (
	// gitKeyUnseen: the value does not tell what git then runs, trusts or reads. It names a
	// directory of hooks, another file of settings, another server, or a tool.
	gitKeyUnseen gitKeyKind = iota
	gitKeyHarmless
	gitKeyCommand // a command, which git runs by a shell
	gitKeyAlias
	gitKeyAddress // a repository; "ext::" runs a command
)

// gitKeys are the keys of each kind, by section; "section.*" holds those with a
// subsection, and "*" stands for all names of a section. A key that is missing is unseen:
// that causes a question.
//
// Source: git-config(1) and "git help --config" of git 2.39; hook, lfs, trailer and tar
// are described elsewhere. A test judges each key that git lists.
var gitKeys = map[gitKeyKind]map[string]string{
	gitKeyCommand: {
		"browser.*": "cmd path", "core": "alternaterefscommand askpass editor fsmonitor gitproxy pager sshcommand",
		"credential": "helper", "credential.*": "helper", "diff": "external", "diff.*": "command textconv",
		"difftool.*": "cmd path", "filter.*": "clean smudge process", "gpg": "program", "gpg.*": "program defaultkeycommand",
		"guitool.*": "cmd", "hook.*": "command", "imap": "tunnel", "instaweb": "browser httpd", "interactive": "difffilter",
		"man.*": "cmd path", "merge.*": "driver", "mergetool.*": "cmd path", "pager": "*", "pager.*": "*",
		"remote.*": "receivepack uploadpack", "sendemail": "cccmd headercmd sendmailcmd smtpserver tocmd",
		"sendemail.*": "cccmd headercmd sendmailcmd smtpserver tocmd", "sequence": "editor", "submodule.*": "update",
		"tar.*": "command", "trailer.*": "cmd command", "uploadpack": "packobjectshook",
	},
	gitKeyAlias:   {"alias": "*", "alias.*": "command"},
	gitKeyAddress: {"branch.*": "remote pushremote", "remote": "pushdefault", "remote.*": "url pushurl", "submodule.*": "url"},
	gitKeyHarmless: {
		"add": "*", "advice": "*", "am": "*", "apply": "*", "author": "*", "blame": "*", "branch": "*", "checkout": "*", "clean": "*", "clone": "*",
		"color": "*", "color.*": "*", "column": "*", "commit": "*", "commitgraph": "*", "committer": "*", "completion": "*", "credentialcache": "*",
		"credentialstore": "*", "fastimport": "*", "feature": "*", "fsck": "*", "gc": "*", "gc.*": "*", "grep": "*", "gui": "*", "i18n": "*", "index": "*",
		"log": "*", "lsrefs": "*", "mailinfo": "*", "mailmap": "*", "maintenance": "*", "maintenance.*": "*", "notes": "*", "notes.*": "*",
		"pack": "*", "pretty": "*", "push": "*", "rebase": "*", "remotes": "*", "repack": "*", "rerere": "*", "revert": "*", "showbranch": "*", "sparse": "*",
		"splitindex": "*", "ssh": "*", "stash": "*", "status": "*", "tag": "*", "transfer": "*", "uploadarchive": "*", "uploadpackfilter": "*",
		"uploadpackfilter.*": "*", "user": "*", "versionsort": "*", "worktree": "*",
		"branch.*": "description merge rebase",
		"core": "abbrev autocrlf bare bigfilethreshold checkroundtripencoding checkstat commentchar commentstring commitgraph compression createobject" +
			" deltabasecachelimit eol excludesfile filemode filesreflocktimeout fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles hidedotfiles" +
			" ignorecase ignorestat logallrefupdates longpaths loosecompression multipackindex notesref packedgitlimit packedgitwindowsize" +
			" packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex quotepath repositoryformatversion" +
			" restrictinheritedhandles safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime" +
			" untrackedcache usereplacerefs warnambiguousrefs whitespace alternaterefsprefixes",
		"credential": "usehttppath username", "credential.*": "usehttppath username",
		"diff": "algorithm autorefreshindex colormoved colormovedws context dirstat ignoresubmodules indentheuristic interhunkcontext mnemonicprefix" +
			" noprefix orderfile relative renamelimit renames statgraphwidth statnamewidth submodule suppressblankempty trustexitcode wordregex" +
			" wserrorhighlight srcprefix dstprefix",
		"diff.*":   "binary cachetextconv wordregex xfuncname funcname algorithm trustexitcode",
		"difftool": "prompt trustexitcode", "extensions": "objectformat", "fetch": "fsckobjects negotiationalgorithm output parallel prune prunetags" +
			" recursesubmodules showforcedupdates unpacklimit writecommitgraph", "fetch.*": "*", "filter.*": "required",
		"format": "attach cc coverfromdescription coverletter encodeemailheaders filenamemaxlength forceinbodyfrom from headers notes numbered pretty" +
			" signoff signature subjectprefix suffix thread to useautobase",
		"gpg": "format mintrustlevel", "help": "autocorrect format",
		"http": "lowspeedlimit lowspeedtime maxrequests minsessions noepsv postbuffer version useragent", "init": "defaultbranch defaultobjectformat",
		"interactive": "singlekey", "lfs": "fetchexclude fetchinclude",
		"merge": "autostash branchdesc conflictstyle defaulttoupstream directoryrenames ff log renamelimit renames renormalize stat suppressdest" +
			" verbosity verifysignatures", "merge.*": "name recursive",
		"mergetool": "hideresolved keepbackup keeptemporaries prompt writetotemp", "mergetool.*": "hideresolved trustexitcode hasoutput useautomerge layout",
		"difftool.*": "trustexitcode", "protocol": "version", "pull": "ff rebase",
		"receive": "*", "receive.*": "*", "remote.*": "fetch mirror partialclonefilter prune prunetags push skipdefaultupdate skipfetchall tagopt",
		"submodule": "active fetchjobs recurse propagatebranches alternateerrorstrategy alternatelocation", "submodule.*": "active branch fetchrecursesubmodules ignore",
		"tar": "umask", "uploadpack": "allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant allowtipsha1inwant hiderefs keepalive",
		"guitool.*": "argprompt confirm needsfile noconsole norescan prompt revprompt revunmerged title",
	},
}

// gitKeyKindOf returns the kind of a key such as "core.pager" or "branch.main.merge".
func gitKeyKindOf(key string) gitKeyKind {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return gitKeyUnseen
	}
	section, name := strings.ToLower(key[:first]), strings.ToLower(key[last+1:])
	if first < last {
		section += ".*"
	}
	for _, kind := range []gitKeyKind{gitKeyCommand, gitKeyAlias, gitKeyAddress, gitKeyHarmless} {
		if names := gitKeys[kind][section]; names == "*" || has(names, name) {
			return kind
		}
	}
	return gitKeyUnseen
}

// isHarmlessGitValue reports whether a value of a key of some kind surely makes git run
// nothing more.
func isHarmlessGitValue(key string, kind gitKeyKind, value string) bool {
	switch kind {
	case gitKeyHarmless:
		return true
	case gitKeyUnseen:
		return value == "/dev/null" // git accepts it for a file or directory only, and there is nothing in it
	case gitKeyCommand:
		_, name, _ := cutLast(strings.ToLower(key), ".")
		if name == "update" {
			return has("checkout rebase merge none", value)
		}
		if name == "helper" && has("cache store osxkeychain manager manager-core libsecret wincred", value) {
			return true
		}
		return value == "" || has("true false yes no on off 0 1 : cat less", value)
	}
	return value == ""
}

// gitRiskyDiffFlags are risky for all subcommands that make a diff, or might.
const gitRiskyDiffFlags = "--output> --ext-diff --textconv -O"

// The marks of risky flags, by the kind of their values.
const (
	gitRunsValue  = "!" // a command that git runs
	gitSetsValue  = "=" // a setting such as "core.pager=x"
	gitWritesFile = ">" // a file or directory that git writes
	gitUnseenFile = "@" // a directory or a tool that names programs which git runs
)

// gitRiskyWords are, by subcommand, the flags that write to a given file, run a program,
// or read a file for the order of their output. A rule with a wildcard covers none of
// them. Source: git(1) and the page of each, git 2.39.
var gitRiskyWords = map[string]string{
	"annotate": gitRiskyDiffFlags, "blame": gitRiskyDiffFlags, "cat-file": "--textconv --filters", "diff": gitRiskyDiffFlags, "diff-files": gitRiskyDiffFlags,
	"diff-index": gitRiskyDiffFlags, "diff-tree": gitRiskyDiffFlags, "log": gitRiskyDiffFlags, "range-diff": gitRiskyDiffFlags, "reflog": gitRiskyDiffFlags, "reflog exists": gitRiskyDiffFlags, "reflog list": gitRiskyDiffFlags, "reflog show": gitRiskyDiffFlags,
	"rev-list": gitRiskyDiffFlags, "shortlog": gitRiskyDiffFlags, "show": gitRiskyDiffFlags, "stash list": gitRiskyDiffFlags, "stash show": gitRiskyDiffFlags, "whatchanged": gitRiskyDiffFlags,
	"grep":             "--open-files-in-pager! --textconv --ext-grep -O!",
	"apply":            "--unsafe-paths",
	"archive":          "--output> --exec! -o>",
	"bugreport":        "--output-directory> -o>",
	"checkout-index":   "--prefix>",
	"clone":            "--upload-pack! --config= --template@ -u! -c= --separate-git-dir> --bundle-uri",
	"credential-store": "--file>",
	"daemon":           "--access-hook! --pid-file>",
	"diagnose":         "--output-directory> -o>",
	"difftool":         gitRiskyDiffFlags + " --extcmd! -x! --tool@ -t@",
	"fast-export":      "--export-marks>",
	"fast-import":      "--export-marks> --export-pack-edges> --allow-unsafe-features",
	"fetch":            "--upload-pack!",
	"fetch-pack":       "--upload-pack! --exec!",
	"filter-branch": "--setup! --env-filter! --tree-filter! --index-filter! --parent-filter! --msg-filter! --commit-filter!" +
		" --tag-name-filter! -d>",
	"for-each-repo": "--config",
	"format-patch":  gitRiskyDiffFlags + " --output-directory> -o>",
	"index-pack":    "-o>",
	"init":          "--template@ --separate-git-dir>",
	"init-db":       "--template@ --separate-git-dir>",
	"instaweb":      "--browser! --httpd! --module-path@ -b! -d! -m@",
	"ls-remote":     "--upload-pack! --exec!",
	"mergetool":     "--tool@ -t@",
	"mailsplit":     "-o>",
	"pull":          "--upload-pack!",
	"push":          "--receive-pack! --exec!",
	"read-tree":     "--index-output>",
	"rebase":        "--exec! -x!",
	"send-email":    "--cc-cmd! --to-cmd! --header-cmd! --sendmail-cmd! --smtp-server!",
	"send-pack":     "--receive-pack! --exec!",
	"web--browse":   "-b! --browser! -c@ --config@ -t@ --tool@",
}

// addGitRisks adds the files and programs that risky words of a subcommand make it
// write or run. No wildcard covers them, nor a word that may be such a flag.
func (e *effect) addGitRisks(name string, args []arg, form gitForm, dir string) {
	risks := gitRiskyWords[name]
	if risks == "" {
		return
	}
	flags := strings.Contains(risks, "-") // until "--", words may be flags
	for i, a := range args {
		switch {
		case a.is("--") && form.pathsAfterDashes && (i == 0 || !form.takesNextWord(args[i-1])):
			flags = false
		case a.mayBeFlag():
			e.noWildcards = e.noWildcards || flags && !form.belongsToFlag(args, i)
		case a.isLiteral():
			e.addGitRisk(risks, args[i:], form, dir)
		}
	}
}

// addGitRisk adds the effect of the first of some arguments if it is a risky word.
func (e *effect) addGitRisk(risks string, args []arg, form gitForm, dir string) {
	flag, value, attached := form.riskyWord(risks, args[0].value)
	if flag == "" {
		return
	}
	e.noWildcards = true
	mark := flag[len(flag)-1:]
	a := args[0].withValue(value)
	switch {
	case attached || mark == gitRunsValue && strings.HasPrefix(flag, "-O"): // -O has no value but an attached one
	case len(args) > 1:
		a = args[1]
	default:
		return
	}
	switch mark {
	case gitWritesFile:
		e.addWrite(gitInDir(a, dir))
	case gitRunsValue:
		e.addGitCommand(a)
	case gitSetsValue:
		if a.isLiteral() {
			e.addGitSetting(gitSettingOf(a))
		} else {
			e.refuseUnseen("a setting of git is computed")
		}
	case gitUnseenFile:
		if !a.is("") {
			e.refuseUnseen("git runs what " + a.source + " names")
		}
	}
}

// addGitCommand adds a command that an argument of git holds.
func (e *effect) addGitCommand(a arg) {
	if !a.isLiteral() {
		e.refuseUnseen("the command that git runs is computed")
		return
	}
	e.addScript(a.value)
}

// riskyWord returns the word in risks that text is, with its mark, and the value attached
// to it. Git accepts abbreviations.
func (f gitForm) riskyWord(risks, text string) (flag, value string, attached bool) {
	if strings.HasPrefix(text, "--") {
		name, value, attached := strings.Cut(text, "=")
		if _, harmless := gitFlagKind(f.flags, name); harmless || name == "--" {
			return "", "", false
		}
		for known := range strings.FieldsSeq(risks) {
			if strings.HasPrefix(known, name) {
				return known, value, attached
			}
		}
		return "", "", false
	}
	for i := 1; i < len(text) && text[0] == '-'; i++ {
		name := "-" + text[i:i+1]
		if mark, ok := markOf(risks, name, "!=>@?"); ok {
			return name + mark, text[i+1:], i+1 < len(text)
		}
		if takes, _ := gitFlagKind(f.flags, name); takes != gitNoValue {
			break // the rest of the bundle is its value
		}
	}
	return "", "", false
}

// takesNextWord reports whether git may read the word after a flag as the flag's value.
func (f gitForm) takesNextWord(a arg) bool {
	if !a.isLiteral() || !strings.HasPrefix(a.value, "-") {
		return !a.isLiteral()
	}
	name, _, attached := strings.Cut(a.value, "=")
	if strings.HasPrefix(a.value, "--") {
		takes, ok := gitFlagKind(f.flags, name)
		return !attached && (!ok || takes != gitNoValue && takes != gitOptionalValue)
	}
	for i := 1; i < len(a.value); i++ {
		takes, ok := gitFlagKind(f.flags, "-"+a.value[i:i+1])
		if digit := a.value[i] >= '0' && a.value[i] <= '9'; !ok && !digit {
			return true
		}
		if takes != gitNoValue {
			return takes != gitOptionalValue && i+1 == len(a.value)
		}
	}
	return false
}

// belongsToFlag reports whether an unknown word surely belongs to a listed flag: as its
// attached value, or as the next word if the flag takes any.
func (f gitForm) belongsToFlag(args []arg, i int) bool {
	a := args[i]
	if a.anyNumber {
		return false
	}
	text := strings.TrimPrefix(a.source, `"`)
	if a.known {
		text = a.value
	}
	if name, _, attached := strings.Cut(text, "="); attached && strings.HasPrefix(name, "--") {
		takes, _ := gitFlagKind(f.flags, name)
		return takes != gitNoValue
	}
	if i == 0 || a.glob || !args[i-1].isLiteral() || i > 1 && f.takesNextWord(args[i-2]) {
		return false
	}
	takes, _ := gitFlagKind(f.flags, args[i-1].value)
	return takes == gitAnyValue
}

// addGitStarted adds the commands in the operands of a subcommand of git, and in the
// addresses of repositories. Source: the page of each, git 2.39.
func (e *effect) addGitStarted(name string, args []arg, dir string) {
	name, sub, _ := strings.Cut(name, " ")
	if sub != "" {
		args = append([]arg{literalArg(sub)}, args...)
	}
	for _, a := range args {
		if strings.Contains(a.value, "::") {
			_, value, attached := strings.Cut(a.value, "=")
			if attached && strings.HasPrefix(a.value, "-") {
				a = a.withValue(value)
			}
			e.addGitAddress(a)
		}
	}
	switch name {
	case "config":
		e.addGitConfig(args, dir)
	case "bisect":
		e.addGitRun(gitWordsAfter(args, "run"))
	case "submodule", "submodule--helper":
		run := gitWordsAfter(args, "foreach")
		e.addGitRun(run)
		if len(run) == 1 {
			e.addGitCommand(run[0])
		}
	case "for-each-repo":
		operands := gitWordsAfter(args, "")
		if len(operands) > 0 {
			e.addGitRun(append([]arg{literalArg("git")}, operands...))
		}
	case "merge-index":
		e.addGitRun(gitWordsAfter(args, ""))
	case "remote-ext":
		for i, a := range args {
			if i > 0 && a.isLiteral() {
				e.addGitAddress(a.withValue("ext::" + a.value))
			}
		}
	case "am", "apply", "quiltimport", "read-tree":
		e.noWildcards = true // a patch or a commit names the files that it writes
	case "stash":
		e.noWildcards = e.noWildcards || len(args) > 0 && args[0].is("apply", "branch", "pop")
	case "checkout", "restore":
		e.noWildcards = e.noWildcards || restoresTree(name, args)
	case "hook", "maintenance", "web--browse", "instaweb", "shell", "upload-pack", "receive-pack", "upload-archive", "http-backend", "daemon", "cvsserver", "imap-send":
		e.noWildcards = true
	}
}

// addGitRun adds a command that is given as words. No rule with a wildcard covers it.
func (e *effect) addGitRun(words []arg) {
	if len(words) > 0 {
		e.noWildcards = true
		e.runs = append(e.runs, words)
	}
}

// gitWordsAfter returns the words after a subcommand of the second level and its flags.
// Without one, it returns those that follow the flags.
func gitWordsAfter(args []arg, sub string) []arg {
	found := sub == ""
	for i, a := range args {
		switch {
		case found && (!a.isLiteral() || !strings.HasPrefix(a.value, "-")):
			return args[i:]
		case !found && a.is(sub):
			found = true
		}
	}
	return nil
}

// restoresTree reports whether git checkout or restore takes whole directories from a
// commit, or the files that a pattern matches.
func restoresTree(name string, args []arg) bool {
	named, fromCommit := gitOperands(args, gitValuedFlags[name]), false
	if name == "restore" {
		for _, a := range args {
			flag, _, _ := strings.Cut(a.value, "=")
			fromCommit = fromCommit || strings.HasPrefix(a.value, "-s") || longGitFlag("--source", flag) == "--source"
		}
	} else {
		before := named
		named = gitCheckedOut(args)
		fromCommit = len(before) > len(named)
	}
	for _, a := range named {
		if value := pathspecPath(a.value); fromCommit && (!a.isLiteral() || value != a.value || path.Clean(value) == "." || strings.ContainsAny(value, "*?[")) {
			return true
		}
	}
	return false
}
