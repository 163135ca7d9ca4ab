package files

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxGrepPaths is the maximum number of files and directories that one call searches.
const maxGrepPaths = 100

// bases returns the files and directories to search, as the call names them.
func (in grepInput) bases() []string {
	var all []string
	for _, base := range append([]string{in.Path}, in.Paths...) {
		if base != "" {
			all = append(all, base)
		}
	}
	if len(all) == 0 {
		return []string{"."}
	}
	return all
}

// lines says what the call does.
func (in grepInput) lines(c *pegboard.Call) pegboard.Lines {
	what := "for " + in.Pattern
	if in.Path != "" || len(in.Paths) > 0 {
		var names []string
		for _, base := range in.bases() {
			names = append(names, c.ShortPath(base))
		}
		what += " in " + strings.Join(names, ", ")
	}
	if in.Glob != "" {
		what += ", files " + in.Glob
	}
	if in.Exclude != "" {
		what += ", not " + in.Exclude
	}
	if in.Type != "" {
		what += ", type " + in.Type
	}
	return pegboard.Lines{Before: "Search " + what, While: "Searching " + what}
}

// globs returns the globs for the directory at base, in the form of ripgrep. dir is the
// session's directory.
func (in grepInput) globs(dir, base string) []string {
	var all []string
	if in.Glob != "" {
		parts := splitList(in.Glob)
		if len(parts) > 1 && !strings.HasPrefix(in.Glob, "!") {
			all = append(all, in.Glob) // the commas may belong to a name
		}
		for _, part := range parts {
			all = append(all, relativeGlobs(part, dir, base)...)
		}
	}
	if in.Exclude != "" {
		for _, part := range splitList(in.Exclude) {
			all = append(all, relativeGlobs("!"+strings.TrimPrefix(part, "!"), dir, base)...)
		}
	}
	return all
}

// relativeGlobs returns a glob as it applies below base, and once more without the names
// from dir to base if it begins with them: the model may mean either.
func relativeGlobs(glob, dir, base string) []string {
	sign, rest := "", glob
	if strings.HasPrefix(rest, "!") {
		sign, rest = "!", rest[1:]
	}
	rest = filepath.ToSlash(rest)
	if below, ok := strings.CutPrefix(rest, "./"); ok {
		rest = "/" + below // from the directory on
	}
	within := filepath.ToSlash(withSlash(base))
	if below, ok := strings.CutPrefix(rest, within); ok {
		return []string{sign + "/" + below}
	}
	all := []string{sign + rest}
	if rel, err := filepath.Rel(dir, base); err == nil && rel != "." && realpath.Contains(dir, base) {
		if below, ok := strings.CutPrefix(rest, path.Clean(filepath.ToSlash(rel))+"/"); ok {
			all = append(all, sign+"/"+below)
		}
	}
	return all
}
