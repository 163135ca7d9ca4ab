package gitrepo

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// partsOfRepository are the files and directories that make a directory a repository, or
// make git run programs in it. Source: gitrepository-layout(5).
var partsOfRepository = []string{"HEAD", "commondir", "config", "config.worktree", "hooks", "info", "objects", "refs"}

// Writes are the files that one call writes; [NewWrites] makes them. Their methods remember the
// settings of repositories that they have read, and may not be called at the same time.
type Writes struct {
	home    string
	written map[string]bool       // the files, and the directories above them
	hooks   map[string][]hooksDir // by the directory in which a file lies, or one above
}

// NewWrites returns the files, which are absolute and without links. home is the home
// directory or empty.
func NewWrites(home string, files iter.Seq[string]) *Writes {
	w := &Writes{home: home, written: map[string]bool{}, hooks: map[string][]hooksDir{}}
	for file := range files {
		for !w.written[file] {
			w.written[file] = true
			file = filepath.Dir(file)
		}
	}
	return w
}

// Trusted returns why git would run or trust one of the files, as the end of the sentence
// "it would write the file, which": because it lies in the directory of hooks that a
// repository or the user has set, or because it makes a directory a repository without a
// .git. It is empty if no reason is found.
func (w *Writes) Trusted(file string) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Dir(file)
	for at, name := dir, filepath.Base(file); ; at, name = filepath.Dir(at), filepath.Base(at) {
		if slices.Contains(partsOfRepository, name) && w.wouldBeRepository(at, name) {
			return "makes " + at + " a repository, from which git takes programs that it runs"
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if slices.ContainsFunc(w.hooksAbove(dir), func(h hooksDir) bool { return dir == h.path || !h.isTree && realpath.Contains(h.path, file) }) {
		return "is a hook that git runs, since core.hooksPath names its directory"
	}
	return ""
}

// wouldBeRepository reports whether a version of git might accept a directory as a
// repository once it has a part of that name.
func (w *Writes) wouldBeRepository(at, name string) bool {
	has := func(part string) bool {
		part = filepath.Join(at, part)
		return w.written[part] || exists(part)
	}
	if name != "HEAD" && !has("HEAD") {
		return false
	}
	return slices.ContainsFunc([]string{"objects", "refs", "commondir"}, func(part string) bool { return part == name || has(part) })
}

// A hooksDir is a directory of hooks that a setting names.
type hooksDir struct {
	path   string
	isTree bool // it is the tree of the repository: files in its subdirectories are no hooks
}

// hooksAbove returns the directories of hooks of the repositories that dir may be in.
func (w *Writes) hooksAbove(dir string) []hooksDir {
	dirs, known := w.hooks[dir]
	if known {
		return dirs
	}
	if folder, err := folderOf(dir); err == nil {
		if folder != "" {
			dirs = hooksOf(dir, folder, w.home)
		}
		if up := filepath.Dir(dir); up != dir && (folder == "" || !isCertainlyRepository(folder)) {
			dirs = append(dirs, w.hooksAbove(up)...)
		}
	}
	w.hooks[dir] = dirs
	return dirs
}

// hooksOf returns the directories of hooks that are set for the repository whose files are in
// tree.
func hooksOf(tree, folder, home string) (dirs []hooksDir) {
	shared, err := sharedFolder(folder)
	if err != nil {
		return nil
	}
	entries, err := configuration(shared, folder)
	if err != nil {
		return nil
	}
	if own, err := settingsOf(userFiles(home)); err == nil {
		entries = append(entries, own...)
	}
	for _, s := range entries {
		if s.key != "core.hookspath" || s.value == "" {
			continue
		}
		dir := filepath.FromSlash(s.value)
		if rest, ok := strings.CutPrefix(s.value, "~/"); ok && home != "" {
			dir = filepath.Join(home, rest)
		}
		dir = realpath.Resolve(join(tree, dir))
		dirs = append(dirs, hooksDir{path: dir, isTree: dir == tree})
	}
	return dirs
}
