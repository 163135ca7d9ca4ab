package gitrepo

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// partsOfRepository are the files and directories that make a directory a repository, or
// make git run programs in it. Source: gitrepository-layout(5).
var partsOfRepository = []string{"HEAD", "commondir", "config", "config.worktree", "hooks", "info", "objects", "refs"}

// Trusted returns why git would run or trust a file that is written, as the end of the
// sentence "it would write the file, which": because it lies in the directory of hooks
// that a repository or the user has set, or because it makes a directory a repository
// without a .git. It is empty if no reason is found. The file is absolute and without
// links; home is the home directory or empty; made reports whether the same call makes a
// file.
func Trusted(file, home string, made func(name string) bool) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	for at, name := filepath.Dir(file), filepath.Base(file); ; at, name = filepath.Dir(at), filepath.Base(at) {
		if slices.Contains(partsOfRepository, name) && wouldBeRepository(at, name, made) {
			return "makes " + at + " a repository, from which git takes programs that it runs"
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	for at := filepath.Dir(file); ; at = filepath.Dir(at) {
		folder, err := folderOf(at)
		if err != nil {
			return ""
		}
		if folder != "" && isHook(file, at, folder, home) {
			return "is a hook that git runs, since core.hooksPath names its directory"
		}
		if folder != "" && isCertainlyRepository(folder) || filepath.Dir(at) == at {
			return ""
		}
	}
}

// wouldBeRepository reports whether a version of git might accept a directory as a
// repository once it has a part of that name.
func wouldBeRepository(at, name string, made func(string) bool) bool {
	has := func(part string) bool {
		part = filepath.Join(at, part)
		return exists(part) || made(part)
	}
	if name != "HEAD" && !has("HEAD") {
		return false
	}
	return slices.ContainsFunc([]string{"objects", "refs", "commondir"}, func(part string) bool { return part == name || has(part) })
}

// isHook reports whether a file lies in a directory of hooks that is set for the
// repository whose files are in tree.
func isHook(file, tree, folder, home string) bool {
	shared, err := sharedFolder(folder)
	if err != nil {
		return false
	}
	entries, err := configuration(shared, folder)
	if err != nil {
		return false
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
		if filepath.Dir(file) == dir || dir != tree && realpath.Contains(dir, file) {
			return true
		}
	}
	return false
}
