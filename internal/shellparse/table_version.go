package shellparse

import "strings"

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

// goEffect returns the effect of go. No subcommand only reads: even go version may
// download and run the toolchain that go.mod names.
func goEffect([]arg) effect {
	return unknownEffect("go may download a toolchain, run a compiler and what a module names")
}
