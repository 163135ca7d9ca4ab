package shellparse

import (
	"strings"
)

// files adds the files of a command.
func (w *walker) files(c *Command, files []file) {
	for _, f := range files {
		switch {
		case f.known && f.value == "", f.known && !f.glob && w.streams(f.value, f.write), f.known && f.isProcess():
		case !f.known:
			if !f.maybe {
				w.doubt("a file cannot be known")
			}
		default:
			c.Paths = w.paths(c.Paths, f.value, Path{Write: f.write, Tree: f.tree, Glob: f.glob, Maybe: f.maybe, Copied: f.copied})
		}
	}
}

// paths appends the files that a name may mean here, like a template.
func (w *walker) paths(list []Path, name string, like Path) []Path {
	dirs := w.at.dirs
	switch {
	case strings.HasPrefix(name, "/"):
		like.Name = name
		w.ownProcess(like)
		return append(list, like)
	case len(dirs) == 0:
		if !like.Maybe {
			w.doubt("the directory is not known when the line names the file " + name)
		}
		like.Name = name
		return append(list, like)
	}
	for _, dir := range dirs {
		if like.Glob && strings.ContainsAny(dir, `*?[]\`) {
			w.doubt("the name of the directory is a pattern")
		}
		like.Name = below(dir, name)
		w.ownProcess(like)
		list = append(list, like)
	}
	return list
}
