package shellparse

import "strings"

// gitChangedFiles returns the files in the working tree that a subcommand changes, as
// far as its words tell: those of a pathspec, or all.
func gitChangedFiles(name string, args []arg, dir string) []file {
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
	whole := false // without operands, all files change
	switch name {
	case "hash-object":
		return gitOperandFiles(args, dir, file{guess: true})
	case "apply":
		files := gitOperandFiles(args, dir, file{guess: true})
		return append(files, gitOperandFiles(nil, dir, file{guess: true, write: true, tree: true}, literalArg("."))...)
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
	files := gitOperandFiles(args, dir, file{guess: true, write: true, tree: true})
	if len(files) == 0 && whole {
		files = gitOperandFiles(nil, dir, file{guess: true, write: true, tree: true}, literalArg("."))
	}
	return files
}

// gitOperandFiles returns the words that are not flags as files with the other fields
// of like.
func gitOperandFiles(args []arg, dir string, like file, more ...arg) []file {
	var files []file
	flags := true
	for _, a := range append(args[:len(args):len(args)], more...) {
		switch {
		case !a.known:
		case flags && a.value == "--":
			flags = false
		case flags && strings.HasPrefix(a.value, "-"):
		default:
			a.value = pathspecPath(a.value)
			a.glob = a.glob || strings.ContainsAny(a.value, "*?[")
			f := like
			f.arg = gitInDir(a, dir)
			files = append(files, f)
		}
	}
	return files
}
