package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// critical adds the reason why a person must be asked about a removal.
func (w *walker) critical(c *Command, args []arg, files []file) {
	if len(args) == 0 || len(files) == 0 || !removes(program(args[0].value)) {
		return
	}
	files = w.valued(slices.Clip(files))
	dirs := w.at.dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		if c.Caution == "" {
			c.Caution = critical(program(args[0].value), files, dir, w.home())
		}
	}
}

// critical says why a person must be asked about a removal, whatever rules allow
// it; empty if none must. name is the command, files are those that useOf found,
// dir is where it runs, absolute, and home is the home directory; both may be
// empty if they are not known. A walker calls it for each directory the command
// may run in.
//
// It judges by the text alone and does not look at the file system.
func critical(name string, files []file, dir, home string) string {
	if !removes(name) {
		return ""
	}
	for _, f := range files {
		if f.write {
			if what := criticalFile(f.arg, dir, home); what != "" {
				return name + " would remove " + what
			}
		}
	}
	return ""
}

// removes reports whether a command does nothing but remove files.
func removes(name string) bool { return name == "rm" || name == "rmdir" }

// emptied is a word that would name the root or all that is in it if the
// parameter or substitution at its start were empty: "$D"/*, ${D}/, $(x)/.
var emptied = regexp.MustCompile("^(\\$[A-Za-z_0-9@*?#!$-][A-Za-z_0-9]*|\\$\\{[^}]*\\}|\\$\\(.*\\)|`[^`]*`)+/[*?./{},]*$")

// ownDirectory is a word that names the directory the shell is in or was in before, what
// is in it, or one above it.
var ownDirectory = regexp.MustCompile("^(\\$(OLD)?PWD|\\$\\{(OLD)?PWD[^}]*\\}|~[+-]|\\$\\( *pwd( -[LP])? *\\)|` *pwd( -[LP])? *`)(/+[*.?]*)*$")

// someHome is a word that names the home directory of some user, or what is in it.
var someHome = regexp.MustCompile(`^~[A-Za-z_][^/]*(/+[*.?]*)*$`)

// within is a file below the root of some process, or the directory it is in.
var within = regexp.MustCompile(`^/+proc/+[^/]+/+(?:\.?/+)*(?:task/+[^/]+/+)?(root|cwd)(/.*)?$`)

// drive is a drive of Windows, or what lies directly in one.
var drive = regexp.MustCompile(`^[A-Za-z]:([/\\]+[^/\\]*)?[/\\]*$`)

// valued adds to the files of a removal what those that are not known may be.
func (w *walker) valued(files []file) []file {
	given := len(files)
	for _, f := range files[:given:given] {
		if !f.write || f.known || len(files)-given > maxValues {
			continue
		}
		for _, a := range w.values(f.arg) {
			files = append(files, file{arg: a, write: true})
		}
	}
	return files
}

// criticalWord is criticalFile for a word whose value is not known.
func criticalWord(source string) string {
	word := strings.ReplaceAll(source, `"`, "")
	switch {
	case ownDirectory.MatchString(word):
		return source + ", a directory that the line is in, or was"
	case emptied.MatchString(word):
		return "everything, if " + source + " begins with nothing"
	case someHome.MatchString(word):
		return source + ", which is a home directory"
	}
	return ""
}

// unwound is a name without the directories of processes that it leads through.
func unwound(name, dir string) string {
	for {
		parts := within.FindStringSubmatch(name)
		switch {
		case parts == nil:
			return name
		case parts[1] == "root":
			name = "/" + parts[2]
		case dir == "" || within.MatchString(dir): // nowhere else
			return name
		default:
			name = dir + parts[2]
		}
	}
}

func criticalFile(a arg, dir, home string) string {
	if !a.known {
		return criticalWord(a.source)
	}
	if drive.MatchString(a.value) {
		return "a drive, or a directory directly in it"
	}
	name := a.value
	if !strings.HasPrefix(name, "/") {
		if dir == "" || name == "" {
			return ""
		}
		name = dir + "/" + name
	}
	name = path.Clean(unwound(path.Clean(unwound(name, dir)), dir))
	if a.glob && strings.Trim(path.Base(name), "*?.[]!^") == "" {
		name = path.Dir(name) // all that is in a directory
	}
	switch {
	case name == "/":
		return "the root of the file system"
	case path.Dir(name) == "/":
		return name + ", which lies directly in the root of the file system"
	case home != "" && holds(name, path.Clean(home)):
		return "the home directory"
	case dir != "" && holds(name, path.Clean(dir)):
		return "the working directory"
	}
	return ""
}

// holds reports whether a directory is another one or holds it. The first may be
// a pattern.
func holds(dir, other string) bool {
	for {
		if ok, err := path.Match(dir, other); dir == other || ok && err == nil {
			return true
		}
		if other == path.Dir(other) {
			return false
		}
		other = path.Dir(other)
	}
}
