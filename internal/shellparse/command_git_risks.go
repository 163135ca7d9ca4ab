package shellparse

import "strings"

// gitRiskyDiffFlags are risky for all subcommands that make a diff, or might.
const gitRiskyDiffFlags = "--output> --ext-diff --textconv -O"

// The marks of risky flags, by what their values are.
const (
	gitRunsValue  = "!" // a command that git runs
	gitSetsValue  = "=" // a setting such as "core.pager=x"
	gitWritesFile = ">" // a file or directory that git writes
	gitUnseenFile = "@" // a directory from which git takes what it runs
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
