// Package subtree finds what a call writes without naming it: files below a directory
// that it writes or copies as a whole.
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

// maxFiles is how many files and directories below one place are looked at, and
// maxLed how many places links may lead to from there.
const (
	maxFiles = 5000
	maxLed   = 100
)

// A Place is what a call reads or writes.
type Place struct {
	Platform pattern.Platform         // whose names of files count
	Show     func(path string) string // a path as a person reads it
	Real     string                   // where it is, absolute and clean
	Also     []string                 // what a pattern stands for, and other names, absolute
	Write    bool                     // else it is read
	Tree     bool                     // all that lies below it as well
	Glob     bool                     // its name is a pattern
	Copied   bool                     // it is copied if it is read, and copied to if it is written
}

// Look says why a person must be asked about what a place holds, or nothing, and
// where the links below it lead through which a copy to it would write.
func (p Place) Look() (caution string, led []string) {
	if !p.Write && p.Glob {
		for _, name := range p.Also {
			if caution = p.trusted(name); caution != "" {
				return caution, nil
			}
		}
	}
	if !p.Tree {
		return "", nil
	}
	for _, dir := range p.places() {
		if !p.Write {
			caution = p.copies(dir)
		} else {
			caution = p.hides(dir)
		}
		if caution == "" && p.Write && p.Copied {
			var more []string
			caution, more = p.follows(dir)
			led = append(led, more...)
		}
		if caution != "" {
			break
		}
	}
	return caution, led
}

// places are where the names of p lead, each once.
func (p Place) places() []string {
	places := []string{p.Real}
	for _, name := range p.Also {
		if real := realpath.Resolve(name); !slices.Contains(places, real) {
			places = append(places, real)
		}
	}
	return places
}

// hides says which protected file a directory holds that is written as a whole.
func (p Place) hides(dir string) string {
	// What does not exist hides nothing, nor does a file: a pipe is not opened.
	entries, _ := os.ReadDir(dir + string(filepath.Separator))
	for _, e := range entries {
		if what, ok := pattern.Protected(p.Platform, dir+"/"+e.Name()); ok {
			return fmt.Sprintf("it would write all of %s, with %s in it", p.Show(dir), what)
		}
	}
	return ""
}

// copies says which protected name is among those below a directory.
func (p Place) copies(dir string) (caution string) {
	whole := realpath.Below(dir, maxFiles, func(path string, _ fs.FileMode) bool {
		caution = p.trusted(path)
		return caution == ""
	})
	if caution == "" && !whole {
		caution = fmt.Sprintf("nobody can tell whether %s holds a file that other programs run or trust: there is too much in it", p.Show(dir))
	}
	return caution
}

// trusted says whether a copy of a file has a protected name. Where the file is does
// not count, except that ".config/git" is two names.
func (p Place) trusted(path string) string {
	dir, name := filepath.Split(path)
	what, ok := pattern.Protected(p.Platform, "/"+name)
	if !ok && strings.EqualFold(filepath.Base(dir), ".config") {
		what, ok = pattern.Protected(p.Platform, "/.config/"+name)
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf("it would copy %s, and other programs run or trust what is in %s", p.Show(path), what)
}

// follows says where the links below a directory lead.
func (p Place) follows(dir string) (caution string, led []string) {
	led, ok := realpath.Led(dir, maxFiles)
	if !ok || len(led) > maxLed {
		return fmt.Sprintf("nobody can tell where the links in %s lead, through which it would write: there is too much in it", p.Show(dir)), nil
	}
	return "", led
}
