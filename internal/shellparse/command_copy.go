package shellparse

import (
	"path"
	"strings"
)

// addTransfer adds the files that cp, mv, ln and install write. It returns the operands
// that are the sources; tree is set if these may be directories.
func (e *effect) addTransfer(p parsedArgs, tree bool) (from []arg) {
	from = p.operands
	into := p.flagValues("-t", "--target-directory")
	directory := len(into) > 0
	switch {
	case len(into) > 1:
		e.worsen(Unknown, "more than one directory to write into")
	case len(into) == 0 && len(from) > 1:
		into, from = from[len(from)-1:], from[:len(from)-1]
	}
	if len(from) == 0 || len(into) == 0 {
		e.worsen(Unknown, "it is not known what is written")
	}
	directory = directory || len(from) > 1
	parents, itself := p.hasFlag("--parents"), p.hasFlag("-T", "--no-target-directory")
	for _, to := range into {
		directory = directory || strings.HasSuffix(to.value, "/") || to.is(".", "..")
		f := file{arg: to, write: true, tree: parents || tree && (!directory || itself)}
		if len(from) == 1 && !parents {
			f.origin = originOf(from[0])
		}
		e.files = append(e.files, f)
		if to.known && !to.glob && !itself {
			e.addInto(to, from, tree, parents)
		}
	}
	return from
}

// addCopied adds sources whose names are used again in the destination.
func (e *effect) addCopied(from []arg, tree bool) {
	for _, a := range from {
		e.files = append(e.files, file{arg: a, tree: tree, copiesNames: true})
	}
}

// addInto adds the files that are written if dir is a directory. If it is not, these
// paths do not exist and do no harm. parents is set if the sources keep the names of
// their directories.
func (e *effect) addInto(dir arg, from []arg, tree, parents bool) {
	for _, a := range from {
		if !a.known {
			continue // an unknown source makes the line unknown in any case
		}
		name, to, origin := path.Base(strings.TrimRight(a.value, "/")), dir.value, originOf(a)
		if parents {
			name = strings.TrimLeft(a.value, "/")
		}
		if a.glob {
			to = escapeGlob(to)
		}
		to = strings.TrimSuffix(to, "/") + "/" + name
		e.files = append(e.files, file{arg: arg{value: to, known: true, glob: a.glob, source: dir.source}, write: true, tree: tree, origin: origin})
	}
}

// originOf returns the name of a file that is copied or moved, or "" if the line does not
// spell it.
func originOf(a arg) string {
	if !a.known || a.glob {
		return ""
	}
	return a.value
}

func mvEffect(p parsedArgs, e *effect) {
	for _, a := range e.addTransfer(p, true) {
		e.files = append(e.files, file{arg: a, write: true, tree: true, inPlace: true})
	}
}

func cpEffect(p parsedArgs, e *effect) {
	tree := p.hasFlag("-r", "-R", "-a", "--recursive", "--archive")
	if tree && p.hasFlag("-L", "--dereference") {
		e.worsen(Unknown, "cp follows the links in a directory")
	}
	from := e.addTransfer(p, tree)
	for i := range e.files {
		e.files[i].followsLinks = e.files[i].tree
	}
	e.addCopied(from, tree)
}

func lnEffect(p parsedArgs, e *effect) {
	if len(p.operands) == 1 && !p.hasFlag("-t", "--target-directory") {
		p.operands = append(p.operands[:1:1], literalArg("."))
	}
	e.addCopied(e.addTransfer(p, false), false)
}

func installEffect(p parsedArgs, e *effect) {
	if p.hasFlag("-d", "--directory") {
		e.addWrite(p.operands...)
		return
	}
	e.addCopied(e.addTransfer(p, false), false)
}

// ddEffect parses the operands of dd, each a name and a value.
func ddEffect(args []arg) effect {
	var e effect
	for _, a := range args {
		name, value, ok := strings.Cut(a.value, "=")
		a.value = value
		switch {
		case !ok || !a.isLiteral():
			e.worsen(Unknown, a.source+" is no operand that dd is known to have")
		case name == "if":
			e.addRead(a)
		case name == "of":
			e.worsen(Mutating, "dd writes a file")
			e.addWrite(a)
		case !has("bs cbs conv count ibs iflag iseek obs oflag oseek seek skip status", name):
			e.worsen(Unknown, "dd "+name+" is not known")
		}
	}
	return e
}
