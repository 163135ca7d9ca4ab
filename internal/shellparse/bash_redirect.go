package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects walks the redirections of a statement.
func (w *walker) redirects(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		w.redirect(r)
	}
}

func (w *walker) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		w.markUnknown("a redirection sets a variable")
	}
	if isDigits(w.sourceOf(r.Word)) && strings.ContainsRune("<>", w.byteAfter(r.Word)) {
		w.markUnknown("a number may belong to the redirection before it or behind it")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.hereDocument(r)
	case syntax.WordHdoc:
		w.walkWord(r.Word)
	case syntax.DplIn, syntax.DplOut:
		w.duplicateDescriptor(r)
	case syntax.RdrIn:
		w.redirectTarget(r.Word, false)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		w.redirectTarget(r.Word, true)
	default:
		w.markUnknown("zsh has redirections of its own")
		w.redirectTarget(r.Word, true)
	}
}

// hereDocument walks the text of a here-document.
func (w *walker) hereDocument(r *syntax.Redirect) {
	end, isQuoted := hereDelimiter(r.Word)
	if end == "" {
		w.markUnknown("the end of a here-document is not plain")
	}
	if r.Hdoc == nil {
		return
	}
	if !isQuoted && strings.Contains(w.sourceOf(r.Hdoc), `\`+"\n") {
		w.markUnknown("a line of a here-document goes on in the next")
	}
	var m markedWord
	for _, part := range r.Hdoc.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			w.addExpansion(&m, part, true)
		}
	}
}

// hereDelimiter returns the word that ends a here-document, and whether quotes keep the
// text from being expanded. The word is empty if shells may disagree about it.
func hereDelimiter(word *syntax.Word) (end string, isQuoted bool) {
	if len(word.Parts) != 1 {
		return "", true
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		end = part.Value
	case *syntax.SglQuoted:
		end, isQuoted = part.Value, true
		if part.Dollar {
			return "", true
		}
	case *syntax.DblQuoted:
		if len(part.Parts) != 1 || part.Dollar {
			return "", true
		}
		lit, ok := part.Parts[0].(*syntax.Lit)
		if !ok {
			return "", true
		}
		end, isQuoted = lit.Value, true
	}
	if strings.ContainsAny(end, "\\$`'\"\n") {
		return "", true
	}
	return end, isQuoted
}

// duplicateDescriptor marks the line unknown unless a redirection only copies or closes
// a descriptor.
func (w *walker) duplicateDescriptor(r *syntax.Redirect) {
	to := r.Word.Lit()
	if to == "-" || to != "" && strings.Trim(to, "0123456789") == "" && w.sourceOf(r.Word) == to {
		return
	}
	w.markUnknown("a redirection to a descriptor may be one to a file")
	if a := w.singleWord(r.Word); a.known && !a.glob && a.value != "" {
		w.addOpenedFile(a.value, r.Op == syntax.DplOut)
	}
}

// redirectTarget adds the file of a redirection.
func (w *walker) redirectTarget(word *syntax.Word, write bool) {
	a := w.singleWord(word)
	switch {
	case !a.known || a.glob:
		w.markUnknown("the target of a redirection cannot be known")
		return
	case strings.HasPrefix(a.value, "/dev/tcp/"), strings.HasPrefix(a.value, "/dev/udp/"):
		w.markUnknown("a redirection opens a connection")
	case strings.HasPrefix(a.source, "~"), strings.Contains(a.source, "$HOME"), strings.Contains(a.source, "${HOME}"):
		w.markUnknown("the target of a redirection is expanded")
	case a.value == "":
		w.markUnknown("the target of a redirection is empty")
		return
	case isProcessSubst(word), w.isOpenStream(a.value, write):
		return
	}
	w.addOpenedFile(a.value, write)
}

// addOpenedFile adds a file that a redirection opens.
func (w *walker) addOpenedFile(name string, write bool) {
	before := len(w.line.Paths)
	w.line.Paths = w.appendPaths(w.line.Paths, name, Path{Write: write})
	w.accesses = append(w.accesses, fileAccess{command: redirectAccess, paths: w.line.Paths[before:len(w.line.Paths):len(w.line.Paths)]})
}

// isProcessSubst reports whether a word is one process substitution and nothing else.
func isProcessSubst(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	_, ok := word.Parts[0].(*syntax.ProcSubst)
	return ok
}

// isOpenStream reports whether a name stands for a stream that the command has open
// already. Opening it again for writing opens the file behind it, whatever mode it was
// opened in, so an output stream counts only if the line diverts none.
func (w *walker) isOpenStream(name string, write bool) bool {
	switch {
	case !isStandardStream(name):
		return false
	case !write || name == "/dev/null":
		return true
	}
	return name != "/dev/stdin" && !w.divertsOutput()
}

// divertsOutput reports whether any redirection of the line may replace an output
// stream by a file.
func (w *walker) divertsOutput() bool {
	if w.file == nil {
		return true
	}
	if !w.divertsFound {
		w.divertsFound = true
		syntax.Walk(w.file, func(n syntax.Node) bool {
			if r, ok := n.(*syntax.Redirect); ok {
				w.diverts = w.diverts || mayDivertOutput(r)
			}
			return !w.diverts
		})
	}
	return w.diverts
}

// mayDivertOutput reports whether a redirection may replace an output stream by a file.
func mayDivertOutput(r *syntax.Redirect) bool {
	input := r.N == nil || r.N.Value == "0"
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
		return !input
	case syntax.DplOut:
		return !has("1 2", r.Word.Lit())
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		return !isStandardStream(r.Word.Lit()) || r.Word.Lit() == "/dev/stdin"
	}
	return true
}

// givesInput reports whether a redirection of a statement may supply the standard input
// of its commands. The descriptor's number is ignored: another redirection may copy it
// to the input.
func givesInput(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrInOut:
			return true
		case syntax.RdrIn:
			if r.Word.Lit() != "/dev/null" {
				return true
			}
		case syntax.DplIn:
			if r.Word.Lit() != "-" {
				return true
			}
		case syntax.DplOut:
			if r.N != nil && strings.Trim(r.N.Value, "0") == "" { // 0>&3
				return true
			}
		}
	}
	return false
}

// mayBeExec reports whether a command may be exec, whose redirections apply to all
// following commands: exec itself, exec after wrappers, or a name in quotes.
func mayBeExec(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	if !ok {
		return false
	}
	for _, word := range call.Args {
		switch name := word.Lit(); {
		case name == "exec", name == "":
			return true
		case !isWrapper(name):
			return false
		}
	}
	return false
}

// keepsOutput reports whether a statement prints the output of its last command and nothing
// else.
func keepsOutput(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || r.Word.Lit() != "/dev/null" {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return !s.Background && len(c.Assigns) == 0
	case *syntax.BinaryCmd:
		return !s.Background && c.Op == syntax.Pipe
	}
	return false
}

// lineFilters are flags with which some programs print some of the lines of their input as
// they are, if they have no operand but a pattern.
var lineFilters = map[string]string{
	"head": "-n --lines -q -z", "tail": "-n --lines -q -z", "sort": "-u -r -n -f -z -V", "uniq": "-u -d", "cat": "",
	"grep": "-v -i -E -F -w -x -e -G -P --invert-match --ignore-case -z", "egrep": "-v -i -e", "fgrep": "-v -i -e",
}

// printedBy returns the names that a command prints.
func (w *walker) printedBy(s strippedCommand, e effect) *foundNames {
	if e.class != ReadOnly || s.wrapped {
		return nil
	}
	if e.prints != nil {
		names := *e.prints
		names.dirs = w.place.dirs
		return &names
	}
	if w.input() == nil {
		return nil
	}
	if zero, ok := keepsLines(s.args[0].value, s.args[1:]); !ok || zero != w.piped.nul {
		return nil
	}
	return w.piped
}

// keepsLines reports whether a command prints some of the lines of its input as they are, and
// whether zero bytes end them.
func keepsLines(name string, args []arg) (zero, ok bool) {
	flags, ok := lineFilters[name]
	if !ok {
		return false, false
	}
	p := commandSpecs[name].parseArgs(args)
	operands := 0
	if strings.HasSuffix(name, "grep") && !p.hasFlag("-e") {
		operands = 1
	}
	for _, f := range p.flags {
		if !has(flags, f.name) {
			return false, false
		}
		zero = zero || f.name == "-z"
	}
	return zero, p.reason == "" && len(p.operands) == operands && len(p.splitValues) == 0
}

// addedArg returns the arguments that a program adds to a command.
func (w *walker) addedArg(name string) arg {
	a := addedArgs
	if name == "xargs" {
		a.found = w.input()
	}
	return a
}

// input returns the names that the input of the current commands consists of, or nil. They
// mean the same files only where they were found.
func (w *walker) input() *foundNames {
	if w.piped == nil || len(w.piped.dirs) == 0 || !slices.Equal(w.piped.dirs, w.place.dirs) {
		return nil
	}
	return w.piped
}

// withAddedArgs returns the command with the arguments that xargs adds.
func (w *walker) withAddedArgs(s strippedCommand) []arg {
	args := s.withAddedArgs()
	if in := w.input(); s.addsArgs && in != nil && !in.nul {
		args[len(args)-1].found = in
	}
	return args
}

// xargsFlags are the flags of xargs that neither read a file nor change the command that it runs.
const xargsFlags = "-0 --null -r --no-run-if-empty -n --max-args -P --max-procs -I -L"

// xargsOnFound returns the effect of xargs with options, if its input consists of names of
// files and the command that it adds them to only reads.
func (w *walker) xargsOnFound(args []arg) (effect, bool) {
	command, ok := w.xargsCommand(args)
	if !ok {
		return effect{}, false
	}
	e := effect{files: []file{{arg: w.addedArg("xargs")}}}
	_, ok = readsFoundNames(command) // the others are those of the command as it stands in the line
	return e, ok
}

// xargsCommand returns the command that xargs starts with the names of files that its input
// consists of.
func (w *walker) xargsCommand(args []arg) (command []arg, ok bool) {
	p := commandSpecs["xargs"].parseArgs(args)
	if w.input() == nil || !w.input().plain || p.reason != "" || len(p.operands) == 0 || p.hasFlag("-0", "--null") != w.piped.nul {
		return nil, false
	}
	for _, f := range p.flags {
		if !has(xargsFlags, f.name) || f.name != "-0" && f.value.source != "" && !f.value.isLiteral() {
			return nil, false
		}
	}
	name := w.addedArg("xargs")
	command = p.nestedCommand()
	for i, a := range command {
		switch {
		case a.placeholder && !a.known:
			command[i] = name
			command[i].source, command[i].anyNumber = a.source, false
		case a.placeholder:
			return nil, false
		}
	}
	if !p.hasFlag("-I") {
		command = append(command, name)
	}
	return command, true
}

// addSplitNames notes the names that xargs splits before a command gets them.
func (w *walker) addSplitNames(c *Command, e effect, added bool) {
	in := w.input()
	if in == nil || in.nul {
		return
	}
	for _, f := range e.files {
		if f.found == in {
			w.addNames(c, in)
			return
		}
	}
	if added { // a command such as echo may get them, too
		w.addNames(c, in)
	}
}

// addNames notes names that mean one file each only if they have no blanks.
func (w *walker) addNames(c *Command, f *foundNames) {
	for _, v := range slices.Concat(f.trees, f.values) {
		if strings.ContainsAny(v.value, " \t\n'\"\\") {
			c.worsen(Unknown, "the names below "+v.source+" are split")
		}
		c.SplitNames = w.appendPaths(c.SplitNames, v.value, Path{Glob: v.glob, Filter: f.filter})
	}
}

// addReadNames notes the names that a loop has read for a command. echo and printf only print
// their arguments.
func (w *walker) addReadNames(c *Command, e effect, args []arg) {
	if has("echo printf", args[0].value) && len(e.files) == 0 {
		return
	}
	for _, a := range args {
		if a.found != nil && a.found.read {
			w.addNames(c, a.found)
			return
		}
	}
}

// namesReadBy returns the names of which a read takes one whole, or nil.
func (w *walker) namesReadBy(assigns []assignment, args []arg) *foundNames {
	in := w.input()
	if in == nil || len(namesThatAreRead(args)) != 1 || w.env.Shell != Bash || mayAssign(strings.ReplaceAll(w.src, "IFS= ", ""), "IFS") {
		return nil
	}
	whole := len(assigns) == 1 && assigns[0].name == "IFS" && !assigns[0].compound && assigns[0].value.is("")
	if len(assigns) > 0 && !whole {
		return nil
	}
	raw, nul := false, false
	for i := 1; i < len(args)-1; i++ {
		switch {
		case args[i].is("-r"):
			raw = true
		case args[i].is("-d") && i+1 < len(args)-1 && args[i+1].is(""):
			nul = true
			i++
		default:
			return nil
		}
	}
	if nul != in.nul {
		return nil
	}
	names := *in
	names.read = !nul || !raw || !whole
	return &names
}

// namePlaceholders returns the arguments of xargs or parallel with those that it adds. The
// words that xargs replaces are marked.
func (w *walker) namePlaceholders(name string, args []arg) []arg {
	args = append(markPlaceholders(name, args), w.addedArg(name))
	for i, a := range args {
		if a.placeholder && !a.known {
			args[i].found = w.input()
		}
	}
	return args
}
