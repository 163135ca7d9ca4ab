package shellparse

import "strings"

// gitTargets are the files that a command of git changes in the working tree, as
// far as its words tell: those of a pathspec, or all.
func gitTargets(name string, args []arg, dir string) []file {
	name, sub, _ := strings.Cut(name, " ")
	flag := func(names string) bool {
		for _, a := range args {
			if a.known && has(names, a.value) {
				return true
			}
		}
		return false
	}
	if len(args) > 0 && name == "stash" && sub == "" {
		sub = args[0].value
	}
	whole := false // all files, if there is no operand
	switch name {
	case "hash-object":
		return gitOperands(args, dir, file{maybe: true})
	case "apply":
		files := gitOperands(args, dir, file{maybe: true})
		return append(files, gitOperands(nil, dir, file{maybe: true, write: true, tree: true}, word("."))...)
	case "rm", "mv", "restore":
	case "checkout":
		if flag("-b -B --orphan") {
			return nil
		}
		whole = flag("-f --force")
	case "clean":
		whole = true
	case "stash":
		if has("drop clear create store branch list show", sub) {
			return nil
		}
		if has("push save pop apply", sub) {
			args = args[1:]
		}
		whole = true
	case "reset":
		if !flag("--hard --merge --keep") {
			return nil
		}
		args, whole = nil, true
	default:
		return nil
	}
	files := gitOperands(args, dir, file{maybe: true, write: true, tree: true})
	if len(files) == 0 && whole {
		files = gitOperands(nil, dir, file{maybe: true, write: true, tree: true}, word("."))
	}
	return files
}

// gitOperands are the words that are no flags, as files like another.
func gitOperands(args []arg, dir string, like file, more ...arg) []file {
	var files []file
	flags := true
	for _, a := range append(args[:len(args):len(args)], more...) {
		switch {
		case !a.known:
		case flags && a.value == "--":
			flags = false
		case flags && strings.HasPrefix(a.value, "-"):
		default:
			a.value = gitPathspec(a.value)
			a.glob = a.glob || strings.ContainsAny(a.value, "*?[")
			f := like
			f.arg = gitPlace(a, dir)
			files = append(files, f)
		}
	}
	return files
}
