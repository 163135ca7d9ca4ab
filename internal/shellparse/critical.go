package shellparse

import (
	"path"
	"regexp"
	"strings"
)

// emptied is a word that would name the root or all that is in it if the
// parameter or substitution at its start were empty: "$D"/*, ${D}/, $(x)/.
var emptied = regexp.MustCompile("^(\\$[A-Za-z_0-9@*?#!$-][A-Za-z_0-9]*|\\$\\{[^}]*\\}|\\$\\(.*\\)|`[^`]*`)+/[*?./{},]*$")

// drive is a drive of Windows, or what lies directly in one.
var drive = regexp.MustCompile(`^[A-Za-z]:([/\\]+[^/\\]*)?[/\\]*$`)

// critical says why a person must be asked about a removal, whatever rules allow
// it; empty if none must. name is the command, files are those that useOf found,
// dir is where it runs, absolute, and home is the home directory; both may be
// empty if they are not known. A walker calls it for each directory the command
// may run in.
//
// It judges by the text alone and does not look at the file system.
func critical(name string, files []file, dir, home string) string {
	if name != "rm" && name != "rmdir" {
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

func criticalFile(a arg, dir, home string) string {
	if !a.known {
		if emptied.MatchString(strings.ReplaceAll(a.source, `"`, "")) {
			return "everything, if " + a.source + " begins with nothing"
		}
		return ""
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
	name = path.Clean(name)
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
