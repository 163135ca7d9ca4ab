package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/policy"
)

// managedPaths returns the managed settings of a system.
func managedPaths(system string) []string {
	dir := "/etc/claude-code"
	switch system {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		return []string{`C:\Program Files\ClaudeCode\managed-settings.json`, `C:\Program Files\ClaudeCode\managed-settings.d`}
	}
	return []string{dir + "/managed-settings.json", dir + "/managed-settings.d"}
}

// systemPaths returns the managed settings of this system.
func systemPaths() []string { return managedPaths(runtime.GOOS) }

// isDirectory reports whether a managed path is a directory of files.
func isDirectory(path string) bool { return strings.HasSuffix(path, ".d") }

// managedFiles returns the managed files, those of a directory in the order of their names,
// and the directories that cannot be read.
func (f Files) managedFiles() (all []string, broken []*BrokenError) {
	for _, path := range f.Managed {
		if !isDirectory(path) {
			all = append(all, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			broken = append(broken, &BrokenError{Source: policy.SourceManaged, Path: path, Err: err})
		}
		var names []string
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			all = append(all, filepath.Join(path, name))
		}
	}
	return all, broken
}
