package shellparse

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
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

// mountPrograms are programs that the tables list, and whose arguments give other programs
// places of this machine to write in.
var mountPrograms = wordSet("docker podman")

// A nameKind says which of the names in a text are taken for paths.
type nameKind int

const (
	outsideNames nameKind = iota // those that lead out of a directory: absolute, from the home directory, or with ".."
	allNames                     // those with a slash as well
)

// addNamesIn adds as guesses the paths that stand in a text together with something else, as
// in "-v DIR:/x", "src=DIR,dst=/x" and "w FILE".
func (w *walker) addNamesIn(c *Command, text string, kind nameKind, like Path) {
	if !strings.ContainsAny(text, "/~") && !strings.Contains(text, "..") {
		return
	}
	like.Guess = true
	found := 0
	for piece := range strings.FieldsFuncSeq(text, endsName) {
		name := nameIn(piece)
		if name == "" || kind == outsideNames && !leadsOutside(name) || len(name) > maxNamed {
			continue
		}
		if found++; found > maxTexts {
			w.markUnknown("an argument names too many files")
			return
		}
		c.Paths = w.appendPaths(c.Paths, w.fromHome(name), like)
	}
}

// maxNamed is the length of the longest name that is looked for in a text, in bytes.
const maxNamed = 4096

// endsName reports whether a character separates a name from the rest of a text.
func endsName(r rune) bool { return strings.ContainsRune(" \t\r\n\x00'\"`=:,;()|<>&[]{}$", r) }

// nameIn returns the path that a piece of a text holds, or "". It may stand behind the letter
// of an option or of an editor's command.
func nameIn(piece string) string {
	if at := strings.Index(piece, ".."); at > 0 && piece[at-1] != '/' {
		piece = piece[at:]
	}
	if strings.HasPrefix(piece, "-") || strings.HasPrefix(piece, "!") || strings.HasPrefix(piece, "@") || strings.HasPrefix(piece, "+") {
		at := strings.IndexAny(piece, "/~.")
		if at < 0 {
			return ""
		}
		piece = piece[at:]
	}
	if piece != ".." && !strings.HasPrefix(piece, "~") && !strings.Contains(piece, "/") {
		return ""
	}
	return piece
}

// leadsOutside reports whether a path may lead out of the directory in which it is used.
func leadsOutside(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.Contains(name, "..")
}

// fromHome returns a name with the home directory for a tilde at its beginning.
func (w *walker) fromHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && w.env.Home != "" && (rest == "" || rest[0] == '/') {
		return w.env.Home + rest
	}
	return name
}

// A NameFilter says which files of a tree a command reads, by the last parts of their
// names.
type NameFilter struct {
	steps []nameStep
	// every is set if each step must let a name pass. Otherwise the last step that matches
	// a name decides. If none matches, the first step decides: a filter that begins with an
	// exclusion includes the rest.
	every bool
	// LeaveOut are words that make the command leave out the files called NAME.
	LeaveOut string
}

// A nameStep includes or excludes the names that match a glob.
type nameStep struct {
	glob    string
	include bool
}

// Reads reports whether the command may read a file of that name.
func (f *NameFilter) Reads(name string) bool {
	if f.every {
		for _, s := range f.steps {
			if matches := s.matches(name); matches != s.include {
				return false
			}
		}
		return true
	}
	reads := len(f.steps) == 0 || !f.steps[0].include
	for _, s := range f.steps {
		if s.matches(name) {
			reads = s.include
		}
	}
	return reads
}

func (s nameStep) matches(name string) bool {
	ok, err := path.Match(s.glob, name)
	return ok && err == nil
}

// isNameGlob reports whether all programs read a glob in the same way: as a name in which
// stars and question marks stand for other characters.
func isNameGlob(glob string) bool {
	for _, c := range glob {
		if !strings.ContainsRune("*?._-+@ ", c) && !isName("_"+string(c)) {
			return false
		}
	}
	return glob != ""
}

// nameFilter returns which files below a tree are read.
func (f file) nameFilter() *NameFilter {
	if f.found != nil && f.filter == nil {
		return f.found.filter
	}
	return f.filter
}

// mayFollowLinks reports whether links below a tree are followed.
func (f file) mayFollowLinks() bool {
	return f.followsLinks || f.tree && !f.write && f.found != nil && !f.found.regular
}

// grepFilter returns the filter of grep -r. In GNU grep the last option that matches a name
// decides. In BSD grep any exclusion decides, which leaves a part of the same files.
func grepFilter(flags []flag) *NameFilter {
	f := &NameFilter{LeaveOut: "--exclude=NAME"}
	for _, flag := range flags {
		if flag.name != "--include" && flag.name != "--exclude" {
			continue
		}
		step := nameStep{glob: flag.value.value, include: flag.name == "--include"}
		switch {
		case flag.value.known && isNameGlob(step.glob): // known, and quoted or not the same pattern
			f.steps = append(f.steps, step)
		case step.include:
			return &NameFilter{LeaveOut: f.LeaveOut}
		}
	}
	return f
}

// ripgrepFilter returns the filter of rg, whose globs are lines of a gitignore file with
// the opposite meaning.
func ripgrepFilter(flags []flag) *NameFilter {
	f := &NameFilter{LeaveOut: "-g '!NAME'"}
	includes := false
	for _, flag := range flags {
		if has("--iglob --glob-case-insensitive", flag.name) {
			return &NameFilter{LeaveOut: f.LeaveOut}
		}
		if flag.name != "-g" && flag.name != "--glob" {
			continue
		}
		glob, excludes := strings.CutPrefix(flag.value.value, "!")
		switch {
		case flag.value.isLiteral() && isNameGlob(glob):
			f.steps = append(f.steps, nameStep{glob: glob, include: !excludes})
			includes = includes || !excludes
		case !excludes:
			return &NameFilter{LeaveOut: f.LeaveOut}
		}
	}
	if includes { // then a file that no glob matches is not searched
		f.steps = append([]nameStep{{include: true}}, f.steps...)
	}
	return f
}

// addGlobs adds the patterns among the words of a command: to expand them the shell
// reads directories, whatever the command does with the names.
func (w *walker) addGlobs(c *Command, args []arg) {
	for _, a := range args {
		switch {
		case !a.glob, strings.HasPrefix(a.value, "-") && !strings.Contains(a.value, "/"):
		case !a.known:
			w.markUnknown("a pattern cannot be known")
		default:
			for _, p := range w.appendPaths(nil, a.value, Path{Glob: true}) {
				same := func(q Path) bool { return q.Glob && !q.Guess && q.Name == p.Name }
				if !slices.ContainsFunc(c.Paths, same) {
					c.Paths = append(c.Paths, p)
				}
			}
		}
	}
}

// walkListWord walks a word of a list, adds the patterns it may become, and returns the
// arguments that it expands to.
func (w *walker) walkListWord(word *syntax.Word) []arg {
	args := w.expandWord(nil, word)
	for _, a := range args {
		if a.glob && !a.known {
			w.markUnknown("a pattern cannot be known")
		}
		w.addStoredGlobs(a)
	}
	return args
}

// addStoredGlobs adds the patterns in the value of a variable. The shell expands them
// where the variable is used without quotes.
func (w *walker) addStoredGlobs(a arg) {
	if !a.known {
		return
	}
	for name := range strings.FieldsSeq(a.value) {
		if strings.ContainsAny(name, "*?[") && (a.glob || strings.Contains(name, "/")) {
			w.line.Paths = w.appendPaths(w.line.Paths, name, Path{Glob: true})
		}
	}
}

// checkProcessPath marks the line unknown if a path depends on the process that opens
// it, because it names another file for the process that checks it.
func (w *walker) checkProcessPath(p Path) {
	if !p.Guess && (strings.HasPrefix(p.Name, "/") && isProcessPath(p.Name)) {
		w.markUnknown("the path depends on the process")
	}
}

func isProcessPath(name string) bool {
	for _, name := range lexicalSteps(name) {
		parts := strings.SplitN(name, "/", 4)
		if len(parts) < 3 {
			continue
		}
		top, sub := strings.ToLower(parts[1]), strings.ToLower(parts[2])
		switch {
		case top == "dev" && (sub == "fd" || strings.HasPrefix(sub, "std")):
			return true
		case top == "proc" && (sub == "self" || sub == "thread-self" || isDigits(sub)):
			return true
		case strings.ContainsAny(top, "*?["):
			return true
		case (top == "dev" || top == "proc") && len(parts) > 3 && strings.ContainsAny(sub, "*?["):
			return true
		}
	}
	return false
}

// escapeGlob returns a pattern that matches only name.
func escapeGlob(name string) string { return globEscaper.Replace(name) }

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
