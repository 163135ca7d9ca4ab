package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A GlobOutput is the Result.Data of a [Glob] call.
type GlobOutput struct {
	DurationMs int64 `json:"durationMs"`
	NumFiles   int   `json:"numFiles"`
	// Filenames are relative to the session's directory if they are below it, and
	// absolute otherwise. The file changed last comes first.
	Filenames []string `json:"filenames"`
	// Directories and Links are the directories and symbolic links that match, by name, if
	// the pattern asks for them, lists a directory, or matches nothing else.
	Directories  []string `json:"directories,omitempty"`
	Links        []string `json:"links,omitempty"`
	Truncated    bool     `json:"truncated"`    // there are more files
	TotalMatches int      `json:"totalMatches"` // files found, without those that were found to be hidden
	TimedOut     bool     `json:"timedOut,omitempty"`
	Hidden       int      `json:"hidden,omitempty"`     // files that permission rules left out
	Unreadable   int      `json:"unreadable,omitempty"` // directories that could not be read

	moreDirs, moreLinks int      // that are not in Directories and Links
	onlyDirs            bool     // the patterns find directories only
	firstDir            string   // absolute path of the first directory, if only directories match
	notes               []string // for the model
}

// isEmpty reports whether nothing was found.
func (out *GlobOutput) isEmpty() bool {
	return out.NumFiles == 0 && len(out.Directories) == 0 && len(out.Links) == 0 && out.Hidden == 0 && out.Unreadable == 0 && !out.TimedOut
}

// globResult returns the result for the model: one path per line, then notices. A path
// that contains a line end or other control characters is quoted like a Go string.
func globResult(out GlobOutput) *pegboard.Result {
	var shown []string
	for _, name := range out.Filenames {
		shown = append(shown, quotePath(name))
	}
	if len(shown) == 0 {
		shown = append(shown, out.nothing())
	}
	for _, name := range out.Directories {
		shown = append(shown, quotePath(withSlash(name)))
	}
	for _, note := range out.notices() {
		shown = append(shown, "["+note+"]")
	}
	r := textResult(strings.Join(slices.DeleteFunc(shown, func(line string) bool { return line == "" }), "\n"), out)
	r.Line = out.line()
	if out.TimedOut {
		r.Value = &pegboard.CodeError{Kind: pegboard.KindTimeout, Text: "The search took too long and was stopped. Use a narrower pattern or path."}
	}
	return r
}

// line says for a person what was found.
func (out *GlobOutput) line() string {
	dirs := pluralOf(len(out.Directories)+out.moreDirs, "directory", "directories")
	if out.onlyDirs {
		return "Found " + dirs
	}
	line := "Found " + plural(out.NumFiles, "file")
	if out.Truncated {
		line += fmt.Sprintf(" of %d", out.TotalMatches)
	}
	if len(out.Directories) > 0 {
		line += " and " + dirs
	}
	return line
}

// nothing says that no file was found.
func (out *GlobOutput) nothing() string {
	switch {
	case out.onlyDirs && len(out.Directories) > 0:
		return ""
	case out.onlyDirs:
		return "No directories found"
	case len(out.Directories) > 0:
		return "No files match, only directories:"
	}
	return "No files found"
}

// notices returns what the model needs to know besides the paths.
func (out *GlobOutput) notices() []string {
	all := slices.Clone(out.notes)
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if first := out.firstDir; first != "" && isLiteral(filepath.ToSlash(first)) {
		note("To list a directory put a slash behind it: the pattern %q.", withSlash(first))
	}
	if out.Truncated {
		note("Cut: the %d files changed last of %d. Use a narrower pattern or path to see others.", out.NumFiles, out.TotalMatches)
	}
	if out.moreDirs > 0 {
		note("Cut: %d more directories match. Use a narrower pattern or path to see them.", out.moreDirs)
	}
	if len(out.Links) > 0 {
		var names []string
		for _, name := range out.Links {
			names = append(names, quotePath(name))
		}
		if out.moreLinks > 0 {
			names = append(names, fmt.Sprintf("%d more", out.moreLinks))
		}
		note("Symbolic links that match, and are not followed: %s.", strings.Join(names, ", "))
	}
	if out.TimedOut {
		note("Incomplete: the search took too long and was stopped. Use a narrower pattern or path.")
	}
	if out.Unreadable > 0 {
		note("%d of the directories could not be read.", out.Unreadable)
	}
	if out.Hidden > 0 {
		note("%s left out, for want of permission to read: tell the user if they are needed.", plural(out.Hidden, "file"))
	}
	return all
}
