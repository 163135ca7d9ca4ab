package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// addRemovalReason sets the reason why a person must be asked about a removal.
func (w *walker) addRemovalReason(c *Command, args []arg, files []file) {
	if len(args) == 0 || len(files) == 0 || !isRemoval(programName(args[0].value)) {
		return
	}
	files = w.withPossibleValues(slices.Clip(files))
	dirs := w.place.dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		if c.AskReason == "" {
			c.AskReason = removalReason(programName(args[0].value), files, dir, w.homeDir())
		}
	}
}

// removalReason returns why a person must be asked about a removal, whatever rules
// allow it, or an empty string. name is the command, files are those that effectOf
// found, dir is the absolute directory in which it runs and home the home directory;
// both are empty if they are not known. A walker calls it for each directory the
// command may run in.
//
// It looks at the text only, not at the file system.
func removalReason(name string, files []file, dir, home string) string {
	if !isRemoval(name) {
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

// isRemoval reports whether a command does nothing but remove files.
func isRemoval(name string) bool { return name == "rm" || name == "rmdir" }

// mayNameRoot matches a word that names the root, or all that is in it, if the
// parameter or substitution at its start is empty: "$D"/*, ${D}/, $(x)/.
var mayNameRoot = regexp.MustCompile("^(\\$[A-Za-z_0-9@*?#!$-][A-Za-z_0-9]*|\\$\\{[^}]*\\}|\\$\\(.*\\)|`[^`]*`)+/[*?./{},]*$")

// ownDirectory matches a word that names the shell's current or previous directory, its
// content, or a directory above it.
var ownDirectory = regexp.MustCompile("^(\\$(OLD)?PWD|\\$\\{(OLD)?PWD[^}]*\\}|~[+-]|\\$\\( *pwd( -[LP])? *\\)|` *pwd( -[LP])? *`)(/+[*.?]*)*$")

// userHome matches a word that names the home directory of a user, or its content.
var userHome = regexp.MustCompile(`^~[A-Za-z_][^/]*(/+[*.?]*)*$`)

// processDir matches a file below the root directory or the working directory of a
// process.
var processDir = regexp.MustCompile(`^/+proc/+[^/]+/+(?:\.?/+)*(?:task/+[^/]+/+)?(root|cwd)(/.*)?$`)

// windowsDrive matches a drive of Windows, or a file directly in one.
var windowsDrive = regexp.MustCompile(`^[A-Za-z]:([/\\]+[^/\\]*)?[/\\]*$`)

// withPossibleValues adds to the files of a removal the values that unknown ones may
// have.
func (w *walker) withPossibleValues(files []file) []file {
	given := len(files)
	for _, f := range files[:given:given] {
		if !f.write || f.known || len(files)-given > maxPossibleValues {
			continue
		}
		for _, a := range w.possibleValues(f.arg) {
			files = append(files, file{arg: a, write: true})
		}
	}
	return files
}

// criticalSource is criticalFile for a word whose value is not known.
func criticalSource(source string) string {
	word := strings.ReplaceAll(source, `"`, "")
	switch {
	case ownDirectory.MatchString(word):
		return source + ", a directory that the line is in, or was"
	case mayNameRoot.MatchString(word):
		return "everything, if " + source + " begins with nothing"
	case userHome.MatchString(word):
		return source + ", which is a home directory"
	}
	return ""
}

// withoutProcessDirs returns a name with the root and working directories of processes
// replaced by the directories they stand for.
func withoutProcessDirs(name, dir string) string {
	for {
		parts := processDir.FindStringSubmatch(name)
		switch {
		case parts == nil:
			return name
		case parts[1] == "root":
			name = "/" + parts[2]
		case dir == "" || processDir.MatchString(dir): // dir stands for no other directory
			return name
		default:
			name = dir + parts[2]
		}
	}
}

func criticalFile(a arg, dir, home string) string {
	if !a.known {
		return criticalSource(a.source)
	}
	if windowsDrive.MatchString(a.value) {
		return "a drive, or a directory directly in it"
	}
	name := a.value
	if !strings.HasPrefix(name, "/") {
		if dir == "" || name == "" {
			return ""
		}
		name = dir + "/" + name
	}
	name = path.Clean(withoutProcessDirs(path.Clean(withoutProcessDirs(name, dir)), dir))
	if a.glob && strings.Trim(path.Base(name), "*?.[]!^") == "" {
		name = path.Dir(name) // all files of the directory
	}
	switch {
	case name == "/":
		return "the root of the file system"
	case path.Dir(name) == "/":
		return name + ", which lies directly in the root of the file system"
	case home != "" && contains(name, path.Clean(home)):
		return "the home directory"
	case dir != "" && contains(name, path.Clean(dir)):
		return "the working directory"
	}
	return ""
}

// contains reports whether dir, which may be a pattern, is other or a directory above
// it.
func contains(dir, other string) bool {
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
