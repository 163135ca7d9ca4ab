package shell

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// programKinds are the programs that search, read or list, if they only read. A program
// with KindOther says nothing about the line that it is a part of.
var programKinds = map[string]pegboard.CallKind{
	"grep": pegboard.KindSearch, "egrep": pegboard.KindSearch, "fgrep": pegboard.KindSearch, "rg": pegboard.KindSearch,
	"find": pegboard.KindSearch, "fd": pegboard.KindSearch, "locate": pegboard.KindSearch, "which": pegboard.KindSearch,
	"whereis": pegboard.KindSearch, "git grep": pegboard.KindSearch, "select-string": pegboard.KindSearch, "findstr": pegboard.KindSearch,

	"cat": pegboard.KindRead, "head": pegboard.KindRead, "tail": pegboard.KindRead, "nl": pegboard.KindRead, "tac": pegboard.KindRead,
	"wc": pegboard.KindRead, "stat": pegboard.KindRead, "file": pegboard.KindRead, "strings": pegboard.KindRead, "jq": pegboard.KindRead,
	"cut": pegboard.KindRead, "sort": pegboard.KindRead, "uniq": pegboard.KindRead, "tr": pegboard.KindRead, "sed": pegboard.KindRead,
	"awk": pegboard.KindRead, "diff": pegboard.KindRead, "get-content": pegboard.KindRead, "select-object": pegboard.KindRead,

	"ls": pegboard.KindList, "tree": pegboard.KindList, "du": pegboard.KindList, "dir": pegboard.KindList, "get-childitem": pegboard.KindList,

	"cd": pegboard.KindOther, "echo": pegboard.KindOther, "printf": pegboard.KindOther, "true": pegboard.KindOther, ":": pegboard.KindOther,
}

// kindOf returns the kind of a line that only reads: that of its programs, if each of them
// searches, reads or lists.
func kindOf(line *shellparse.Line) pegboard.CallKind {
	kind := pegboard.KindOther
	for i := range line.Commands {
		own, known := programKinds[strings.ToLower(subcommandOf(line.Commands[i].Text))]
		switch {
		case !known:
			return pegboard.KindRun
		case own == pegboard.KindOther || kind == pegboard.KindSearch:
		case kind == pegboard.KindOther || own == pegboard.KindSearch:
			kind = own
		case kind != own: // it reads and lists
			kind = pegboard.KindRead
		}
	}
	if kind == pegboard.KindOther {
		return pegboard.KindRun
	}
	return kind
}
