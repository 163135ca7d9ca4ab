package shellparse

import "mvdan.cc/sh/v3/syntax"

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
