package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A reach tells which names the shell may put in the place of a text that is not known and
// stands without quotes: it takes each of its words for a pattern.
type reach byte

const (
	// anywhere: the text may be any pattern.
	anywhere reach = iota
	// nearby: a word of the text that is a pattern holds no slash, or begins with the path of a
	// directory that the line lists anyway. The pattern stands for names in that directory or in
	// the working directory.
	nearby
	// nowhere: the text holds no pattern.
	nowhere
)

// quotedUnknown is added to the reach of a text that is not known and stands in quotes.
const quotedUnknown = 4

// addUnknown adds a text that is not known. Its byte tells its reach.
func (m *markedWord) addUnknown(kind mark, r reach, quotes bool) {
	b := byte(r)
	if quotes {
		b += quotedUnknown
	}
	m.text, m.marks = append(m.text, b), append(m.marks, kind)
}

// reach returns the reach of a word that is not known, and whether the shell may take it
// for a pattern that stands for names anywhere.
func (m *markedWord) reach() (r reach, expands bool) {
	r = nowhere
	near, alone, special := false, true, false
	for i, kind := range m.marks {
		c := m.text[i]
		if kind != markUnknownText && kind != markUnknownWords {
			alone = alone && i > 0 && c != '/'
			special = special || strings.IndexByte(`*?[]\(`, c) >= 0
			continue
		}
		part := anywhere
		if c <= byte(nowhere)+quotedUnknown {
			part = reach(c % quotedUnknown)
		}
		r, alone = min(r, part), alone && i == 0
		if kind == markUnknownWords && (c < quotedUnknown || c > byte(nowhere)+quotedUnknown) {
			expands, near = expands || part == anywhere, near || part == nearby
		}
	}
	if !alone { // behind a directory a name stands for names in that directory
		expands = expands || near
		r = r.ofParts()
	}
	if special {
		r = anywhere
	}
	return r, expands
}

// ofParts returns the reach of a text that parts of texts make up.
func (r reach) ofParts() reach {
	if r == nearby {
		return anywhere
	}
	return r
}

// reachOfPattern returns the reach of a name that a known pattern stands for. Such a name may
// be a pattern, too, and hold blanks.
func reachOfPattern(pattern string) reach {
	dir := pattern[:strings.LastIndexByte(strings.TrimRight(pattern, "/"), '/')+1]
	if strings.ContainsAny(dir, "*?[]\\ \t\n") {
		return anywhere
	}
	return nearby
}

// holdsPattern reports whether a shell may take a text for a pattern.
func holdsPattern(text string) bool {
	if strings.ContainsAny(text, `*?[]\`) {
		return true
	}
	return strings.Contains(text, "+(") || strings.Contains(text, "@(") || strings.Contains(text, "!(")
}

// holds returns the reach of the text of an argument, if it comes to stand without quotes.
func (a arg) holds() reach {
	switch {
	case !a.known && a.expands:
		return anywhere
	case !a.known:
		return a.reach
	case a.glob:
		return reachOfPattern(a.value)
	case !holdsPattern(a.value):
		return nowhere
	case strings.Contains(a.value, "/"):
		return anywhere
	}
	return nearby
}

// reachOfAll returns the least reach of arguments.
func reachOfAll(args []arg) reach {
	r := nowhere
	for _, a := range args {
		r = min(r, a.holds())
	}
	return r
}

// expandingWord returns the first argument that the shell may replace by names anywhere, as
// it is written, or an empty string.
func expandingWord(args []arg) string {
	for _, a := range args {
		if a.expands {
			return a.source
		}
	}
	return ""
}

// markExpansion makes a command unknown that is given the names that a pattern stands for
// which is not known. If the command does more than read, that is decided already.
func (c *Command) markExpansion(word string) {
	c.worsen(Unknown, word+" without quotes may be a pattern for names anywhere")
	c.EditsOnly, c.ReadsUnseen = false, true
}

// computedVariables are variables that the shell sets to names or to texts of the line.
const computedVariables = "_ PWD OLDPWD DIRSTACK REPLY MAPFILE COPROC OPTARG BASH_REMATCH BASH_COMMAND BASH_ARGV BASH_ARGV0 BASH_SOURCE BASH_EXECUTION_STRING"

// parameterReach returns the reach of the value of a parameter.
func (w *walker) parameterReach(name string) reach {
	switch {
	case name == "@" || name == "*" || isDigits(name) && name != "0":
		if w.functionDepth > 0 || w.scriptDepth > 0 {
			return anywhere
		}
		return nowhere
	case !isName(name):
		return nowhere
	case has(computedVariables, name):
		return anywhere
	}
	v := w.variable(name)
	switch {
	case v.reach == nowhere, v.reach == nearby && w.isIn(v.dirs):
		return v.reach
	case !w.place.sets(name) && remembered(&w.unassigned, name, func(string) bool { return !mayAssign(w.src, name) }): // no line has made the value: it comes from the environment
		return nowhere
	case remembered(&w.setPlain, name, w.setsPlainTexts):
		return nowhere
	}
	return anywhere
}

// isIn reports whether the current words are expanded in the one directory that the line was
// in at another place. Names that are relative mean the same there.
func (w *walker) isIn(dirs []string) bool {
	return len(dirs) == 1 && slices.Equal(dirs, w.place.dirs)
}

// setsPlainTexts reports whether each part of the line that may set a variable sets it to a
// text that is known and no pattern.
func (w *walker) setsPlainTexts(name string) bool {
	if w.file == nil {
		return false
	}
	plain := func(word *syntax.Word) bool {
		value, ok := w.verbatim(word)
		return ok && !holdsPattern(value)
	}
	all := func(words []*syntax.Word) bool {
		return !slices.ContainsFunc(words, func(word *syntax.Word) bool { return !plain(word) })
	}
	ok, sets := true, false
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Name.Value == name && !n.Naked {
				ok, sets = ok && n.Index == nil && !n.Append && (n.Value == nil || plain(n.Value)), true
				if n.Array != nil {
					for _, e := range n.Array.Elems {
						ok = ok && e.Value != nil && plain(e.Value)
					}
				}
			}
		case *syntax.WordIter:
			if n.Name.Value == name {
				ok, sets = ok && len(n.Items) > 0 && all(n.Items), true
			}
		case *syntax.CallExpr:
			ok = ok && !w.mayRead(n, name)
		}
		return ok
	})
	return ok && sets
}

// operatorReach returns the reach of an expansion with a harmless operator.
func (w *walker) operatorReach(p *syntax.ParamExp) reach {
	if p.Length {
		return nowhere
	}
	r := w.parameterReach(p.Param.Value)
	switch p.Exp.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return r
	case syntax.RemLargePrefix:
		if p.Exp.Word != nil && p.Exp.Word.Lit() == "*/" { // no slash is left
			return max(r, nearby)
		}
	}
	return r.ofParts()
}

// outputBehind returns the reach of the output up to the end of a statement with redirections.
// before is the reach up to its beginning. after is the reach up to its end, without redirections.
func outputBehind(redirs []*syntax.Redirect, before, after reach) reach {
	diverted := false
	for _, r := range redirs {
		out, null := r.N == nil || r.N.Value == "1", r.Word.Lit() == "/dev/null" // and not /dev/stdout
		switch r.Op {
		case syntax.RdrIn, syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc:
		case syntax.RdrAll, syntax.AppAll, syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
			if !null || !out && r.N.Value != "2" {
				return anywhere
			}
			diverted = diverted || out
		case syntax.DplOut:
			switch to := r.Word.Lit(); {
			case out && to == "2":
				diverted = true
			case !out && r.N.Value == "2" && to == "1" && diverted:
			default:
				return anywhere
			}
		default:
			return anywhere
		}
	}
	if diverted {
		return before
	}
	return after
}

// inputReach returns the reach of the input that redirections give to a statement.
func (w *walker) inputReach(redirs []*syntax.Redirect) reach {
	if len(redirs) != 1 || redirs[0].N != nil && redirs[0].N.Value != "0" {
		return anywhere
	}
	var text string
	switch r := redirs[0]; r.Op {
	case syntax.WordHdoc:
		value, ok := w.verbatim(r.Word)
		if !ok {
			return anywhere
		}
		text = value
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			return anywhere
		}
		text = w.sourceOf(r.Hdoc)
	default:
		return anywhere
	}
	if strings.ContainsAny(text, "$`") || holdsPattern(text) {
		return anywhere
	}
	return nowhere
}

// silentCommands print nothing but errors.
const silentCommands = ": true false test [ sleep wait exit return break continue shift unset read"

// plainVersions are programs that print their version and nothing else, such as a directory.
const plainVersions = "bun deno node npm npx python python3"

// plainPrinters print numbers, facts about the system and its users, and parts of their
// arguments. cd prints a directory that it finds by CDPATH.
const plainPrinters = "arch basename cd date echo getconf groups hostname id logname nproc pidof printf seq tty uname uptime which whoami dirname"

// addOutput adds the reach of the output of a command.
func (w *walker) addOutput(r reach) {
	if !w.isIn(w.capturedIn) {
		r = r.ofParts()
	}
	w.output = min(w.output, r)
}

// outputOf returns the reach of the output of a command.
func (w *walker) outputOf(s strippedCommand, c *Command) reach {
	if len(s.args) == 0 || !s.args[0].isLiteral() || c.Class != ReadOnly || s.addsArgs {
		return anywhere
	}
	if _, ok := w.functions[s.args[0].value]; ok {
		return anywhere
	}
	name, args := s.args[0].value, s.args[1:]
	if has(silentCommands, name) || has(plainVersions, name) && len(args) == 1 && args[0].is("--version", "-v", "-V") {
		return nowhere
	}
	if slices.ContainsFunc(args, mayPrintMore) {
		return anywhere
	}
	switch {
	case name == "wc": // it quotes a name with a line feed
		return reachOfAll(args).ofParts()
	case name == "basename" && len(args) > 0 && len(args) < 3 && !slices.ContainsFunc(args, arg.mayBeSeveral): // one name, without a slash
		return max(nearby, reachOfAll(args))
	case name == "printf" && len(args) > 0 && args[0].isLiteral() && onlyConversions(args[0].value, "diouxXs"):
		format := literalArg(strings.NewReplacer(`\n`, "", `\t`, "").Replace(args[0].value))
		return reachOfAll(append([]arg{format}, args[1:]...)).ofParts()
	case name != "printf" && has(plainPrinters, name):
		return reachOfAll(args).ofParts()
	case name == "command" && len(args) > 0 && args[0].is("-v"), name == "type" && len(args) > 0 && args[0].is("-t", "-p", "-P"):
		return reachOfAll(args).ofParts()
	case name == "pwd":
		return w.reachOfDir(args)
	case name == "ls":
		return outputOfLs(args)
	case name == "stat" && isPlainStat(args):
		return reachOfAll(args).ofParts()
	case name == "git":
		return outputOfGit(args)
	case name == "du" && len(args) > 0 && args[0].is("-s", "-sh", "-hs", "-sk", "-sm", "-sb", "--summarize"):
		return reachOfAll(args)
	case name == "pgrep" && !slices.ContainsFunc(args, func(a arg) bool {
		return a.mayBeFlag() || strings.HasPrefix(a.value, "-") && !has("-f -x -n -o", a.value)
	}):
		return nowhere
	case name == "expr" && len(args) == 3 && args[1].is("*"): // a number
		return min(args[0].holds(), args[2].holds()).ofParts()
	case name == "expr":
		return reachOfAll(args).ofParts()
	}
	return w.outputOfFilter(name, args)
}

// mayPrintMore reports whether an argument may make a command print more than its arguments
// and numbers: its manual, or files that a list names. A name that a pattern stands for may
// be an option.
func mayPrintMore(a arg) bool {
	return a.is("--help", "--version") || strings.HasPrefix(a.value, "--files0") || a.glob && a.mayBeFlag()
}

// isPlainStat reports whether stat prints nothing but names that it is given, and facts. Of a
// link it may show where it leads, see stat(1).
func isPlainStat(args []arg) bool {
	return len(args) > 1 && args[0].is("-c") && args[1].isLiteral() && plainStat.MatchString(args[1].value) &&
		!slices.ContainsFunc(args[2:], func(a arg) bool { return a.mayBeFlag() || strings.HasPrefix(a.value, "-") })
}

var plainStat = regexp.MustCompile(`^(?:[^%]|%[abfFgGhinsuUwWxXyYzZ%])*$`)

// reachOfDir returns the reach of the output of pwd.
func (w *walker) reachOfDir(args []arg) reach {
	if len(args) > 0 || w.currentDir() == "" || holdsPattern(w.currentDir()) {
		return anywhere
	}
	return nowhere
}

// outputOfLs returns the reach of the names that ls prints: those in a directory without the
// directory, and those that it is given.
func outputOfLs(args []arg) reach {
	for _, a := range args {
		if a.mayBeFlag() || strings.HasPrefix(a.value, "-") && !has("-1 -a -A -t -r -S -d -tr -1t -1a -1d", a.value) {
			return anywhere // -l shows where links lead
		}
	}
	return min(nearby, reachOfAll(args))
}

// plainGitOutput are arguments of git with which it prints names of objects and of
// references, numbers and dates in forms that no setting changes. Names of references hold
// no pattern, see git-check-ref-format(1): git leaves out others. Left out are describe, which
// prints the name in the text of a tag, show, which prints that text, and branch, whose list
// holds text of a file about a rebase.
var plainGitOutput = regexp.MustCompile(`^(?:` +
	`rev-parse(?: --verify| --quiet| -q| --short(?:=\d+)?| --abbrev-ref| --symbolic-full-name| --is-inside-work-tree)*(?: REV)+|` +
	`merge-base(?: --is-ancestor| --fork-point)?(?: REV)+|` +
	`rev-list(?: --count| -\d+| -n(?: ?\d+| REV)| --all| --no-merges| --merges| REV)+|` +
	`branch --show-current|` +
	`symbolic-ref(?: --short| -q| --quiet)* REV|` +
	`tag(?: -l| --list| --sort=[a-z:-]+| --merged| --points-at| REV)*|` +
	`log(?: -s| --no-patch| -\d+| -n(?: ?\d+| REV)| --reverse| --no-merges| REV)*` +
	` --(?:format=|pretty=t?format:)(?:%[hHtTpPn]|%[ac][Drtis]|[ :_./-])+(?: -s| --no-patch| -\d+| -n(?: ?\d+| REV)| --reverse| REV)*)$`)

// outputOfGit returns the reach of the output of git.
func outputOfGit(args []arg) reach {
	var b strings.Builder
	for i, a := range args {
		if !a.isLiteral() {
			return anywhere
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if i > 0 && gitRevision.MatchString(strings.ReplaceAll(a.value, "..", "")) {
			b.WriteString("REV")
		} else {
			b.WriteString(a.value)
		}
	}
	if plainGitOutput.MatchString(b.String()) {
		return nowhere
	}
	return anywhere
}

// plainAwk, plainTr and plainSed match programs, or their last arguments, that print parts of
// their input and plain text.
var (
	plainAwk = regexp.MustCompile(`^ *\{ *print +\$(?:\d+|NF) *;? *\} *$|^ *END *\{ *print +NR *\} *$|^ *NR *== *\d+ *$`)
	plainTr  = regexp.MustCompile(`^(?:[A-Za-z0-9 ,:;_.-]|\\n|a-z|A-Z|\[:upper:\]|\[:lower:\])$`)
	plainSed = regexp.MustCompile(`^s([/|])(?:[^/|\\\n]|\\.)*[/|][A-Za-z0-9_.,: -]*[/|]g?$`)
)

// outputOfFilter returns the reach of the output that a command makes of its input.
func (w *walker) outputOfFilter(name string, args []arg) reach {
	if _, ok := keepsLines(name, args); ok {
		return w.fed
	}
	if !KnowsProgram(name) {
		return anywhere
	}
	p := commandSpecs[name].parseArgs(args)
	if p.reason != "" || len(p.splitValues) > 0 {
		return anywhere
	}
	var parts bool // prints parts of its input and nothing else
	switch name {
	case "grep", "egrep", "fgrep":
		if p.hasFlag("-c", "--count") && len(p.operands) > 0 && !slices.ContainsFunc(p.flags, func(f flag) bool { return !has("-c --count -i -E -F -w -v -x", f.name) }) {
			return reachOfAll(p.operands[1:])
		}
	case "cut":
		parts = len(p.operands) == 0 && !p.hasFlag("--output-delimiter")
	case "tr":
		deletes := len(p.operands) == 1 && p.hasFlag("-d", "--delete") && len(p.flags) == 1
		parts = deletes || len(p.operands) == 2 && len(p.flags) == 0 && p.operands[1].isLiteral() && plainTr.MatchString(p.operands[1].value)
	case "awk":
		if len(args) > 1 && args[0].isLiteral() && strings.HasPrefix(args[0].value, "-F") && len(args[0].value) > 2 {
			args = args[1:]
		}
		parts = len(args) == 1 && args[0].isLiteral() && plainAwk.MatchString(args[0].value)
	case "sed":
		parts = len(args) == 1 && args[0].isLiteral() && plainSed.MatchString(args[0].value)
	}
	if !parts {
		return anywhere
	}
	return w.fed.ofParts()
}

// operatorWord matches the words behind an operator that no shell expands.
var operatorWord = regexp.MustCompile(`^[A-Za-z0-9_./-]*$`)

// operatorPattern matches the patterns behind an operator that are understood: a text with
// at most one star at one of its ends.
var operatorPattern = regexp.MustCompile(`^\*?[A-Za-z0-9_./-]+\*?$`)

// isHarmlessOperator reports whether an expansion only tells the length of a variable,
// removes a part of its value or replaces it by another word: it sets nothing and runs
// nothing. Of a secret even that tells something.
func (w *walker) isHarmlessOperator(p *syntax.ParamExp) bool {
	if w.env.Shell != Bash || p.Param == nil || !isName(p.Param.Value) || w.mayBeSecret(p.Param.Value) || p.Length == (p.Exp != nil) {
		return false
	}
	if p.Flags != nil || p.Excl || p.Width || p.IsSet || p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 ||
		p.NestedParam != nil || p.Index != nil || len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return false
	}
	if p.Length {
		return true
	}
	text := ""
	if p.Exp.Word != nil {
		if text = p.Exp.Word.Lit(); text == "" {
			return false
		}
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return operatorWord.MatchString(text)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return text == "" || operatorPattern.MatchString(text)
	}
	return false
}

// operatorValues returns the values that an expansion with a harmless operator has, or none
// if they are not known.
func (w *walker) operatorValues(p *syntax.ParamExp) []arg {
	values := slices.Clone(w.variable(p.Param.Value).values)
	for i := range values {
		v := &values[i]
		if !v.isLiteral() || strings.ContainsFunc(v.value, func(r rune) bool { return r > '~' }) {
			return nil
		}
		if p.Length {
			*v = literalArg(strconv.Itoa(len(v.value)))
			continue
		}
		text := ""
		if p.Exp.Word != nil {
			text = p.Exp.Word.Lit()
		}
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
			if v.value == "" {
				return nil
			}
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			v.value = v.value[matchedPrefix(v.value, text, p.Exp.Op == syntax.RemLargePrefix):]
		case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			n := matchedPrefix(reversed(v.value), reversed(text), p.Exp.Op == syntax.RemLargeSuffix)
			v.value = v.value[:len(v.value)-n]
		default:
			return nil
		}
	}
	return values
}

// matchedPrefix returns the length of the shortest or the longest beginning of a text that a
// pattern matches, or 0.
func matchedPrefix(text, pattern string, longest bool) int {
	found := 0
	for n := range len(text) + 1 {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text[:n], "/", "\x00")); err == nil && ok {
			if found = n; !longest {
				return n
			}
		}
	}
	return found
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}
