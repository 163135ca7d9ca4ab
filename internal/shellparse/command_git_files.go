package shellparse

import (
	"path"
	"slices"
	"strings"
)

// gitPatchFlags are flags with which a list of commits shows the content of files.
var gitPatchFlags = []string{"-p", "-u", "--patch", "-U", "--unified", "-W", "--function-context", "-c", "--cc", "-m", "--word-diff",
	"--color-words", "--patch-with-stat", "--patch-with-raw", "--binary", "--full-diff"}

// gitReadFiles returns the files that the words of a read-only subcommand name. Those
// in the repository are guesses, which only deny and ask rules see. Files in the
// history are not listed when all of it is shown: otherwise a rule for one file would
// apply to every log.
func gitReadFiles(w gitWords, form gitForm, dir string) []file {
	var files []file
	if dir != "" {
		files = append(files, file{arg: arg{value: dir, known: true, source: dir}, tree: true})
	}
	for _, a := range w.readFiles {
		files = append(files, file{arg: gitInDir(a, dir)})
	}
	for _, a := range w.shownFiles {
		files = append(files, file{arg: gitInDir(a, dir), guess: true})
	}
	operands := w.operands
	if form.firstIsName && len(operands) > 0 && !w.has("-e", "-f") {
		operands = operands[1:]
	}
	shows := form.showsContent || form.showsPatches && w.has(gitPatchFlags...)
	all, more := form.defaultsToDir, w.has(form.otherFiles...)
	for i, a := range slices.Concat(operands, w.paths) {
		name := pathspecPath(a.value)
		more = more || matchesAnyCase(a.value)
		tree := shows && (form.defaultsToDir || path.Clean(name) != ".")
		if form.operandsAreFiles || mayLeaveDir(a.value) {
			files = append(files, file{arg: gitInDir(a, dir), tree: tree})
		}
		all = all && (name == "" || strings.HasPrefix(a.value, ":") || i < len(operands) && looksLikeRevision(a.value))
		if name == "" || name == a.value && (form.operandsAreFiles || mayLeaveDir(a.value)) {
			continue
		}
		a.value = name
		a.glob = a.glob || strings.ContainsAny(name, "*?[")
		if a.glob && form.defaultsToDir {
			a, tree = a.globDir(), true
		}
		files = append(files, file{arg: gitInDir(a, dir), guess: true, tree: tree})
	}
	if all || more {
		files = append(files, gitAllFiles(dir))
	}
	return files
}

// matchesAnyCase reports whether a pathspec matches files by more than their names as
// they are written. Source: gitglossary(7), pathspec.
func matchesAnyCase(pathspec string) bool {
	magic, _, found := strings.Cut(pathspec, ")")
	return found && strings.HasPrefix(magic, ":(") && (strings.Contains(magic, "icase") || strings.Contains(magic, "attr:"))
}

// gitUnknownFiles returns the files that a subcommand with unknown words may show.
func gitUnknownFiles(name, dir string) []file {
	if !has("archive checkout-index difftool fast-export grep", name) {
		return nil
	}
	return []file{gitAllFiles(dir)}
}

// gitInputFiles returns the files that a subcommand reads into the repository, which
// shows them from then on: those that its words name, and all if its input names them.
func gitInputFiles(name string, args []arg, dir string) []file {
	var files []file
	if has("add stage commit update-index hash-object am", name) {
		for _, a := range gitOperands(args, gitValuedFlags[name]) {
			if !mayBeTree(a.value) && !strings.HasPrefix(a.value, "-") {
				files = append(files, gitOperandFiles([]arg{a}, dir, file{guess: true})...)
			}
		}
	}
	for i, a := range args {
		flag, value, attached := strings.Cut(a.value, "=")
		v := a.withValue(value)
		switch {
		case !a.isLiteral() || !strings.HasPrefix(flag, "-"):
			continue
		case has("--pathspec-from-file --stdin-paths --index-info --stdin", longGitFlag("--pathspec-from-file --stdin-paths --index-info --stdin", flag)):
			files = append(files, gitAllFiles(dir))
		case has("add stage", name) && (strings.HasPrefix(flag, "--f") || !strings.HasPrefix(flag, "--") && strings.Contains(flag, "f")):
			files = append(files, gitOperandFiles(args, dir, file{guess: true, tree: true})...)
			continue
		}
		if strings.HasPrefix(a.value, "-F") && len(a.value) > 2 {
			flag, v, attached = "-F", a.withValue(a.value[2:]), true
		}
		if !attached && i+1 < len(args) {
			v = args[i+1]
		}
		if has("-F -t --file --template --pathspec-from-file", longGitFlag("--file --template --pathspec-from-file", flag)) && v.isLiteral() {
			files = append(files, file{arg: gitInDir(v, dir), guess: true})
		}
	}
	return files
}

// gitAllFiles returns the tree in which git starts.
func gitAllFiles(dir string) file {
	return file{arg: gitInDir(literalArg("."), dir), guess: true, tree: true}
}

// globDir returns the directory that holds all files matching a pattern of git, whose
// wildcards also match slashes.
func (a arg) globDir() arg {
	name := a.value[:max(strings.IndexAny(a.value, `*?[\`), 0)]
	a.value, a.glob = name[:strings.LastIndexByte(name, '/')+1]+".", false
	return a
}

// looksLikeRevision reports whether an operand is more likely a commit than a file.
func looksLikeRevision(name string) bool {
	isHash := len(name) >= 7 && strings.Trim(name, "0123456789abcdef") == ""
	return isHash || has("HEAD main master", name) || strings.ContainsAny(name, "~^@") || strings.HasPrefix(name, "origin/")
}

// gitComparedTrees returns what git diff --no-index compares, with all files below.
func gitComparedTrees(name string, args []arg, dir string) []file {
	if name != "diff" || !slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "--no-i") }) {
		return nil
	}
	var files []file
	for _, a := range args {
		if a.known && a.value != "" && !strings.HasPrefix(a.value, "-") {
			files = append(files, file{arg: gitInDir(a, dir), tree: true})
		}
	}
	return files
}
