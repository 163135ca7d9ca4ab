package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A searchPath is the directories in which programs are looked for, as PATH lists them. A
// directory is open if a call that needs no permission could put a program there, or if any user
// of this machine could.
type searchPath struct {
	path     string // as PATH lists them
	workDirs []string
	dirs     []string
	open     []bool // of each directory
	trusted  bool   // none is open
}

// systemDirs are directories that are never open, even if the session works in the root
// directory.
var systemDirs = map[string]bool{"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true}

// newSearchPath returns the directories of a PATH in a session with these working
// directories.
//
// What was found once stays true as far as calls without a question can tell: they change
// nothing outside the working directories that a name of a directory depends on. So a
// searchPath may be kept, see is.
func newSearchPath(path string, workDirs []string) *searchPath {
	p := &searchPath{path: path, workDirs: slices.Clone(workDirs), dirs: filepath.SplitList(path)}
	p.open = make([]bool, len(p.dirs))
	roots := make([]string, len(workDirs))
	for i, dir := range workDirs {
		roots[i] = realpath.Resolve(dir)
	}
	for i, dir := range p.dirs {
		p.open[i] = isOpen(dir, slices.Concat(workDirs, roots))
	}
	p.trusted = !slices.Contains(p.open, true)
	return p
}

// is reports whether p is about this PATH and these working directories.
func (p *searchPath) is(path string, workDirs []string) bool {
	return p != nil && p.path == path && slices.Equal(p.workDirs, workDirs)
}

// isOpen reports whether a directory of PATH is open: one that depends on where a command starts,
// one whose name leads through a working directory, and one that every user can write.
func isOpen(dir string, roots []string) bool {
	if !filepath.IsAbs(dir) {
		return true
	}
	dir = filepath.Clean(dir)
	if systemDirs[dir] {
		return false
	}
	return realpath.LeadsThrough(dir, roots) || everybodyWrites(dir)
}

// everybodyWrites reports whether every user may make files in a directory, or replace it.
func everybodyWrites(dir string) bool {
	const others, sticky = 0o002, fs.ModeSticky
	if runtime.GOOS == "windows" {
		return false // the bits say nothing there
	}
	last := true // the directory itself, or the last one on its way that exists
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.Mode()&others != 0 && (last || info.Mode()&sticky == 0):
			return true
		case err == nil:
			last = false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// restricted returns the directories that are not open, as PATH lists them.
func (p *searchPath) restricted() string {
	var kept []string
	for i, dir := range p.dirs {
		if !p.open[i] {
			kept = append(kept, dir)
		}
	}
	if len(kept) == 0 {
		return os.DevNull // it contains no programs; an empty PATH would mean the command's directory
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// find returns the program that a name stands for in a directory, and whether it lies in an
// open one.
func (p *searchPath) find(name, from string) (file string, open bool) {
	for i, dir := range p.dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(from, dir)
		}
		for _, suffix := range programSuffixes() {
			if file := filepath.Join(dir, name+suffix); isProgram(file) {
				return file, p.open[i]
			}
		}
	}
	return "", false
}

// programSuffixes returns the suffixes that program names may have on the disk but not in a line.
func programSuffixes() []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	suffixes := os.Getenv("PATHEXT") //nolint:forbidigo // as for ownPath
	return append([]string{""}, strings.Split(strings.ToLower(suffixes), ";")...)
}

// ownPath returns the PATH of this process, which its commands get with its environment
// unless the host gives them another.
func ownPath() string {
	return os.Getenv("PATH") //nolint:forbidigo // os.Environ would copy everything for each decision
}

// isProgram reports whether a file can be started.
func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// restrictPath removes the open directories from PATH, however its name is spelled.
func restrictPath(env *variables, workDirs []string) {
	path, _ := env.get("PATH")
	env.set("PATH", newSearchPath(path, workDirs).restricted())
}

// errOpenShell says that the shell itself could be any program.
var errOpenShell = errors.New("is only in a directory of PATH in which calls of this session, or all users, may write; give its path in Options.Shell")

// trustedShell returns the program for the name of a shell, as this process finds it, from a
// directory that is not open.
func trustedShell(name string, workDirs []string) (string, error) {
	if runtime.GOOS == "windows" || strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	all := newSearchPath(ownPath(), workDirs)
	if all.trusted {
		return name, nil
	}
	trusted := newSearchPath(all.restricted(), nil)
	if file, _ := trusted.find(name, ""); file != "" {
		return file, nil
	}
	if _, open := all.find(name, ""); open {
		return "", fmt.Errorf("%s %w", name, errOpenShell)
	}
	return name, nil
}
