package shellparse

import "strings"

// gitOutputs adds what flags of a command that otherwise reads make it write or
// run. No wildcard is to cover that.
func (u *use) gitOutputs(args []arg, dir string) {
	for i, a := range args {
		name, value, glued := strings.Cut(a.value, "=")
		switch {
		case !a.known || a.value == "--":
		case abbreviates(name, "--output"):
			u.exact = true
			a.value = value
			if !glued && i+1 < len(args) {
				a = args[i+1]
			}
			u.write(gitPlace(a, dir))
		case abbreviates(name, "--ext-diff"), abbreviates(name, "--textconv"), abbreviates(name, "--open-files-in-pager"),
			strings.HasPrefix(name, "-O"):
			u.exact = true
		}
	}
}

// abbreviates reports whether git may take a name for that of a flag.
func abbreviates(name, flag string) bool {
	return len(name) >= len("--xx") && strings.HasPrefix(flag, name)
}

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
