package shellparse

import "strings"

// addFiles adds the files of a command.
func (w *walker) addFiles(c *Command, files []file) {
	for _, f := range files {
		f.guess = f.guess || isPublicFile(f)
		if f.inHome {
			f.value, f.known = joinDir(w.homeDir(), f.value), w.homeDir() != ""
		}
		switch {
		case f.known && f.value == "", f.known && !f.glob && w.isOpenStream(f.value, f.write), f.known && f.isProcessSubst():
		case !f.known && f.found != nil && len(f.found.trees) > 0 && !f.write:
			for _, v := range f.found.trees {
				c.Paths = w.appendPaths(c.Paths, v.value, Path{Tree: true, Glob: v.glob, Guess: f.guess, FollowsLinks: !f.found.regular, Filter: f.nameFilter()})
			}
		case !f.known && f.found != nil && len(f.found.values) > 0:
			for _, v := range f.found.values {
				c.Paths = w.appendPaths(c.Paths, v.value, Path{Write: f.write, Tree: f.tree, Glob: v.glob, Guess: f.guess, NamesOnly: f.namesOnly, Filter: f.filter})
			}
		case !f.known:
			if !f.guess {
				w.markUnknown("a file cannot be known")
			}
		default:
			c.Paths = w.appendPaths(c.Paths, f.value, Path{Write: f.write, Tree: f.tree, Glob: f.glob, Guess: f.guess, MayWrite: f.guess && f.mayWrite, CopiesNames: f.copiesNames, FollowsLinks: f.mayFollowLinks(), NamesOnly: f.namesOnly, Tracked: f.tracked, NoIndex: f.noIndex, InPlace: f.inPlace, Enters: f.enters, Origin: f.origin, Filter: f.nameFilter()})
		}
	}
}

// isPublicFile reports whether a file that is read says what every program may know of the
// machine. Only rules are about it.
func isPublicFile(f file) bool {
	return !f.write && !f.tree && f.isLiteral() && has("/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/alpine-release /etc/redhat-release /etc/fedora-release"+
		" /etc/issue /etc/timezone /etc/shells /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/uptime /proc/version", f.value)
}

// appendPaths appends the paths that name stands for in each directory of the current
// place. The other fields are those of like.
func (w *walker) appendPaths(list []Path, name string, like Path) []Path {
	dirs := w.place.dirs
	switch {
	case strings.HasPrefix(name, "/"):
		like.Name = name
		if len(dirs) == 1 {
			like.Origin = originIn(dirs[0], like.Origin)
		} else if !strings.HasPrefix(like.Origin, "/") {
			like.Origin = ""
		}
		w.checkProcessPath(like)
		return append(list, like)
	case len(dirs) == 0:
		if !like.Guess {
			w.markUnknown("the directory is not known when the line names the file " + name)
		}
		like.Name, like.Origin = name, ""
		return append(list, like)
	}
	for _, dir := range dirs {
		if like.Glob && strings.ContainsAny(dir, `*?[]\`) {
			w.markUnknown("the name of the directory is a pattern")
		}
		one := like
		one.Name, one.Origin = joinDir(dir, name), originIn(dir, like.Origin)
		w.checkProcessPath(one)
		list = append(list, one)
	}
	return list
}

// originIn returns the Origin of a path for a line that runs in dir.
func originIn(dir, origin string) string {
	if origin == "" {
		return ""
	}
	return joinDir(dir, origin)
}
