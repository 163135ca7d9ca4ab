package shellparse

import (
	"regexp"
	"slices"
	"strings"
)

// exceedsProgram reports whether the arguments of a program that people allow for looking
// make it run something, load code or write a file, in a way that no table of options can
// tell. name is as programName returns it.
func exceedsProgram(name string, args []arg) bool {
	switch strings.TrimRight(name, ".0123456789") {
	case "awk", "gawk", "mawk", "nawk":
		return awkMayAct(args)
	case "sed", "gsed":
		return sedLoadsScript(args)
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "node", "nodejs", "ruby", "php", "perl":
		return checkMayRun(name, args)
	case "sqlite":
		return slices.ContainsFunc(args, sqliteActs)
	case "python":
		return moduleWrites(args)
	case "cargo":
		return len(args) > 0 && args[0].is("fmt") && slices.ContainsFunc(args, func(a arg) bool {
			return strings.HasPrefix(a.value, "--config") || strings.HasPrefix(a.value, "--emit")
		})
	case "psql", "mysql", "mariadb":
		return slices.ContainsFunc(args, func(a arg) bool { return clientActs.MatchString(a.value) })
	case "curl":
		return curlFormatActs(args)
	case "vim", "vi", "view", "ex", "nvim", "rvim", "rview", "gvim", "vimdiff", "less", "more", "most":
		return slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "+") && !pagerStart.MatchString(a.value) })
	}
	compiler := compilers[strings.TrimRight(name, "-.0123456789")]
	if compiler && slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "@") }) {
		return true
	}
	return (compiler || isUnlisted(name)) && writesHidden(args)
}

// compilers write the file behind -o, and take options from the one behind an @.
var compilers = wordSet("as c++ cc clang clang++ cpp csc g++ gcc gfortran javac kotlinc ld rustc tsc")

// pagerStart matches operands with which a pager or an editor only goes to a line.
var pagerStart = regexp.MustCompile(`^\+([0-9]+g?|[FGg])?$`)

// sqliteShows are the commands of sqlite3 that only show something or change how it is
// shown.
var sqliteShows = wordSet(".bail .changes .columns .databases .dbinfo .dump .echo .eqp .exit .explain .fullschema .header .headers .help .indexes .indices .limit .lint .mode .nullvalue" +
	" .print .progress .quit .schema .separator .sha3sum .show .stats .tables .timeout .timer .version .width")

// sqliteFiles matches a text with a function or statement that names another file.
var sqliteFiles = regexp.MustCompile(`(?i)load_extension|writefile|readfile|edit\s*\(|attach\s|vacuum\s+into`)

// sqliteActs reports whether a text may make sqlite3 do more than read and change its
// database.
func sqliteActs(a arg) bool {
	for line := range strings.Lines(a.value) {
		if words := strings.Fields(line); len(words) > 0 && len(words[0]) > 1 && words[0][0] == '.' && words[0][1] != '/' && words[0][1] != '.' && !sqliteShows[words[0]] {
			return true
		}
	}
	return sqliteFiles.MatchString(a.value)
}

// clientActs matches a text in which a client of a database runs a command or names a
// file.
var clientActs = regexp.MustCompile("(?i)\\\\!|\\\\[ogwi]|\\\\copy|\\\\ex|\\bsystem\\s|\\bsource\\s|\\btee\\s|\\bpager\\s|\\bprogram\\b|\\boutfile\\b|\\bdumpfile\\b|`")

// awkFlags are flags of awks that neither load code nor write a file.
const awkFlags = "-F= -v= -P -k -n -b -c -S -r -s -t -M -N -O -V -h --posix --csv --characters-as-bytes --traditional --sandbox --re-interval" +
	" --no-optimize --bignum --use-lc-numeric --non-decimal-data --field-separator= --assign= --version --help"

// awkMayAct reports whether an awk may run a command, load code or write a file.
func awkMayAct(args []arg) bool {
	p := commandSpec{flags: awkFlags, flagsEndAtOperand: true, hasUnsafeFlags: true}.parseArgs(args)
	if p.reason != "" {
		return true
	}
	if len(p.operands) == 0 {
		return false
	}
	program := p.operands[0]
	if !program.isLiteral() {
		return true
	}
	rest := awkOutput.ReplaceAllStringFunc(program.value, func(output string) string {
		kind, text, _ := strings.Cut(output, `"`)
		if command := strings.Fields(strings.TrimSuffix(text, `"`)); strings.Contains(kind, "|") && !onlyPrints(command) {
			return output
		}
		return ""
	})
	return awkActs.MatchString(rest) && !awkOnlyReads(rest)
}

// awkOutput matches a file or a command that a program names by one plain string, as the
// whole of an output. The file is a target of its own.
var awkOutput = regexp.MustCompile(`(>>?|\|)\s*"[^"\\;&|<>$` + "`" + `()]*"`)

// onlyPrints reports whether the words are a command that only reads.
func onlyPrints(words []string) bool {
	if len(words) == 0 || strings.ContainsAny(strings.Join(words, " "), "'*?[{~#!\n") {
		return false
	}
	args := make([]arg, 0, len(words))
	for _, word := range words[1:] {
		args = append(args, literalArg(word))
	}
	e := effectOf(words[0], args)
	return e.class == ReadOnly && len(e.files) == 0 && !isBuiltin(words[0])
}

// awkActs matches every awk program that runs a command, loads code, reads a file by name
// or writes one, and others.
var awkActs = regexp.MustCompile(`system|getline|[|@>]`)

// awkRuns matches every awk program that runs a command, and others.
var awkRuns = regexp.MustCompile(`system|[|]`)

// sedLoadsScript reports whether sed may take its program from a file.
func sedLoadsScript(args []arg) bool {
	for _, a := range args {
		v := a.value
		switch {
		case a.is("--"):
			return false
		case !a.known || len(v) < 2 || v[0] != '-':
		case strings.HasPrefix(v, "--"):
			name, _, _ := strings.Cut(v, "=")
			if len(name) > len("--x") && strings.HasPrefix("--file", name) {
				return true
			}
		default:
			letters := strings.TrimLeft(v[1:], "nrEsuzb")
			if strings.HasPrefix(letters, "f") {
				return true
			}
		}
	}
	return false
}

// checkFlags are the flags with which an interpreter only checks a file, and those that
// may stand beside them. With any other flag it may run code. Perl is not listed: it
// always runs parts of what it checks.
var checkFlags = map[string]struct{ check, beside string }{
	"node": {"-c --check", "--no-warnings"}, "nodejs": {"-c --check", "--no-warnings"},
	"ruby": {"-c -wc -cw", "-w"},
	"php":  {"-l --syntax-check", "-n"},
}

// checkMayRun reports whether an interpreter is told to check a file and may run code
// nevertheless. A rule such as "bash -n *" was not meant for that.
func checkMayRun(name string, args []arg) bool {
	var flags []arg
	for _, a := range args {
		if a.is("--") || a.known && !strings.HasPrefix(a.value, "-") && !strings.HasPrefix(a.value, "+") {
			break
		}
		flags = append(flags, a)
	}
	if name == "perl" {
		return slices.ContainsFunc(flags, func(a arg) bool { return perlChecks.MatchString(a.value) })
	}
	spec, ok := checkFlags[name]
	if !ok {
		return slices.ContainsFunc(flags, func(a arg) bool { return shellChecks.MatchString(a.value) }) &&
			slices.ContainsFunc(flags, func(a arg) bool { return !shellStaysChecking.MatchString(a.value) })
	}
	check, beside := spec.check, spec.beside
	flags = slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.known && !strings.HasPrefix(a.value, "-") })
	isCheck := func(a arg) bool { return a.known && has(check, a.value) }
	return slices.ContainsFunc(flags, isCheck) && slices.ContainsFunc(flags, func(a arg) bool { return !isCheck(a) && (!a.known || !has(beside, a.value)) })
}

var (
	// shellChecks matches the flags of a shell that hold -n.
	shellChecks = regexp.MustCompile(`^-[A-Za-z]*n`)
	// shellStaysChecking matches the flags with which -n stays in force.
	shellStaysChecking = regexp.MustCompile(`^(-[nvxue]+|--posix|--norc|--noprofile)$`)
)

// perlChecks matches the flags of perl that hold -c.
var perlChecks = regexp.MustCompile(`^-[aglnpsStTuUvwWX]*c`)

// curlFormatActs reports whether the format of curl -w may write a file, or comes from
// one.
func curlFormatActs(args []arg) bool {
	p := commandSpec{flags: curlOptions}.parseArgs(expandLongFlags(curlOptions, args))
	for _, v := range p.flagValues("-w", "--write-out") {
		if strings.HasPrefix(v.value, "@") || strings.Contains(v.value, "%output") {
			return true
		}
	}
	return false
}

// writesHidden reports whether an option may make a program write a hidden file, or one
// that leads out of the project. Other programs trust some hidden files.
func writesHidden(args []arg) bool {
	inPlace := writesInPlace(args)
	for i, a := range args {
		named := a.namesOutput() || i > 0 && args[i-1].is("-o", "--output", "--out")
		if !inPlace && !named {
			continue
		}
		var room [2]string
		for _, name := range guessNames(a.value, room[:0]) {
			if mayLeaveProject(name) || hasHiddenName(name) {
				return true
			}
		}
	}
	return false
}

// hasHiddenName reports whether a name in a path begins with a dot.
func hasHiddenName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".." {
			return true
		}
	}
	return false
}

// moduleWrites reports whether python is to write a hidden file, or one that leads out of
// the project, by a module that people allow for looking: the second operand of
// json.tool, and what the compilers write beside their operands.
func moduleWrites(args []arg) bool {
	if len(args) < 2 || !args[0].is("-m") || !args[1].is("json.tool", "py_compile", "compileall") {
		return false
	}
	p := commandSpec{flags: "--indent= --tab --no-indent --compact --sort-keys --no-ensure-ascii --json-lines -q -f -l -x= -j= -r="}.parseArgs(args[2:])
	written := p.operands
	if args[1].value == "json.tool" {
		written = p.operands[min(1, len(p.operands)):]
	}
	return p.reason != "" || slices.ContainsFunc(written, func(a arg) bool { return !a.isLiteral() || mayLeaveProject(a.value) || hasHiddenName(a.value) })
}
