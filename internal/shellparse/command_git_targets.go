package shellparse

import (
	"path"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

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
	var whole bool // without operands, all files change
	switch name {
	case "hash-object":
		return gitOperandFiles(args, dir, file{guess: true})
	case "apply":
		files := gitOperandFiles(args, dir, file{guess: true})
		return append(files, gitOperandFiles(nil, dir, file{guess: true, write: true, tree: true}, literalArg("."))...)
	case "rm", "mv", "restore":
		return gitNamedFiles(gitOperands(args, gitValuedFlags[name]), dir)
	case "checkout":
		if flag("-b -B --orphan") {
			return nil
		}
		if named := gitCheckedOut(args); len(named) > 0 {
			return gitNamedFiles(named, dir)
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

// gitCheckedOut returns the operands of git checkout that surely are files: those after
// "--", those after a commit, and one that no branch can have for its name.
func gitCheckedOut(args []arg) []arg {
	for i, a := range args {
		if a.is("--") {
			return args[i+1:]
		}
	}
	operands := gitOperands(args, gitValuedFlags["checkout"])
	if len(operands) == 1 {
		name := operands[0].value
		_, protected := pattern.Protected(pattern.Linux, "/"+name)
		if protected || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
			return operands
		}
	}
	return operands[min(1, len(operands)):]
}

// gitNamedFiles returns the files that a pathspec surely names. What a pattern may match is
// a guess, and so is a whole tree, in which git changes what it tracks and not its own
// directory.
func gitNamedFiles(args []arg, dir string) []file {
	var files []file
	for _, a := range args {
		name := pathspecPath(a.value)
		f := file{write: true, tree: true, guess: name != a.value || strings.ContainsAny(name, "*?[") || a.known && mayBeTree(name)}
		if a.known {
			a.value = name
			a.glob = a.glob || f.guess && strings.ContainsAny(name, "*?[")
		}
		f.arg = gitInDir(a, dir)
		files = append(files, f)
	}
	return files
}

// mayBeTree reports whether a path is a directory above others for its name alone.
func mayBeTree(name string) bool {
	name = path.Clean(name)
	return name == "." || path.Base(name) == ".."
}
