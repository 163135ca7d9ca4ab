package shellparse

import (
	"slices"
	"strings"
)

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
	"kubectl": {source: "kubectl 1.32 manual", custom: kubectlEffect},
	"openssl": {source: "openssl(1) of OpenSSL 3", custom: opensslEffect},
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

// goEffect returns the effect of go. The tool runs lines that only read with
// GOTOOLCHAIN=local: otherwise even go version may download and run the toolchain that go.mod
// names. It also keeps go doc from downloading modules.
func goEffect(args []arg) effect {
	unknown := unknownEffect("go may download modules, run a compiler and what a module names")
	if len(args) == 0 {
		return unknown
	}
	flags := map[string]string{"version": "", "env": "-json -changed", "doc": "-all -c -cmd -short -src -u"}
	harmless, ok := flags[args[0].value]
	if !ok || !args[0].known || args[0].value == "version" && len(args) > 1 {
		return unknown
	}
	var e effect
	for _, a := range args[1:] {
		switch {
		case !a.isLiteral(), strings.HasPrefix(a.value, "-") && !has(harmless, a.value), !strings.HasPrefix(a.value, "-") && mayLeaveProject(a.value), strings.Contains(a.value, "@"):
			return unknown
		case strings.HasPrefix(a.value, "."):
			e.addRead(a)
		}
	}
	return e
}

// kubectlEffect returns the effect of kubectl, which does most things on a server.
func kubectlEffect(args []arg) effect {
	words := joinValues(args)
	if len(args) == 2 && args[0].isLiteral() && args[1].isLiteral() && slices.Contains([]string{"config current-context", "config get-contexts", "config get-clusters", "config get-users", "version --client"}, words) {
		return effect{}
	}
	return unknownEffect("kubectl talks to a server")
}

// opensslEffect returns the effect of openssl.
func opensslEffect(args []arg) effect {
	if len(args) == 0 || !args[0].is("version") || slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() }) {
		return unknownEffect("only openssl version is known not to act")
	}
	return effect{}
}
