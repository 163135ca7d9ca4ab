package shellparse

import (
	"slices"
	"strings"
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
// of each subcommand; the tables are in command_git_flags.go.
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
