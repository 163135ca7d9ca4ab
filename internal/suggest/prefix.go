package suggest

import "strings"

// A prefix is a command of which no argument makes another one.
type prefix struct {
	words string // a program and its sub-command, as they must stand in the text
	why   string // no argument runs a program, writes elsewhere or deletes
}

// prefixes are few on purpose. What stands here is worth a rule to a person, who
// runs it with other arguments every time, and every flag of it was looked at:
// those of git 2.39 and Terraform 1.11. That a program reads its configuration,
// and runs what that names, is no matter of arguments: the command itself does so.
//
// Left out for what an argument can do:
//   - git: push and branch (delete), fetch, clone, pull and ls-remote
//     (--upload-pack), switch, checkout, restore and reset (discard changes), merge,
//     cherry-pick and revert (--strategy runs a program), rebase (--exec), stash pop
//     and apply (write the files of any commit), diff, log and show (--output), tag
//     (-d), config, mv, rm, apply, init (--template).
//   - npm run and npm test: --script-shell runs a program, --prefix goes to
//     another package; what follows "--" goes to a script nobody here knows. The
//     last holds for pnpm, yarn and bun as well.
//   - make: SHELL=, --eval, -f. cargo: --config. go: -toolexec, -vettool, -exec,
//     -o. pip: --python.
//   - kubectl and helm: --kubeconfig may name a program. docker: run and exec, and
//     what reads needs no rule.
//   - gh: -R takes any host, to which it sends, or a browser with --web.
//   - terraform plan: -out; fmt: writes any file. show: may ask a host that a file
//     names.
//   - pytest: -p, -c, --basetemp. tsc, eslint, prettier, jest, ruff, black, mypy:
//     files that configure them, or where they write.
//
// Programs of which [pattern.Broad] says that they run anything could not stand
// here at all.
var prefixes = []prefix{
	{"git add", "writes the index; -e and -p use the editor and filter of the configuration; a path outside the repository is refused"},
	{"git commit", "adds a commit, which the reflog keeps when it is amended; -e, -S and --trailer use the programs of the configuration; -F and -t only read"},
	{"git stash push", "puts changes away where they can be had again; takes pathspecs, a message and what to keep, nothing else"},
	{"terraform validate", "reads the working directory; takes -json, -no-color, -no-tests, -test-directory; -chdir is refused behind it"},
	{"terraform output", "reads the state; takes -json, -raw, -no-color, -state"},
	{"terraform state list", "reads the state; takes addresses, -id, -state"},
	{"terraform state show", "reads the state; takes an address, -state"},
}

// prefixOf returns the specifier for the program and sub-command of text and any
// arguments, or nothing. Words that are quoted or replaced are not in the table,
// nor is a program given by its path or a sub-command behind options.
func prefixOf(text string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(text, p.words); ok && (rest == "" || rest[0] == ' ') {
			return p.words + " *"
		}
	}
	return ""
}
