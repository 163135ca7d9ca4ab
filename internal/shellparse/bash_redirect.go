package shellparse

import (
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
		w.doubt("a redirection sets a variable")
	}
	if isDigits(w.text(r.Word)) && strings.ContainsRune("<>", w.after(r.Word)) {
		w.doubt("a number may belong to the redirection before it or behind it")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.document(r)
	case syntax.WordHdoc:
		w.expand(r.Word)
	case syntax.DplIn, syntax.DplOut:
		w.duplicate(r)
	case syntax.RdrIn:
		w.target(r.Word, false)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		w.target(r.Word, true)
	default:
		w.doubt("zsh has redirections of its own")
		w.target(r.Word, true)
	}
}

// document walks the text of a here-document.
func (w *walker) document(r *syntax.Redirect) {
	end, isQuoted := delimiter(r.Word)
	if end == "" {
		w.doubt("the end of a here-document is not plain")
	}
	if r.Hdoc == nil {
		return
	}
	if !isQuoted && strings.Contains(w.text(r.Hdoc), `\`+"\n") {
		w.doubt("a line of a here-document goes on in the next")
	}
	var s spelling
	for _, part := range r.Hdoc.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			w.expansion(&s, part, true)
		}
	}
}

// delimiter is the word that ends a here-document, and whether quotes keep its
// text as it is. It is empty if shells could differ about it.
func delimiter(word *syntax.Word) (end string, isQuoted bool) {
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

// duplicate checks that a redirection only copies or closes a descriptor.
func (w *walker) duplicate(r *syntax.Redirect) {
	to := r.Word.Lit()
	if to == "-" || to != "" && strings.Trim(to, "0123456789") == "" && w.text(r.Word) == to {
		return
	}
	w.doubt("a redirection to a descriptor may be one to a file")
	if a := w.single(r.Word); a.known && !a.glob && a.value != "" {
		w.opens(a.value, r.Op == syntax.DplOut)
	}
}

// target adds the file of a redirection.
func (w *walker) target(word *syntax.Word, write bool) {
	a := w.single(word)
	switch {
	case !a.known || a.glob:
		w.doubt("the target of a redirection cannot be known")
		return
	case strings.HasPrefix(a.value, "/dev/tcp/"), strings.HasPrefix(a.value, "/dev/udp/"):
		w.doubt("a redirection opens a connection")
	case strings.HasPrefix(a.source, "~"), strings.Contains(a.source, "$HOME"), strings.Contains(a.source, "${HOME}"):
		w.doubt("the target of a redirection is expanded")
	case a.value == "":
		w.doubt("the target of a redirection is empty")
		return
	case isSubstitution(word), w.streams(a.value, write):
		return
	}
	w.opens(a.value, write)
}

// opens adds a file that a redirection opens.
func (w *walker) opens(name string, write bool) {
	before := len(w.line.Paths)
	w.line.Paths = w.paths(w.line.Paths, name, Path{Write: write})
	w.deeds = append(w.deeds, deed{command: byRedirect, paths: w.line.Paths[before:len(w.line.Paths):len(w.line.Paths)]})
}

// isSubstitution reports whether a word is a process substitution and nothing
// else.
func isSubstitution(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	_, ok := word.Parts[0].(*syntax.ProcSubst)
	return ok
}

// streams reports whether a name stands for what a command holds open anyway. To
// open it again for writing opens the file behind it, whatever it was opened
// for: only the output streams of a line that leaves them alone are known.
func (w *walker) streams(name string, write bool) bool {
	switch {
	case !isStream(name):
		return false
	case !write || name == "/dev/null":
		return true
	}
	return name != "/dev/stdin" && !w.diverts()
}

// diverts reports whether any redirection of the line may put a file in the
// place of an output stream.
func (w *walker) diverts() bool {
	if w.root == nil {
		return true
	}
	found := false
	syntax.Walk(w.root, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok {
			found = found || diverted(r)
		}
		return !found
	})
	return found
}

// diverted reports whether a redirection may put a file in the place of an
// output stream.
func diverted(r *syntax.Redirect) bool {
	input := r.N == nil || r.N.Value == "0"
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
		return !input
	case syntax.DplOut:
		return !has("1 2", r.Word.Lit())
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		return !isStream(r.Word.Lit()) || r.Word.Lit() == "/dev/stdin"
	}
	return true
}

// feeds reports whether a redirection of a statement may become the standard
// input of its commands. The number of a descriptor does not count: another
// redirection may lead there.
func feeds(s *syntax.Stmt) bool {
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
		}
	}
	return false
}

// isExec reports whether a command may be exec, of which a redirection holds for
// all that follows: exec, also behind command and builtin, or a name in quotes.
func isExec(c syntax.Command) bool {
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
