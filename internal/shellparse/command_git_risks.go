package shellparse

import "strings"

// gitDiffRisks are the flags of all subcommands that make a diff, or could.
const gitDiffRisks = "--output --ext-diff --textconv -O"

// gitRisks are the flags of subcommands, and under them the subcommands, that write
// where they say or run a program, with those that read a file to tell the order.
// A rule with a wildcard covers none of them. Source: git(1) and the page of each.
var gitRisks = map[string]string{
	"annotate": gitDiffRisks, "blame": gitDiffRisks, "cat-file": "--textconv --filters", "diff": gitDiffRisks, "diff-files": gitDiffRisks,
	"diff-index": gitDiffRisks, "diff-tree": gitDiffRisks, "log": gitDiffRisks, "range-diff": gitDiffRisks, "reflog": gitDiffRisks, "reflog exists": gitDiffRisks, "reflog list": gitDiffRisks, "reflog show": gitDiffRisks,
	"rev-list": gitDiffRisks, "shortlog": gitDiffRisks, "show": gitDiffRisks, "stash list": gitDiffRisks, "stash show": gitDiffRisks, "whatchanged": gitDiffRisks,
	"grep":         "--open-files-in-pager --textconv --ext-grep -O",
	"archive":      "--output --exec -o",
	"bisect":       "run",
	"clone":        "--upload-pack --config --template -u -c",
	"difftool":     gitDiffRisks + " --extcmd -x",
	"fetch":        "--upload-pack",
	"fetch-pack":   "--upload-pack --exec",
	"format-patch": gitDiffRisks + " --output-directory -o",
	"init":         "--template",
	"ls-remote":    "--upload-pack --exec",
	"pull":         "--upload-pack",
	"push":         "--receive-pack --exec",
	"rebase":       "--exec -x",
	"send-pack":    "--receive-pack --exec",
	"submodule":    "foreach",
}

// gitRisk adds what flags of a subcommand make it write or run. No wildcard is to
// cover that, nor a word that may turn out to be such a flag.
func (u *use) gitRisk(name string, args []arg, form gitForm, dir string) {
	risks := gitRisks[name]
	if risks == "" {
		return
	}
	flags := strings.Contains(risks, "-") // those before a "--"
	for i, a := range args {
		switch {
		case a.is("--") && form.paths && (i == 0 || !form.takesNext(args[i-1])):
			flags = false
		case a.mayBeFlag():
			u.exact = u.exact || flags && !form.settles(args, i)
		case a.exact():
			u.gitDoes(risks, args[i:], form, dir)
		}
	}
}

// gitDoes adds what the first of some arguments makes git write or run.
func (u *use) gitDoes(risks string, args []arg, form gitForm, dir string) {
	flag, value, glued := form.risk(risks, args[0].value)
	if flag == "" {
		return
	}
	u.exact = true
	if flag != "--output" && flag != "--output-directory" && flag != "-o" {
		return
	}
	a := args[0]
	a.value = value
	if !glued && len(args) > 1 {
		a = args[1]
	}
	u.write(gitPlace(a, dir))
}

// risk finds the word of a list that an argument is, with the value that is glued
// to it. Git takes abbreviations.
func (f gitForm) risk(risks, text string) (flag, value string, glued bool) {
	if !strings.HasPrefix(text, "-") {
		if has(risks, text) {
			return text, "", false
		}
		return "", "", false
	}
	if strings.HasPrefix(text, "--") {
		name, value, glued := strings.Cut(text, "=")
		if _, harmless := gitFlag(f.flags, name); harmless || name == "--" {
			return "", "", false
		}
		for known := range strings.FieldsSeq(risks) {
			if strings.HasPrefix(known, name) {
				return known, value, glued
			}
		}
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		if has(risks, name) {
			return name, text[i+1:], i+1 < len(text)
		}
		if takes, _ := gitFlag(f.flags, name); takes != gitNoValue {
			break // the rest is its value
		}
	}
	return "", "", false
}

// takesNext reports whether git may take the word behind a flag for its value.
func (f gitForm) takesNext(a arg) bool {
	if !a.exact() || !strings.HasPrefix(a.value, "-") {
		return !a.exact()
	}
	name, _, glued := strings.Cut(a.value, "=")
	if strings.HasPrefix(a.value, "--") {
		takes, ok := gitFlag(f.flags, name)
		return !glued && (!ok || takes != gitNoValue && takes != gitMaybe)
	}
	for i := 1; i < len(a.value); i++ {
		takes, ok := gitFlag(f.flags, "-"+a.value[i:i+1])
		if digit := a.value[i] >= '0' && a.value[i] <= '9'; !ok && !digit {
			return true
		}
		if takes != gitNoValue {
			return takes != gitMaybe && i+1 == len(a.value)
		}
	}
	return false
}

// settles reports whether a word that is not known belongs to a flag that is: as
// the value glued to it, or as the next word, whatever that looks like.
func (f gitForm) settles(args []arg, i int) bool {
	a := args[i]
	if a.many {
		return false
	}
	text := strings.TrimPrefix(a.source, `"`)
	if a.known {
		text = a.value
	}
	if name, _, glued := strings.Cut(text, "="); glued && strings.HasPrefix(name, "--") {
		takes, _ := gitFlag(f.flags, name)
		return takes != gitNoValue
	}
	if i == 0 || a.glob || !args[i-1].exact() || i > 1 && f.takesNext(args[i-2]) {
		return false
	}
	takes, _ := gitFlag(f.flags, args[i-1].value)
	return takes == gitAnyValue
}
