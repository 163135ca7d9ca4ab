package shellparse

import (
	"path"
	"strings"
)

// A NameFilter says which files of a tree a command reads, by the last parts of their
// names.
type NameFilter struct {
	steps []nameStep
	// every is set if each step must let a name pass. Otherwise the last step that matches
	// a name decides, and without one the first step: what begins with an exclusion
	// includes the rest.
	every bool
	// LeaveOut is what added to the command leaves out the files called NAME.
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

// grepFilter returns the filter of grep -r. The last option that matches a name decides
// for GNU grep; for that of BSD an exclusion does, and what is left is a part of the same.
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
	if includes { // then what no glob matches is not searched
		f.steps = append([]nameStep{{include: true}}, f.steps...)
	}
	return f
}
