// Package subtree inspects directories that a call reads or writes as a whole, for files
// that the call does not name: protected files, and places that links lead to.
package subtree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxFiles limits the files and directories inspected below one place, maxLinkTargets
// the places that links there lead to.
const (
	maxFiles       = 5000
	maxLinkTargets = 100
)

// A Place is a path that a call reads or writes.
type Place struct {
	Platform pattern.Platform         // how file names are compared
	Display  func(path string) string // formats a path for the user
	Real     string                   // the resolved path, absolute and clean
	Aliases  []string                 // other names, and the expansions of a pattern, absolute
	Write    bool                     // written; otherwise read
	Tree     bool                     // includes everything below it
	Glob     bool                     // its name is a pattern
	Copied   bool                     // source of a copy if read, destination if written
}

// Inspect returns the reason why the user must be asked about the content of a place,
// or "". For the destination of a copy it also returns the places outside it that links
// below it lead to, since the copy would write there too.
func (p Place) Inspect() (caution string, led []string) {
	if !p.Write && p.Glob {
		for _, name := range p.Aliases {
			if caution = p.copiedName(name); caution != "" {
				return caution, nil
			}
		}
	}
	if !p.Tree {
		return "", nil
	}
	for _, dir := range p.realPaths() {
		if !p.Write {
			caution = p.copiedNames(dir)
		} else {
			caution = p.protectedChild(dir)
		}
		if caution == "" && p.Write && p.Copied {
			var more []string
			caution, more = p.linkTargets(dir)
			led = append(led, more...)
		}
		if caution != "" {
			break
		}
	}
	return caution, led
}

// realPaths returns the resolved paths of all names of p, each once.
func (p Place) realPaths() []string {
	places := []string{p.Real}
	for _, name := range p.Aliases {
		if real := realpath.Resolve(name); !slices.Contains(places, real) {
			places = append(places, real)
		}
	}
	return places
}

// protectedChild returns the reason to ask if a directory that is written as a whole
// contains a protected file.
func (p Place) protectedChild(dir string) string {
	// A missing directory has no entries, nor has a file. The separator at the end keeps
	// the system from opening a pipe.
	entries, _ := os.ReadDir(dir + string(filepath.Separator))
	for _, e := range entries {
		if what, ok := pattern.Protected(p.Platform, dir+"/"+e.Name()); ok {
			return fmt.Sprintf("it would write all of %s, with %s in it", p.Display(dir), what)
		}
	}
	return ""
}

// copiedNames returns the reason to ask if there is a protected name below a directory.
func (p Place) copiedNames(dir string) (caution string) {
	whole := realpath.Walk(dir, maxFiles, func(path string, _ fs.FileMode) bool {
		caution = p.copiedName(path)
		return caution == ""
	})
	if caution == "" && !whole {
		caution = fmt.Sprintf("nobody can tell whether %s holds a file that other programs run or trust: there is too much in it", p.Display(dir))
	}
	return caution
}

// copiedName returns the reason to ask if a copy of the file would have a protected
// name. Only the last name counts, since the copy is elsewhere; ".config/git" is the
// exception, as it consists of two names.
func (p Place) copiedName(path string) string {
	dir, name := filepath.Split(path)
	what, ok := pattern.Protected(p.Platform, "/"+name)
	if !ok && strings.EqualFold(filepath.Base(dir), ".config") {
		what, ok = pattern.Protected(p.Platform, "/.config/"+name)
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf("it would copy %s, and other programs run or trust what is in %s", p.Display(path), what)
}

// linkTargets returns the places outside a directory that the links below it lead to, or
// the reason to ask if there are too many.
func (p Place) linkTargets(dir string) (caution string, led []string) {
	led, ok := realpath.LinkTargets([]string{dir}, maxFiles)
	if !ok || len(led) > maxLinkTargets {
		return fmt.Sprintf("nobody can tell where the links in %s lead, through which it would write: there is too much in it", p.Display(dir)), nil
	}
	return "", led
}
