package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A walker collects what the commands of a line do.
type walker struct {
	src       string
	env       Env
	line      Line
	at        place // where the words at hand are expanded
	homeless  bool  // what ~ and $HOME mean cannot be known
	functions map[string]place
	root      *syntax.File // nil if the line cannot be parsed
	spare     []arg        // room for the words of the next commands
	deeds     []deed       // in the order in which they stand
	repeats   bool         // some commands may run again, or later than they stand
	pipes     bool         // some commands run at once
	fed       bool         // the commands at hand may read what the line feeds them
	feeding   bool         // exec may have made that so for all that follow
	sway      sway         // the variables that the line sets for its commands
	bound     bindings     // nil until somebody asks
	depth     int
	scripts   int
	desk      *desk
	// What most lines need, so that it is allocated at once.
	fewWords [12]arg
	fewDeeds [6]deed
}

// doubt makes the line unknown. The first reason stays.
func (w *walker) doubt(why string) {
	if w.line.Unknown == "" {
		w.line.Unknown = why
	}
}

// emit lists a command and reports whether there is room for more.
func (w *walker) emit(c Command) bool {
	if w.desk.left <= 0 {
		w.doubt("the line holds too many commands")
		return false
	}
	w.desk.left--
	c.Fed = c.Fed || w.fed || w.feeding
	if w.line.Commands == nil {
		w.line.Commands = make([]Command, 0, likely(w.src))
	}
	w.line.Commands = append(w.line.Commands, c)
	return true
}

// likely is the number of commands for which to make room: one more than there
// are separators in the line, and eight at the most.
func likely(line string) int {
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
		w.doubt("the line is nested too deeply")
		return false
	}
	return true
}

func (w *walker) leave() { w.depth-- }

// text is what stands in the line for a node.
func (w *walker) text(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(w.src)) {
		return ""
	}
	return w.src[from:to]
}

// after is the byte behind a node, or a line feed at the end of the line.
func (w *walker) after(n syntax.Node) rune {
	if end := n.End().Offset(); end < uint(len(w.src)) {
		return rune(w.src[end])
	}
	return '\n'
}

// stmts walks a list and says where the shell may be after it.
func (w *walker) stmts(list []*syntax.Stmt, in place) place {
	for _, s := range list {
		yes, no := w.stmt(s, in)
		in = yes.or(no)
	}
	return in
}

// stmt walks a statement that starts in a place, and says where the shell may
// be after its success and after its failure.
func (w *walker) stmt(s *syntax.Stmt, in place) (yes, no place) {
	defer w.leave()
	if !w.enter() {
		return in, in
	}
	w.at = in
	if s.Coprocess || s.Disown {
		w.doubt("the line starts a coprocess")
	}
	before := w.fed
	w.fed = before || feeds(s)
	yes, no = w.command(s, in)
	w.feeding = w.feeding || w.fed && isExec(s.Cmd)
	w.fed = before
	w.at = in
	w.redirects(s)
	switch {
	case s.Background:
		w.repeats = true
		return in, in
	case s.Negated:
		if strings.HasPrefix(w.text(s), "!(") {
			w.doubt("the line holds an extended glob")
		}
		return no, yes
	}
	return yes, no
}

func (w *walker) command(s *syntax.Stmt, in place) (yes, no place) {
	switch c := s.Cmd.(type) {
	case nil:
		if w.env.Shell == Zsh {
			w.doubt("zsh runs a command of its own for a redirection alone")
		}
		return in, in
	case *syntax.CallExpr:
		return w.call(c, in)
	case *syntax.BinaryCmd:
		return w.binary(c, in)
	case *syntax.Block:
		in = w.stmts(c.Stmts, in)
	case *syntax.Subshell:
		w.stmts(c.Stmts, in)
	case *syntax.IfClause:
		in = w.branch(c, in)
	case *syntax.WhileClause:
		w.loop(in, func() place { return w.stmts(c.Do, w.stmts(c.Cond, in)) })
	case *syntax.ForClause:
		w.iterate(c, in)
	case *syntax.CaseClause:
		in = w.choose(c, in)
	case *syntax.FuncDecl:
		w.define(c, in, w.depth == 1 && !s.Background)
	case *syntax.ArithmCmd:
		w.arithmetic(c.X)
	case *syntax.TestClause:
		w.condition(c.X)
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.TimeClause:
		return w.timed(c, in)
	case *syntax.CoprocClause:
		w.doubt("the line starts a coprocess")
		w.stmt(c.Stmt, in)
	case *syntax.LetClause:
		w.doubt("let evaluates its words")
		w.hidden(c)
	default:
		w.doubt("the line holds a construct that is not understood")
	}
	return in, in
}

func (w *walker) binary(c *syntax.BinaryCmd, in place) (yes, no place) {
	switch c.Op {
	case syntax.AndStmt:
		yes, no = w.stmt(c.X, in)
		yes2, no2 := w.stmt(c.Y, yes)
		return yes2, no.or(no2)
	case syntax.OrStmt:
		yes, no = w.stmt(c.X, in)
		yes2, no2 := w.stmt(c.Y, no)
		return yes.or(yes2), no2
	}
	if _, ok := c.Y.Cmd.(*syntax.TimeClause); ok {
		w.doubt("time is a program behind a pipe")
	}
	w.pipes = true
	before := w.fed
	w.stmt(c.X, in)
	w.fed = true
	w.stmt(c.Y, in)
	w.fed = before
	return in, in
}

func (w *walker) branch(c *syntax.IfClause, in place) place {
	defer w.leave()
	if !w.enter() {
		return in
	}
	yes, no := in, in
	for i, s := range c.Cond {
		yes, no = w.stmt(s, in)
		if i < len(c.Cond)-1 {
			in = yes.or(no)
		}
	}
	out := w.stmts(c.Then, yes)
	if c.Else == nil {
		return out.or(no)
	}
	return out.or(w.branch(c.Else, no))
}

// loop walks a body that may run many times.
func (w *walker) loop(in place, body func() place) {
	w.repeats = true
	if out := body(); !out.equal(in) {
		w.doubt("the directory changes inside a loop or function")
	}
}

func (w *walker) iterate(c *syntax.ForClause, in place) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		w.variable(l.Name.Value)
		for _, item := range l.Items {
			w.listed(item)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			if x != nil {
				w.arithmetic(x)
			}
		}
	}
	w.loop(in, func() place { return w.stmts(c.Do, in) })
}

func (w *walker) choose(c *syntax.CaseClause, in place) place {
	w.expand(c.Word)
	out := in
	for _, item := range c.Items {
		w.at = in
		for _, p := range item.Patterns {
			w.expand(p)
		}
		// A body may be entered from the one before it.
		out = out.or(w.stmts(item.Stmts, out))
	}
	return out
}

// define walks the body of a function where it is defined. Certain says that
// the shell will have the function from then on.
func (w *walker) define(c *syntax.FuncDecl, in place, certain bool) {
	before := w.fed
	w.fed = true // whoever calls it may feed it
	defer func() { w.fed = before }()
	w.loop(in, func() place {
		yes, no := w.stmt(c.Body, in)
		return yes.or(no)
	})
	if c.Name == nil {
		w.doubt("the line defines functions without a name")
		return
	}
	switch c.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell:
	default:
		w.doubt("the body of a function is no block")
	}
	name := c.Name.Value
	if !isName(name) {
		w.doubt("the name of a function is not plain")
	}
	if isBuiltin(name) || isWrapper(name) || useOf(name, nil).class != Unknown {
		w.doubt("the line gives the command " + name + " another meaning")
		return
	}
	if certain {
		if w.functions == nil {
			w.functions = map[string]place{}
		}
		w.functions[name] = in
	}
}

func (w *walker) timed(c *syntax.TimeClause, in place) (yes, no place) {
	after := w.src[min(c.Time.Offset()+uint(len("time")), uint(len(w.src))):]
	if c.PosixFormat || strings.HasPrefix(strings.TrimLeft(after, " \t"), "-") {
		w.doubt("shells disagree about words after time that begin with a dash")
	}
	if c.Stmt == nil || c.Stmt.Cmd == nil {
		w.doubt("time stands alone")
	}
	if c.Stmt == nil {
		return in, in
	}
	return w.stmt(c.Stmt, in)
}

// hidden walks the substitutions in a part of the line that is not understood.
func (w *walker) hidden(n syntax.Node) {
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

// substitution walks commands that run in a shell of their own.
func (w *walker) substitution(n syntax.Node, list []*syntax.Stmt) {
	defer w.leave()
	if !w.enter() {
		return
	}
	if c, ok := n.(*syntax.CmdSubst); ok {
		if c.TempFile || c.ReplyVar {
			w.doubt("the line holds a construct that is not understood")
		}
		if c.Backquotes && strings.Contains(w.text(n), `\`) {
			w.doubt("the line holds a backslash between backquotes")
		}
	}
	at, fed := w.at, w.fed
	if p, ok := n.(*syntax.ProcSubst); ok && p.Op != syntax.CmdIn {
		w.fed = true
	}
	w.stmts(list, at)
	w.at, w.fed = at, fed
}
