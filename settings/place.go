package settings

import (
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Plugin is a directory of files that another author offers under a name, such as agents.
type Plugin struct {
	Name string // without ":"
	Dir  string // an absolute path
}

// A place is a directory of agents, skills or the like.
type place struct {
	source  policy.Source
	path    string
	plugin  string // the name of its plugin, or ""
	trusted bool
}

// managed reports whether the place is one of the system's administrator.
func (p place) managed() bool { return p.source == policy.SourceManaged }

// places returns the directories called name of all places, from the highest precedence to the
// lowest: managed, from the session's directory up to the project's, the directories of
// --add-dir, the user's, those of plugins. In a project and in the home directory they are
// looked for in .claude, and then in the folders besides. Each directory is there once, and those
// that are missing are there, too.
func (f Files) places(name string, plugins []Plugin, besides ...string) (all []place) {
	folders := append([]string{folder}, besides...)
	seen := map[string]bool{}
	add := func(source policy.Source, path, plugin string, trusted bool) {
		if real := realpath.Resolve(path); !seen[real] {
			seen[real] = true
			all = append(all, place{source: source, path: path, plugin: plugin, trusted: trusted})
		}
	}
	for _, path := range slices.Backward(f.Managed) {
		add(policy.SourceManaged, filepath.Join(filepath.Dir(path), folder, name), "", true)
	}
	dir, home, err := f.sessionDirs()
	if f.User != "" { // before the project, which may be around the home directory
		seen[realpath.Resolve(filepath.Join(filepath.Dir(f.User), name))] = true
	}
	if err == nil {
		for _, d := range f.projectDirs(dir, home) {
			for _, in := range folders {
				add(policy.SourceProject, filepath.Join(d, in, name), "", f.Trusted)
			}
		}
		for _, d := range f.Flags.Dirs {
			if d != "" && !filepath.IsAbs(d) {
				d = filepath.Join(dir, d)
			}
			if d != "" {
				add(policy.SourceCLI, filepath.Join(d, folder, name), "", f.Trusted)
			}
		}
	}
	if f.User != "" {
		all = append(all, place{source: policy.SourceUser, path: filepath.Join(filepath.Dir(f.User), name), trusted: true})
	}
	for _, in := range besides {
		if home != "" {
			add(policy.SourceUser, filepath.Join(home, in, name), "", true)
		}
	}
	for _, p := range plugins {
		add(policy.SourceUser, filepath.Join(p.Dir, name), p.Name, true)
	}
	return all
}

// projectDirs returns the directories from dir up to that of the project, both included, or dir
// alone if the project is not around it. The home directory is not among them.
func (f Files) projectDirs(dir, home string) (all []string) {
	root := f.projectDir()
	for d := dir; ; d = filepath.Dir(d) {
		all = append(all, d)
		if sameDir(d, root) {
			break
		}
		if filepath.Dir(d) == d {
			all = all[:1]
			break
		}
	}
	return slices.DeleteFunc(all, func(d string) bool { return sameDir(d, home) })
}
