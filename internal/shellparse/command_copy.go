package shellparse

import (
	"path"
	"strings"
)

// transfer adds what cp, mv and their like write, and returns the operands that
// they take it from. tree says that these may be directories.
func (u *use) transfer(g given, tree bool) (from []arg) {
	from = g.operands
	into := g.values("-t", "--target-directory")
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
	parents, itself := g.has("--parents"), g.has("-T", "--no-target-directory")
	for _, to := range into {
		directory = directory || strings.HasSuffix(to.value, "/") || to.is(".", "..")
		u.files = append(u.files, file{arg: to, write: true, tree: parents || tree && (!directory || itself)})
		if to.known && !to.glob && !itself {
			u.into(to, from, tree, parents)
		}
	}
	return from
}

// copied adds operands whose names come up again where they are copied to.
func (u *use) copied(from []arg, tree bool) {
	for _, a := range from {
		u.files = append(u.files, file{arg: a, tree: tree, copied: true})
	}
}

// into adds the files that are written if an operand is a directory. Where it is
// none they are no files, and do no harm. parents says that they keep the names of
// the directories they lie in.
func (u *use) into(dir arg, from []arg, tree, parents bool) {
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

func mvUse(g given, u *use) {
	for _, a := range u.transfer(g, true) {
		u.files = append(u.files, file{arg: a, write: true, tree: true})
	}
}

func cpUse(g given, u *use) {
	tree := g.has("-r", "-R", "-a", "--recursive", "--archive")
	if tree && g.has("-L", "--dereference") {
		u.worsen(Unknown, "cp follows the links in a directory")
	}
	from := u.transfer(g, tree)
	for i := range u.files {
		u.files[i].copied = u.files[i].tree
	}
	u.copied(from, tree)
}

func lnUse(g given, u *use) {
	if len(g.operands) == 1 && !g.has("-t", "--target-directory") {
		g.operands = append(g.operands[:1:1], word("."))
	}
	u.copied(u.transfer(g, false), false)
}

func installUse(g given, u *use) {
	if g.has("-d", "--directory") {
		u.write(g.operands...)
		return
	}
	u.copied(u.transfer(g, false), false)
}

// ddUse reads the operands of dd, each a name and a value.
func ddUse(args []arg) use {
	var u use
	for _, a := range args {
		name, value, ok := strings.Cut(a.value, "=")
		a.value = value
		switch {
		case !ok || !a.exact():
			u.worsen(Unknown, a.source+" is no operand that dd is known to have")
		case name == "if":
			u.read(a)
		case name == "of":
			u.worsen(Mutating, "dd writes a file")
			u.write(a)
		case !has("bs cbs conv count ibs iflag iseek obs oflag oseek seek skip status", name):
			u.worsen(Unknown, "dd "+name+" is not known")
		}
	}
	return u
}
