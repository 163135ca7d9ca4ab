package shellparse

import (
	"path"
	"slices"
	"strings"
)

// gitPatches are flags with which a list of commits shows what is in files.
var gitPatches = []string{"-p", "-u", "--patch", "-U", "--unified", "-W", "--function-context", "-c", "--cc", "-m", "--word-diff",
	"--color-words", "--patch-with-stat", "--patch-with-raw", "--binary", "--full-diff"}

// gitFiles lists the files that a read-only command is told of. What lies in
// the repository is content of the repository: only deny and ask rules see it.
// What the history of all files holds is not listed: a rule about one of them
// would be about every log.
func gitFiles(w gitWords, form gitForm, dir string) []file {
	var files []file
	if dir != "" {
		files = append(files, file{arg: arg{value: dir, known: true, source: dir}, tree: true})
	}
	for _, a := range w.reads {
		files = append(files, file{arg: gitPlace(a, dir)})
	}
	for _, a := range w.shown {
		files = append(files, file{arg: gitPlace(a, dir), maybe: true})
	}
	operands := w.operands
	if form.bare && len(operands) > 0 && !w.has("-e", "-f") {
		operands = operands[1:]
	}
	shows := form.shows || form.patches && w.has(gitPatches...)
	all := form.here
	for i, a := range slices.Concat(operands, w.paths) {
		name := gitPathspec(a.value)
		tree := shows && (form.here || path.Clean(name) != ".")
		if form.opens || leadsOut(a.value) {
			files = append(files, file{arg: gitPlace(a, dir), tree: tree})
		}
		all = all && (name == "" || strings.HasPrefix(a.value, ":") || i < len(operands) && isRevision(a.value))
		if name == "" || name == a.value && (form.opens || leadsOut(a.value)) {
			continue
		}
		a.value = name
		a.glob = a.glob || strings.ContainsAny(name, "*?[")
		if a.glob && form.here {
			a, tree = a.folder(), true
		}
		files = append(files, file{arg: gitPlace(a, dir), maybe: true, tree: tree})
	}
	if all {
		files = append(files, gitAll(dir))
	}
	return files
}

// gitWhole are the files that a subcommand may show of which it is not known what
// it is told.
func gitWhole(name, dir string) []file {
	if name != "grep" && name != "archive" {
		return nil
	}
	return []file{gitAll(dir)}
}

// gitAll is all that lies in the directory where git starts.
func gitAll(dir string) file {
	return file{arg: gitPlace(word("."), dir), maybe: true, tree: true}
}

// folder is the directory that all files lie in which a pattern of git matches: its
// wildcards match slashes, too.
func (a arg) folder() arg {
	name := a.value[:max(strings.IndexAny(a.value, `*?[\`), 0)]
	a.value, a.glob = name[:strings.LastIndexByte(name, '/')+1]+".", false
	return a
}

// isRevision reports whether an operand is more likely a commit than a file.
func isRevision(name string) bool {
	isHash := len(name) >= 7 && strings.Trim(name, "0123456789abcdef") == ""
	return isHash || has("HEAD main master", name) || strings.ContainsAny(name, "~^@") || strings.HasPrefix(name, "origin/")
}
