package shellparse

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A walker collects the effects of the commands of a line.
type walker struct {
	lineBuilder
	src          string
	place        place // directories in which the current words are expanded
	physical     bool  // the shell may have spelled its directory without links; see cdTarget
	homeUnknown  bool  // the value of ~ and $HOME cannot be known
	functions    map[string]place
	file         *syntax.File    // nil if the line cannot be parsed
	spareArgs    []arg           // preallocated arguments for the next commands
	accesses     []fileAccess    // in the order of the text
	mayRepeat    bool            // some commands may run more than once, or later than written
	concurrent   bool            // some commands run at the same time
	hasInput     bool            // the current commands may read input that the line supplies
	execHasInput bool            // exec may have set the input of all following commands
	ownSet       []envAssignment // the variables that the line keeps to itself; see keepsVariable
	envSet       envAssignment   // the first variable that the line sets for its commands
	piped        *foundNames     // the names that the input of the current commands consists of; nil if it is anything else
	printed      *foundNames     // the names that the statement before has printed
	frozen       []string        // variables that later assignments may not change
	shown        string          // a variable of the environment that the words since then show; see noteVariable
	bindingCache bindings        // nil until bindings is called
	captured     bool            // the output of the current commands becomes a part of a word, or is read
	capturedIn   []string        // the directories where that happens
	output       reach           // of their output so far
	fed          reach           // of the input that a pipe or a redirection feeds them
	fedIn        []string        // the directories where that was printed
	depth        int
	setOnce      map[string]bool // variables by name; see isSetOnce
	setPlain     map[string]bool // variables by name; see setsPlainTexts
	setNoList    map[string]bool // variables by name; see makesNoList
	unassigned   map[string]bool // variables by name; see mayAssign
	candidates   map[candidate]candidateRead

	inputFound      bool // the two fields below are set; see inputTexts
	inputTextsFound []string
	inputWhole      bool
	divertsFound    bool // the field below is set; see divertsOutput
	diverts         bool

	functionDepth int
	// The buffers have room for most lines, so that one allocation makes them with the walker.
	argBuffer    [12]arg
	accessBuffer [6]fileAccess
}

// addCommand lists a command and reports whether the budget allows more.
func (w *walker) addCommand(c Command) bool {
	if !w.takeCommand() {
		return false
	}
	c.ReadsInput = c.ReadsInput || w.hasInput || w.execHasInput
	if w.line.Commands == nil {
		w.line.Commands = make([]Command, 0, estimateCommands(w.src))
	}
	w.line.Commands = append(w.line.Commands, c)
	return true
}

// estimateCommands returns the initial capacity of the list of commands: one more than
// the separators in the line, but at most eight.
func estimateCommands(line string) int {
	n, before := 1, false
	for i := 0; i < len(line) && n < 8; i++ {
		switch line[i] {
		case ';', '&', '|', '\n', '(', '`':
			if !before {
				n++
			}
			before = true
		default:
			before = false
		}
	}
	return n
}

// enter counts a level of nesting and reports whether it is within the limit.
func (w *walker) enter() bool {
	w.depth++
	if w.depth > maxDepth {
		w.markUnknown("the line is nested too deeply")
		return false
	}
	return true
}

func (w *walker) leave() { w.depth-- }

// sourceOf returns the text of a node.
func (w *walker) sourceOf(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(w.src)) {
		return ""
	}
	return w.src[from:to]
}

// byteAfter returns the byte after a node, or a line feed at the end of the line.
func (w *walker) byteAfter(n syntax.Node) rune {
	if end := n.End().Offset(); end < uint(len(w.src)) {
		return rune(w.src[end])
	}
	return '\n'
}

// stmts walks a list and returns where the shell may be after it.
func (w *walker) stmts(list []*syntax.Stmt, in place) place {
	for _, s := range list {
		yes, no := w.stmt(s, in)
		in = yes.union(no)
	}
	return in
}

// stmt walks a statement that starts in a place. It returns where the shell may be if
// the statement succeeds and if it fails.
func (w *walker) stmt(s *syntax.Stmt, in place) (yes, no place) {
	defer w.leave()
	if !w.enter() {
		return in, in
	}
	w.place = in
	if s.Coprocess || s.Disown {
		w.markUnknown("the line starts a coprocess")
	}
	before, shown, first := w.hasInput, w.takeShown(), len(w.line.Commands)
	piped, fed, output := w.piped, w.fed, w.output
	if w.hasInput = before || givesInput(s); givesInput(s) {
		w.piped, w.fed = nil, w.inputReach(s.Redirs)
	} else if !w.isIn(w.fedIn) { // names that are fed mean the same only where they were printed
		w.fed = w.fed.ofParts()
	}
	w.printed = nil
	yes, no = w.command(s, in)
	w.piped, w.fed = piped, fed
	if w.captured {
		w.output = outputBehind(s.Redirs, output, w.output)
	}
	if !keepsOutput(s) {
		w.printed = nil
	}
	w.execHasInput = w.execHasInput || w.hasInput && mayBeExec(s.Cmd)
	w.hasInput = before
	w.place = in
	w.redirects(s)
	w.askForShown(first)
	w.shown = cmp.Or(shown, w.shown)
	if len(s.Redirs) > 0 {
		no.set = in.set // a redirection may have failed before the command ran
	}
	switch {
	case s.Background:
		w.mayRepeat, w.line.Background = true, true
		return in, in
	case s.Negated:
		if strings.HasPrefix(w.sourceOf(s), "!(") {
			w.markUnknown("the line holds an extended glob")
		}
		return no, yes
	}
	return yes, no
}

func (w *walker) command(s *syntax.Stmt, in place) (yes, no place) {
	switch c := s.Cmd.(type) {
	case nil:
		if w.env.Shell == Zsh {
			w.markUnknown("zsh runs a command of its own for a redirection alone")
		}
		w.output = anywhere // $(<file)
		return in, in
	case *syntax.CallExpr:
		return w.callExpr(c, in)
	case *syntax.BinaryCmd:
		return w.binaryCmd(c, in)
	case *syntax.Block:
		in = w.stmts(c.Stmts, in)
	case *syntax.Subshell:
		w.stmts(c.Stmts, in)
	case *syntax.IfClause:
		in = w.ifClause(c, in)
	case *syntax.WhileClause:
		w.loopBody(in, func() place { return w.stmts(c.Do, w.condition(c, in)) })
	case *syntax.ForClause:
		w.forClause(c, in)
	case *syntax.CaseClause:
		in = w.caseClause(c, in)
	case *syntax.FuncDecl:
		w.funcDecl(c, in, w.depth == 1 && !s.Background)
	case *syntax.ArithmCmd:
		w.arithmExpr(c.X)
	case *syntax.TestClause:
		w.testExpr(c.X)
	case *syntax.DeclClause:
		in = w.declClause(c, in)
	case *syntax.TimeClause:
		return w.timeClause(c, in)
	case *syntax.CoprocClause:
		w.markUnknown("the line starts a coprocess")
		w.stmt(c.Stmt, in)
	case *syntax.LetClause:
		w.markUnknown("let evaluates its words")
		w.substitutionsIn(c)
	default:
		w.markUnknown("the line holds a construct that is not understood")
	}
	return in, in
}

func (w *walker) binaryCmd(c *syntax.BinaryCmd, in place) (yes, no place) {
	switch c.Op {
	case syntax.AndStmt:
		yes, no = w.stmt(c.X, in)
		yes2, no2 := w.stmt(c.Y, yes)
		return yes2, no.union(no2)
	case syntax.OrStmt:
		yes, no = w.stmt(c.X, in)
		yes2, no2 := w.stmt(c.Y, no)
		return yes.union(yes2), no2
	}
	if _, ok := c.Y.Cmd.(*syntax.TimeClause); ok {
		w.markUnknown("time is a program behind a pipe")
	}
	w.concurrent = true
	before, piped, fed, fedIn, output := w.hasInput, w.piped, w.fed, w.fedIn, w.output
	captured, capturedIn := w.captured, w.capturedIn
	if _, ok := c.Y.Cmd.(*syntax.CallExpr); !ok { // it may read the output into variables
		w.captured = true
	}
	w.capturedIn = in.dirs
	w.output = nowhere
	w.stmt(c.X, in)
	w.hasInput, w.piped, w.fed, w.fedIn = true, nil, anywhere, in.dirs
	if c.Op == syntax.Pipe {
		w.piped = w.printed
		if w.captured {
			w.fed = w.output
		}
	}
	w.captured, w.capturedIn, w.output = captured, capturedIn, output
	w.stmt(c.Y, in)
	w.hasInput, w.piped, w.fed, w.fedIn = before, piped, fed, fedIn
	return in, in
}

func (w *walker) ifClause(c *syntax.IfClause, in place) place {
	defer w.leave()
	if !w.enter() {
		return in
	}
	yes, no := in, in
	for i, s := range c.Cond {
		yes, no = w.stmt(s, in)
		if i < len(c.Cond)-1 {
			in = yes.union(no)
		}
	}
	out := w.stmts(c.Then, yes)
	if len(c.Cond) == 0 {
		return out // else
	}
	if c.Else == nil {
		return out.union(no)
	}
	return out.union(w.ifClause(c.Else, no))
}

// loopBody walks a body that may run several times.
func (w *walker) loopBody(in place, body func() place) {
	w.mayRepeat = true
	if out := body(); !out.equal(in) {
		w.markUnknown("the directory changes inside a loop or function")
	}
}

// condition walks the condition of a loop and returns where its body starts.
func (w *walker) condition(c *syntax.WhileClause, in place) place {
	for i, s := range c.Cond {
		yes, no := w.stmt(s, in)
		both := yes.union(no)
		if i < len(c.Cond)-1 {
			in = both
			continue
		}
		if c.Until {
			yes = no
		}
		both.set = yes.set
		in = both
	}
	return in
}

func (w *walker) forClause(c *syntax.ForClause, in place) {
	body, names := in, ""
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		w.checkVariable(l.Name.Value)
		var values []arg
		for _, item := range l.Items {
			values = append(values, w.walkListWord(item)...)
		}
		r := reachOfAll(values)
		names = expandingWord(values)
		if len(l.Items) == 0 {
			r = w.parameterReach("@")
		}
		if names != "" && c.Select {
			w.markUnknown("select shows names that cannot be known")
		}
		if slices.ContainsFunc(values, func(a arg) bool { return !a.known }) || len(values) > maxBindings {
			values = nil
		}
		body = in.with(l.Name.Value, r, values...)
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			if x != nil {
				w.arithmExpr(x)
			}
		}
	}
	first := len(w.line.Commands)
	w.loopBody(in, func() place { return w.stmts(c.Do, body) })
	for i := first; i < len(w.line.Commands) && names != ""; i++ {
		w.line.Commands[i].blur()
		w.line.Commands[i].markExpansion(names)
	}
}

func (w *walker) caseClause(c *syntax.CaseClause, in place) place {
	w.walkWord(c.Word)
	out := in
	for _, item := range c.Items {
		w.place = in
		for _, p := range item.Patterns {
			w.walkWord(p)
		}
		// Control may fall through from the item before.
		out = out.union(w.stmts(item.Stmts, out))
	}
	return out
}

// funcDecl walks the body of a function where it is defined. certain is set if the
// shell surely defines the function.
func (w *walker) funcDecl(c *syntax.FuncDecl, in place, certain bool) {
	before := w.hasInput
	w.hasInput = true // a caller may redirect its input
	w.functionDepth++
	piped, fed := w.piped, w.fed
	w.piped, w.fed = nil, anywhere
	defer func() { w.hasInput, w.piped, w.fed = before, piped, fed; w.functionDepth-- }()
	w.loopBody(in, func() place {
		yes, no := w.stmt(c.Body, in)
		return yes.union(no)
	})
	if c.Name == nil {
		w.markUnknown("the line defines functions without a name")
		return
	}
	switch c.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell:
	default:
		w.markUnknown("the body of a function is no block")
	}
	name := c.Name.Value
	if !isName(name) {
		w.markUnknown("the name of a function is not plain")
	}
	if isBuiltin(name) || isWrapper(name) || effectOf(name, nil).class != Unknown {
		w.markUnknown("the line gives the command " + name + " another meaning")
		return
	}
	if certain {
		if w.functions == nil {
			w.functions = map[string]place{}
		}
		w.functions[name] = in
	}
}

func (w *walker) timeClause(c *syntax.TimeClause, in place) (yes, no place) {
	after := w.src[min(c.Time.Offset()+uint(len("time")), uint(len(w.src))):]
	if c.PosixFormat || strings.HasPrefix(strings.TrimLeft(after, " \t"), "-") {
		w.markUnknown("shells disagree about words after time that begin with a dash")
	}
	if c.Stmt == nil || c.Stmt.Cmd == nil {
		w.markUnknown("time stands alone")
	}
	if c.Stmt == nil {
		return in, in
	}
	return w.stmt(c.Stmt, in)
}

// substitutionsIn walks the substitutions in a part of the line that is not understood.
func (w *walker) substitutionsIn(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.substitution(n, n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.substitution(n, n.Stmts)
			return false
		}
		return true
	})
}

// substitution walks commands that run in a subshell, and returns the reach of their output.
func (w *walker) substitution(n syntax.Node, list []*syntax.Stmt) reach {
	defer w.leave()
	if !w.enter() {
		return anywhere
	}
	if c, ok := n.(*syntax.CmdSubst); ok {
		if c.TempFile || c.ReplyVar {
			w.markUnknown("the line holds a construct that is not understood")
		}
		if c.Backquotes && strings.Contains(w.sourceOf(n), `\`) {
			w.markUnknown("the line holds a backslash between backquotes")
		}
	}
	at, hasInput := w.place, w.hasInput
	captured, capturedIn, output, fed := w.captured, w.capturedIn, w.output, w.fed
	w.captured, w.capturedIn, w.output, w.fed = true, at.dirs, nowhere, anywhere
	if p, ok := n.(*syntax.ProcSubst); ok && p.Op != syntax.CmdIn {
		w.hasInput = true
		if captured {
			w.markUnknown("what a process prints becomes a part of a word")
		}
	}
	w.stmts(list, at)
	printed := w.output
	w.place, w.hasInput = at, hasInput
	w.captured, w.capturedIn, w.output, w.fed = captured, capturedIn, output, fed
	return printed
}

// arithmExpr walks an arithmetic expression and marks the line unknown unless it
// consists of numbers. Bash evaluates the values of variables again and runs the
// substitutions in them.
func (w *walker) arithmExpr(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		w.arithmExpr(x.X)
		w.arithmExpr(x.Y)
	case *syntax.UnaryArithm:
		w.arithmExpr(x.X)
	case *syntax.ParenArithm:
		w.arithmExpr(x.X)
	case *syntax.Word:
		if !isDigits(x.Lit()) {
			w.markUnknown("a calculation uses more than numbers")
			w.substitutionsIn(x)
		}
	default:
		w.markUnknown("a calculation uses more than numbers")
		w.substitutionsIn(x)
	}
}

// testExpr walks the expression between [[ and ]].
func (w *walker) testExpr(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.testedNumber(x.X)
			w.testedNumber(x.Y)
			return
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			w.testedFile(x.X)
			w.testedFile(x.Y)
			return
		}
		w.testExpr(x.X)
		w.testExpr(x.Y)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsVarSet, syntax.TsRefVar:
			w.markUnknown("a condition on a variable may calculate its index")
		case syntax.TsFdTerm:
			if w.env.Shell == Zsh {
				w.testedNumber(x.X)
				return
			}
		case syntax.TsEmpStr, syntax.TsNempStr:
			if word, ok := x.X.(*syntax.Word); ok && variableWord.MatchString(strings.ReplaceAll(w.sourceOf(word), `"`, "")) {
				return // it says no more than whether a variable is empty
			}
		case syntax.TsNot, syntax.TsOptSet:
		default:
			w.testedFile(x.X)
			return
		}
		w.testExpr(x.X)
	case *syntax.ParenTest:
		w.testExpr(x.X)
	case *syntax.Word:
		w.walkWord(x)
	default:
		w.markUnknown("the line holds a condition that is not understood")
	}
}

// testedNumber walks a number in a condition.
func (w *walker) testedNumber(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.testExpr(x)
		return
	}
	if a := w.singleWord(word); !a.known || !isDigits(strings.TrimPrefix(a.value, "-")) {
		w.markUnknown("a condition compares more than numbers")
	}
}

// testedFile walks a file in a condition.
func (w *walker) testedFile(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.testExpr(x)
		return
	}
	a := w.singleWord(word)
	if !a.known && a.found != nil && len(a.found.trees) == 0 && !a.found.read {
		for _, v := range a.found.values {
			w.line.Paths = w.appendPaths(w.line.Paths, v.value, Path{Glob: v.glob})
		}
		return
	}
	if !a.known {
		w.markUnknown("a file cannot be known")
		return
	}
	if a.value != "" && !isStandardStream(a.value) && !isProcessSubst(word) {
		w.line.Paths = w.appendPaths(w.line.Paths, a.value, Path{})
	}
}

// The operators of test, by the kind of their operands.
const (
	fileOperators   = "-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S"
	stringOperators = "-n -z -t -o"
	fileComparisons = "-nt -ot -ef"
	comparisons     = "= == != < > -eq -ne -lt -le -gt -ge"
)

func bracketEffect(args []arg) builtinEffect {
	if len(args) == 0 || args[len(args)-1].value != "]" {
		return unknownBuiltin("a bracket is not closed")
	}
	return testEffect(args[:len(args)-1])
}

// testEffect returns the effect of test with a single condition. The number of words
// decides which of them is an operator, so no word may expand to several.
func testEffect(args []arg) builtinEffect {
	for len(args) > 0 && args[0].known && args[0].value == "!" {
		args = args[1:]
	}
	for _, a := range args {
		if a.anyNumber || a.glob {
			return builtinEffect{unknownEffect("a condition has words that cannot be known"), true}
		}
	}
	word := func(i int) string { return args[i].value }
	var e builtinEffect
	switch {
	case len(args) < 2:
	case len(args) == 2 && has(fileOperators, word(0)):
		e.files = []file{{arg: args[1]}}
	case len(args) == 2 && has(stringOperators, word(0)):
	case len(args) == 3 && has(fileComparisons, word(1)):
		e.files = []file{{arg: args[0]}, {arg: args[2]}}
	case len(args) == 3 && has(comparisons, word(1)):
	default:
		return builtinEffect{unknownEffect("a condition is not understood"), true}
	}
	return e
}
