package shellparse

import "strings"

// gitPlaces says how git accesses the places that variables of its environment name.
type gitPlaces struct {
	dir   string // that the -C options lead to, or empty
	write bool
	guess bool // it is not known that git runs
}

// gitPlacesOf returns the accesses of a command with the given effect.
func gitPlacesOf(args []arg, e effect) gitPlaces {
	if len(args) == 0 || !args[0].is("git") {
		return gitPlaces{write: true, guess: true}
	}
	return gitPlaces{dir: parseGitGlobals(args[1:]).dir, write: e.class != ReadOnly}
}

// addGitPlaces adds the repositories, working trees and files that variables make git use,
// as --git-dir and --work-tree do. Those whose value is not known make the line unknown, see
// addVariable. Source: git(1), ENVIRONMENT VARIABLES.
func (w *walker) addGitPlaces(c *Command, assigns []assignment, places gitPlaces) {
	for _, a := range assigns {
		if !strings.HasPrefix(a.name, "GIT_") || a.compound || !a.value.isLiteral() || a.value.value == "" {
			continue
		}
		f := file{arg: gitInDir(a.value, places.dir), write: places.write, guess: places.guess}
		switch {
		case has("GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY", a.name):
			f.tree = true
		case a.name == "GIT_INDEX_FILE":
		case strings.HasPrefix(a.name, "GIT_TRACE") && strings.HasPrefix(a.value.value, "/"):
			f.write = true
		default:
			continue
		}
		w.addFiles(c, []file{f})
	}
}
