package shellparse

import (
	"path"
	"strings"
)

// addTransfer adds what cp, mv and their like write, and returns the operands that
// they take it from. tree says that these may be directories.
func (u *effect) addTransfer(g parsedArgs, tree bool) (from []arg) {
	from = g.operands
	into := g.flagValues("-t", "--target-directory")
	directory := len(into) > 0
	switch {
	case len(into) > 1:
		u.worsen(Unknown, "more than one directory to write into")
	case len(into) == 0 && len(from) > 1:
		into, from = from[len(from)-1:], from[:len(from)-1]
	}
	if len(from) == 0 || len(into) == 0 {
		u.worsen(Unknown, "it is not known what is written")
	}
	directory = directory || len(from) > 1
	parents, itself := g.hasFlag("--parents"), g.hasFlag("-T", "--no-target-directory")
	for _, to := range into {
		directory = directory || strings.HasSuffix(to.value, "/") || to.is(".", "..")
		u.files = append(u.files, file{arg: to, write: true, tree: parents || tree && (!directory || itself)})
		if to.known && !to.glob && !itself {
			u.addInto(to, from, tree, parents)
		}
	}
	return from
}

// addCopied adds operands whose names come up again where they are copied to.
func (u *effect) addCopied(from []arg, tree bool) {
	for _, a := range from {
		u.files = append(u.files, file{arg: a, tree: tree, copied: true})
	}
}

// addInto adds the files that are written if an operand is a directory. Where it is
// none they are no files, and do no harm. parents says that they keep the names of
// the directories they lie in.
func (u *effect) addInto(dir arg, from []arg, tree, parents bool) {
	for _, a := range from {
		if !a.known {
			continue // it makes everything unknown as it is
		}
		name, to := path.Base(strings.TrimRight(a.value, "/")), dir.value
		if parents {
			name = strings.TrimLeft(a.value, "/")
		}
		if a.glob {
			to = escapeGlob(to)
		}
		to = strings.TrimSuffix(to, "/") + "/" + name
		u.files = append(u.files, file{arg: arg{value: to, known: true, glob: a.glob, source: dir.source}, write: true, tree: tree})
	}
}

func mvEffect(g parsedArgs, u *effect) {
	for _, a := range u.addTransfer(g, true) {
		u.files = append(u.files, file{arg: a, write: true, tree: true})
	}
}

func cpEffect(g parsedArgs, u *effect) {
	tree := g.hasFlag("-r", "-R", "-a", "--recursive", "--archive")
	if tree && g.hasFlag("-L", "--dereference") {
		u.worsen(Unknown, "cp follows the links in a directory")
	}
	from := u.addTransfer(g, tree)
	for i := range u.files {
		u.files[i].copied = u.files[i].tree
	}
	u.addCopied(from, tree)
}

func lnEffect(g parsedArgs, u *effect) {
	if len(g.operands) == 1 && !g.hasFlag("-t", "--target-directory") {
		g.operands = append(g.operands[:1:1], literalArg("."))
	}
	u.addCopied(u.addTransfer(g, false), false)
}

func installEffect(g parsedArgs, u *effect) {
	if g.hasFlag("-d", "--directory") {
		u.addWrite(g.operands...)
		return
	}
	u.addCopied(u.addTransfer(g, false), false)
}

// ddEffect reads the operands of dd, each a name and a value.
func ddEffect(args []arg) effect {
	var u effect
	for _, a := range args {
		name, value, ok := strings.Cut(a.value, "=")
		a.value = value
		switch {
		case !ok || !a.isLiteral():
			u.worsen(Unknown, a.source+" is no operand that dd is known to have")
		case name == "if":
			u.addRead(a)
		case name == "of":
			u.worsen(Mutating, "dd writes a file")
			u.addWrite(a)
		case !has("bs cbs conv count ibs iflag iseek obs oflag oseek seek skip status", name):
			u.worsen(Unknown, "dd "+name+" is not known")
		}
	}
	return u
}
