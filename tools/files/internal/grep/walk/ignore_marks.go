package walk

import (
	"os"
	"path/filepath"
)

// marks are names met in a directory that its rules depend on.
type marks byte

const (
	markRipgrep marks = 1 << iota
	markAnyTool
	markGit
	markRepository
)

func markOf(name []byte) marks {
	switch string(name) {
	case ".rgignore":
		return markRipgrep
	case ".ignore":
		return markAnyTool
	case ".gitignore":
		return markGit
	case ".git":
		return markRepository
	}
	return 0
}

func marksIn(dir string) (m marks) {
	for _, name := range []string{".rgignore", ".ignore", ".gitignore", ".git"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			m |= markOf([]byte(name))
		}
	}
	return m
}
