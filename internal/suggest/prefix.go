package suggest

import (
	"regexp"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A prefix is a command that no argument turns into a harmful one.
type prefix struct {
	words      string // program and subcommand, exactly as in the text
	reason     string // why no argument runs a program, writes elsewhere or deletes; empty if a WildcardSpec sees to that
	withScript bool   // the next word, the name of a script, is part of the prefix
}

// prefixes are few on purpose. Each saves a person a rule for a command that runs with
// other arguments every time, and every flag of it was examined. A program may read its
// configuration and run programs that this names; that does not depend on arguments,
// since the command itself does so.
//
// Of git 2.39 and Terraform 1.11, no flag of the commands listed here does harm. The
// others have a [shelltable.WildcardSpec]: some arguments make them run another
// program (go test -exec, npm run x --script-shell), but then the command has
// NoWildcards set and no prefix covers it. [pattern.Broad] reports most of them as able
// to run anything. It goes by the name of the program, for a mode that trusts no prefix
// of such programs, and knows no WildcardSpec.
//
// git commit is left out: people want to be asked about a commit unless they wrote a
// rule themselves. The following are left out because some argument does harm:
//   - git: push and branch (delete), fetch, clone, pull and ls-remote (--upload-pack),
//     switch, checkout, restore and reset (discard changes), merge, cherry-pick and
//     revert (--strategy runs a program), rebase (--exec), stash pop and apply (write
//     the files of any commit), diff, log and show (--output), tag (-d), config, mv,
//     rm, apply, init (--template).
//   - make, mvn, gradle and their like: other targets. "make test *" covers "make test
//     deploy", and "make test" is as good a rule for the line the person saw.
//   - programs that install: pip, npm install, go get, cargo install, npx.
//   - helm: --kubeconfig may name a program. docker: run and exec; its reading commands
//     need no rule.
//   - terraform plan: -out; fmt: writes any file. show: may ask a host that a file
//     names.
//   - tsc but with --noEmit first, eslint, prettier, ruff, black, mypy: their
//     configuration files, or where they write.
var prefixes = append([]prefix{
	{words: "git add", reason: "writes the index; -e and -p use the editor and filter of the configuration; a path outside the repository is refused"},
	{words: "git stash push", reason: "puts changes away where they can be had again; takes pathspecs, a message and what to keep, nothing else"},
	{words: "terraform validate", reason: "reads the working directory; takes -json, -no-color, -no-tests, -test-directory; -chdir is refused behind it"},
	{words: "terraform output", reason: "reads the state; takes -json, -raw, -no-color, -state"},
	{words: "terraform state list", reason: "reads the state; takes addresses, -id, -state"},
	{words: "terraform state show", reason: "reads the state; takes an address, -state"},
}, specPrefixes()...)

// specPrefixes returns the prefixes whose WildcardSpec has a Proposal.
func specPrefixes() (list []prefix) {
	for program, specs := range shelltable.WildcardSpecs {
		for _, s := range specs {
			words := strings.TrimSpace(program + " " + s.Words)
			if s.Proposal != shelltable.NoProposal {
				list = append(list, prefix{words: words, withScript: s.Proposal == shelltable.ProposeScript})
			}
			for _, launcher := range s.Behind {
				list = append(list, prefix{words: launcher + " " + words, withScript: s.Proposal == shelltable.ProposeScript})
			}
		}
	}
	return list
}

// scriptName matches the script names that a rule may contain.
var scriptName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// prefixOf returns the specifier for any arguments of the program and subcommand of
// text, or an empty string. Quoted words, expansions, a program given by its path and a
// subcommand after options match no prefix.
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
