package walk

import (
	"os"
	"path/filepath"
)

// An ignoreMarks value is the set of names in a directory that affect its ignore rules.
type ignoreMarks byte

const (
	markRgIgnore ignoreMarks = 1 << iota
	markDotIgnore
	markGitIgnore
	markRepository
)

func markOf(name []byte) ignoreMarks {
	switch string(name) {
	case ".rgignore":
		return markRgIgnore
	case ".ignore":
		return markDotIgnore
	case ".gitignore":
		return markGitIgnore
	case ".git":
		return markRepository
	}
	return 0
}

func marksIn(dir string) (m ignoreMarks) {
	for _, name := range []string{".rgignore", ".ignore", ".gitignore", ".git"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			m |= markOf([]byte(name))
		}
	}
	return m
}
