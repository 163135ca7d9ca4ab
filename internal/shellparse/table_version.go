package shellparse

import "strings"

// versions are the commands of which little more is known than that they tell
// their version. cargo, rustc and others that pick a toolchain by a file of the
// project are left out: that file may name any program.
var versions = map[string]entry{
	"bash":    {source: "GNU bash 5.2 manual", all: only("--version")},
	"bun":     {source: "bun 1.2 manual", all: only("--version", "-v")},
	"clang":   {source: "clang 18 manual", all: only("--version")},
	"cmake":   {source: "cmake 3.30 manual", all: only("--version")},
	"deno":    {source: "deno 2 manual", all: only("--version", "-V")},
	"g++":     {source: "GCC 14 manual", all: only("--version")},
	"gcc":     {source: "GCC 14 manual", all: only("--version")},
	"java":    {source: "java(1) of JDK 21", all: only("-version", "--version")},
	"javac":   {source: "javac(1) of JDK 21", all: only("-version", "--version")},
	"make":    {source: "GNU make 4.4 manual", all: only("--version", "-v")},
	"node":    {source: "node 22 manual", all: only("--version", "-v")},
	"npm":     {source: "npm 10 manual", all: only("--version", "-v")},
	"npx":     {source: "npm 10 manual", all: only("--version", "-v")},
	"perl":    {source: "perlrun 5.38", all: only("--version", "-v")},
	"php":     {source: "php 8.3 manual", all: only("--version", "-v")},
	"pip":     {source: "pip 24 manual", all: only("--version", "-V")},
	"pip3":    {source: "pip 24 manual", all: only("--version", "-V")},
	"python":  {source: "Python 3.13 manual", all: only("--version", "-V", "-VV")},
	"python3": {source: "Python 3.13 manual", all: only("--version", "-V", "-VV")},
	"ruby":    {source: "ruby 3.3 manual", all: only("--version", "-v")},
	"tsc":     {source: "TypeScript 5 manual", all: only("--version", "-v")},
	"go":      {source: "Go 1.26, Go Toolchains", all: goUse},
	"gofmt": {
		// -w writes; -d ran diff in some versions.
		source: "Go 1.26, cmd/gofmt", operands: trees, acts: true, flags: "-l -e -s",
	},
}

// only is the use of a command that is known if one of some words is its only
// argument.
func only(words ...string) func(args []arg) use {
	why := "only " + strings.Join(words, " and ") + " are known not to act"
	return func(args []arg) use {
		if len(args) == 1 && args[0].is(words...) {
			return use{}
		}
		return unknown(why)
	}
}

// goUse is go, of which no command only reads: even go version may download the
// toolchain that go.mod names, and run it.
func goUse([]arg) use {
	return unknown("go may download a toolchain, run a compiler and what a module names")
}
