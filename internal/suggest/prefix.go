package suggest

import (
	"regexp"
	"strings"
)

// A prefix is a command of which no argument makes another one.
type prefix struct {
	words      string // a program and its sub-command, as they must stand in the text
	reason     string // no argument that it covers runs a program, writes elsewhere or deletes
	withScript bool   // the next word belongs to it: the name of a script
}

// prefixes are few on purpose. What stands here is worth a rule to a person, who
// runs it with other arguments every time, and every flag of it was looked at. That
// a program reads its configuration, and runs what that names, is no matter of
// arguments: the command itself does so.
//
// Of git 2.39 and Terraform 1.11 no flag of what stands here does harm. The others
// are the routines of shellparse: what stands behind them may well make them run
// another program (go test -exec, npm run x --script-shell), and then the command
// is Exact, so that no prefix covers it. [pattern.Broad] says of most of them that
// they run anything. It goes by the name of the program, for a mode that trusts no
// prefix of those, and knows nothing of routines.
//
// Left out is git commit: a commit with any message is what somebody wants to be
// asked about who has not said otherwise himself. Left out for what an argument can
// do:
//   - git: push and branch (delete), fetch, clone, pull and ls-remote
//     (--upload-pack), switch, checkout, restore and reset (discard changes), merge,
//     cherry-pick and revert (--strategy runs a program), rebase (--exec), stash pop
//     and apply (write the files of any commit), diff, log and show (--output), tag
//     (-d), config, mv, rm, apply, init (--template).
//   - make: other targets. "make test *" covers "make test deploy", and "make test"
//     is as good a rule for what a person saw.
//   - what installs: pip, npm install, go get, cargo install, npx.
//   - helm: --kubeconfig may name a program. docker: run and exec, and what reads
//     needs no rule.
//   - terraform plan: -out; fmt: writes any file. show: may ask a host that a file
//     names.
//   - tsc, eslint, prettier, jest, ruff, black, mypy: files that configure them, or
//     where they write.
var prefixes = []prefix{
	{words: "git add", reason: "writes the index; -e and -p use the editor and filter of the configuration; a path outside the repository is refused"},
	{words: "git stash push", reason: "puts changes away where they can be had again; takes pathspecs, a message and what to keep, nothing else"},
	{words: "go build", reason: buildTool},
	{words: "go test", reason: buildTool},
	{words: "go vet", reason: buildTool},
	{words: "cargo build", reason: buildTool},
	{words: "cargo check", reason: buildTool},
	{words: "cargo test", reason: buildTool},
	{words: "cargo clippy", reason: buildTool},
	{words: "npm run", withScript: true, reason: script},
	{words: "npm test", reason: script},
	{words: "pnpm run", withScript: true, reason: script},
	{words: "pnpm test", reason: script},
	{words: "yarn run", withScript: true, reason: script},
	{words: "yarn test", reason: script},
	{words: "bun run", withScript: true, reason: script},
	{words: "pytest", reason: buildTool},
	{words: "kubectl get", reason: viewer + "; nor are secrets"},
	{words: "kubectl describe", reason: viewer + "; nor are secrets"},
	{words: "kubectl logs", reason: viewer},
	{words: "gh pr view", reason: viewer},
	{words: "gh pr list", reason: viewer},
	{words: "gh issue view", reason: viewer},
	{words: "gh issue list", reason: viewer},
	{words: "gh run view", reason: viewer},
	{words: "gh run list", reason: viewer},
	{words: "terraform validate", reason: "reads the working directory; takes -json, -no-color, -no-tests, -test-directory; -chdir is refused behind it"},
	{words: "terraform output", reason: "reads the state; takes -json, -raw, -no-color, -state"},
	{words: "terraform state list", reason: "reads the state; takes addresses, -id, -state"},
	{words: "terraform state show", reason: "reads the state; takes an address, -state"},
}

// Why the routines of shellparse are here.
const (
	buildTool = "runs the code of the project; flags for other programs, settings and places are not covered"
	script    = "runs a script of the project by its name; flags of the package manager and paths elsewhere are not covered"
	viewer    = "shows what a server has; flags for another server, account or setting are not covered"
)

// scriptName is what a script may be called for a rule to hold its name.
var scriptName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// prefixOf returns the specifier for the program and sub-command of text and any
// arguments, or nothing. Words that are quoted or replaced are not in the table,
// nor is a program given by its path or a sub-command behind options.
func prefixOf(text string) string {
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(text, p.words)
		switch {
		case !ok || rest != "" && rest[0] != ' ':
			continue
		case !p.withScript:
			return p.words + " *"
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " ")
		if scriptName.MatchString(name) {
			return p.words + " " + name + " *"
		}
	}
	return ""
}
