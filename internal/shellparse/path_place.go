package shellparse

import (
	"path"
	"slices"
	"strings"
)

// A place is the set of absolute directories the shell may be in, with the variables
// that the line has surely set by then. The zero place means any directory.
type place struct {
	dirs []string
	set  []setVariable
}

// maxPlaces limits the directories of a place.
const maxPlaces = 4

func newPlace(dirs ...string) place {
	if slices.ContainsFunc(dirs, func(d string) bool { return !strings.HasPrefix(d, "/") }) {
		return place{}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) > maxPlaces {
		return place{}
	}
	return place{dirs: dirs}
}

func (p place) known() bool { return len(p.dirs) > 0 }

func (p place) equal(q place) bool { return slices.Equal(p.dirs, q.dirs) }

// union returns the place of a shell that is in either of two places.
func (p place) union(q place) place {
	set := commonVariables(p.set, q.set)
	switch {
	case !p.known() || !q.known():
		return place{set: set}
	case p.equal(q):
		return place{p.dirs, set}
	}
	both := newPlace(slices.Concat(p.dirs, q.dirs)...)
	both.set = set
	return both
}

// namesOf returns the absolute names that a file may have here. It keeps two dots: only
// the file system can resolve them after a symbolic link.
func (p place) namesOf(file string) []string {
	if strings.HasPrefix(file, "/") {
		return []string{file}
	}
	names := make([]string, 0, len(p.dirs))
	for _, dir := range p.dirs {
		names = append(names, joinDir(dir, file))
	}
	return names
}

// joinDir returns the name of a file in a directory.
func joinDir(dir, file string) string {
	if strings.HasPrefix(file, "/") {
		return file
	}
	for strings.HasPrefix(file, "./") {
		file = strings.TrimLeft(file[2:], "/")
	}
	if file == "." || file == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + file
}

// changeTo returns the place after a change to a directory. For a shell, two dots stand
// for the directory that is named before them; for other programs they stand for the
// parent of the directory they are in. The result contains both.
func (p place) changeTo(dir string) place {
	to := p.dirsAfter(dir)
	to.set = p.set
	return to
}

func (p place) dirsAfter(dir string) place {
	if !p.known() {
		if strings.HasPrefix(dir, "/") && path.Clean(dir) == dir {
			return newPlace(dir)
		}
		return place{}
	}
	var dirs []string
	for _, name := range p.namesOf(dir) {
		name = cleanSlashes(name)
		dirs = append(dirs, name)
		if slices.Contains(strings.Split(name, "/"), "..") {
			dirs = append(dirs, path.Clean(name))
		}
	}
	return newPlace(dirs...)
}

// cleanSlashes returns the absolute directory without single dots, repeated slashes and
// slashes at its end.
func cleanSlashes(dir string) string {
	var parts []string
	for part := range strings.SplitSeq(dir, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return "/" + strings.Join(parts, "/")
}

// placeAfter returns where the shell is after a command succeeded.
func (w *walker) placeAfter(c *Command, s strippedCommand, in place) place {
	if s.notBuiltin || len(s.args) == 0 {
		return in
	}
	switch s.args[0].value {
	case "cd", "pushd":
	case "popd", "source", ".", "eval", "trap":
		return place{}
	default:
		return in
	}
	w.physical = w.physical || slices.ContainsFunc(s.args, func(a arg) bool { return a.is("-P") })
	dir, ok := cdTarget(s.args[1:])
	switch {
	case !ok, dir == nil && (w.homeDir() == "" || s.args[0].value == "pushd"):
		return place{}
	case dir == nil:
		c.Paths = append(c.Paths, Path{Name: w.homeDir(), Enters: true})
		return in.changeTo(w.homeDir())
	case isSearched(dir.value) && w.searchesCd():
		w.markUnknown("cd may find the directory by CDPATH")
		return place{}
	}
	return in.changeTo(dir.value)
}

// searchesCd reports whether cd may look for a directory in those of CDPATH.
func (w *walker) searchesCd() bool {
	return w.state.setsCdPath || w.env.IsExported != nil && w.env.IsExported("CDPATH")
}

// isSearched reports whether cd looks for a directory in those of CDPATH.
func isSearched(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return first != "" && first != "." && first != ".."
}

// placeAfterOptions returns where a program and the commands it starts may run: in the
// current place, or where one of its options leads.
func (w *walker) placeAfterOptions(name string, args []arg) place {
	at, out := w.place, w.place
	options := dirOptions[name]
	if options == "" {
		return out
	}
	for i, a := range args {
		text := unquotedText(a)
		if !strings.HasPrefix(text, "-") {
			continue
		}
		for option := range strings.SplitSeq(options, " ") {
			rest, ok := optionValue(text, option, name != "git")
			if !ok {
				continue
			}
			dir := arg{value: rest, known: a.known && !a.glob}
			if rest == "" {
				if i+1 == len(args) {
					continue
				}
				dir = args[i+1]
			}
			if !dir.isLiteral() {
				w.markUnknown("a program works in a directory that is not known")
				continue
			}
			at = at.changeTo(dir.value)
			out = out.union(at)
		}
	}
	return out
}

// addEntered adds the directories that the options of a program lead to from a place. Those of
// git are in its effect.
func (w *walker) addEntered(c *Command, name string, from place) {
	if name == "git" || w.place.equal(from) {
		return
	}
	if !w.place.known() {
		w.markUnknown("a program works in a directory that is not known")
	}
	for _, dir := range w.place.dirs {
		if !slices.Contains(from.dirs, dir) {
			c.Paths = append(c.Paths, Path{Name: dir, Guess: true, Enters: true})
		}
	}
}

// dirOptions are the options that make a program change its directory first.
var dirOptions = map[string]string{
	"env": "-C --chdir", "sudo": "-D --chdir", "systemd-run": "--working-directory", "bwrap": "--chdir",
	"unshare": "--wd", "nsenter": "--wd", "make": "-C --directory", "gmake": "-C --directory", "ninja": "-C",
	"git": "-C", "go": "-C", "cargo": "-C", "npm": "-C --prefix", "pnpm": "-C --dir", "yarn": "--cwd", "uv": "--directory",
	"poetry": "-C --directory", "just": "-d --working-directory",
}

// optionValue returns the value that is attached to an option, which may be part of a
// bundle. It reports false if text is another option.
func optionValue(text, option string, bundles bool) (value string, ok bool) {
	if strings.HasPrefix(option, "--") {
		name, value, _ := strings.Cut(text, "=")
		return value, name == option
	}
	if value, ok := strings.CutPrefix(text, option); ok {
		return strings.TrimPrefix(value, "="), true
	}
	if !bundles || !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "--") {
		return "", false
	}
	_, value, ok = strings.Cut(text, option[1:])
	return value, ok
}
