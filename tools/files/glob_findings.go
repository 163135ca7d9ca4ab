package files

import (
	"os"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// globFindings are what a search found, in no particular order.
type globFindings struct {
	files      []globMatch
	dirs       []string // absolute paths of directories to be shown
	otherDirs  []string // absolute paths of directories to be shown if there is nothing else
	links      []string // absolute paths of symbolic links to be shown
	otherLinks []string
	unreadable int
	notes      []string // for the model
}

// add adds the findings of another walk.
func (f *globFindings) add(g *globFindings) {
	f.files = append(f.files, g.files...)
	f.dirs, f.otherDirs = append(f.dirs, g.dirs...), append(f.otherDirs, g.otherDirs...)
	f.links, f.otherLinks = append(f.links, g.links...), append(f.otherLinks, g.otherLinks...)
}

// addFile adds the file t, if it is a regular file.
func (f *globFindings) addFile(c *pegboard.Call, t pegboard.Target) error {
	file, err := realpath.Open(t.Real())
	if err != nil {
		f.notes = append(f.notes, readError(c, t, err).Error())
		return nil
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return readError(c, t, err)
	}
	f.files = append(f.files, globMatch{dir: t.Value, changed: info.ModTime().UnixMicro()})
	return nil
}

// compact drops what was found several times, by searches in directories of which one
// holds the other.
func (f *globFindings) compact() {
	seen := make(map[string]bool, len(f.files))
	f.files = slices.DeleteFunc(f.files, func(m globMatch) bool {
		path := m.path()
		was := seen[path]
		seen[path] = true
		return was
	})
	for _, paths := range []*[]string{&f.dirs, &f.otherDirs, &f.links, &f.otherLinks} {
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
}

// hasFile reports whether the file at an absolute path was found.
func (f *globFindings) hasFile(path string) bool {
	return slices.ContainsFunc(f.files, func(m globMatch) bool { return m.path() == path })
}

// shownDirs returns the directories to show, by name.
func (f *globFindings) shownDirs() []string { return f.orElse(f.dirs, f.otherDirs) }

// shownLinks returns the symbolic links to show, by name.
func (f *globFindings) shownLinks() []string { return f.orElse(f.links, f.otherLinks) }

// orElse returns paths, and others if nothing else was found.
func (f *globFindings) orElse(paths, others []string) []string {
	if len(f.files) == 0 && len(f.dirs) == 0 {
		paths = slices.Concat(paths, others)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// withSlash returns the path of a directory with a slash at its end.
func withSlash(path string) string {
	if strings.HasSuffix(path, string(os.PathSeparator)) {
		return path
	}
	return path + string(os.PathSeparator)
}
