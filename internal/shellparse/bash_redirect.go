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
