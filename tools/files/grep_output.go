package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

// A GrepOutput is the Result.Data of a [Grep] call. The totals also count results
// beyond the limit. Except for Hidden, no field counts files that permission rules
// deny.
type GrepOutput struct {
	Mode string `json:"mode"`
	// NumFiles is the number of Filenames.
	NumFiles int `json:"numFiles"`
	// Filenames are the files shown, in the order of their paths. They are relative to
	// the session's directory if they are below it, and absolute otherwise.
	Filenames     []string `json:"filenames"`
	Content       string   `json:"content,omitempty"`    // in the modes content and count
	NumLines      int      `json:"numLines,omitempty"`   // number of lines in Content
	NumMatches    int      `json:"numMatches,omitempty"` // in the mode count: total of all files
	TotalFiles    int      `json:"totalFiles,omitempty"` // files with a match
	TotalLines    int      `json:"totalLines,omitempty"` // in the mode content: all lines found, regardless of the limit
	AppliedLimit  int      `json:"appliedLimit,omitempty"`
	AppliedOffset int      `json:"appliedOffset,omitempty"`
	TimedOut      bool     `json:"timedOut,omitempty"`
	Unreadable    int      `json:"unreadable,omitempty"` // files and directories that could not be read
	Binary        int      `json:"binary,omitempty"`     // files with a match that are not text
	// Hidden is the number of files with a match that permission rules leave out. It is
	// for the host only: with this number a model could find out the content of these
	// files by trying patterns.
	Hidden int `json:"-"`

	unsearched string  // why no file was searched, or ""
	failed     []error // of paths that could not be searched

	value     any  // for code, see Result.Value; nil if the model made the call
	truncated bool // the rows reached MaxBytes
	skipped   bool // the text of a row begins within its line
}

// output converts r to the result for the host. name returns the path to show for a
// file.
func (o GrepOptions) output(in grepInput, r grep.Report, name func(rel string) string) GrepOutput {
	out := GrepOutput{
		Mode: in.OutputMode, Filenames: []string{}, AppliedOffset: in.Offset,
		TotalFiles: r.NumFiles, Hidden: r.Hidden, Unreadable: r.Unreadable, Binary: r.Binary, truncated: r.Truncated,
	}
	var content strings.Builder
	for _, f := range r.Files {
		path := name(f.Path)
		out.Filenames = append(out.Filenames, path)
		switch in.OutputMode {
		case modeContent:
			o.writeRows(&content, in, quotePath(path), f.Rows)
			out.skipped = out.skipped || slices.ContainsFunc(f.Rows, func(r grep.Row) bool { return r.Skipped > 0 })
			out.NumLines += len(f.Rows)
		case modeCount:
			fmt.Fprintf(&content, "%s:%d\n", quotePath(path), f.Matches)
			out.NumLines++
		}
	}
	out.Content = strings.TrimSuffix(content.String(), "\n")
	out.NumFiles = len(out.Filenames)
	switch in.OutputMode {
	case modeContent:
		out.TotalLines = r.NumRows
	case modeCount:
		out.NumMatches = r.NumMatches
	default:
		out.Mode = modeFiles
	}
	if shown, all := out.rowCounts(); in.Offset+shown < all {
		out.AppliedLimit = shown
	}
	return out
}

// rowCounts returns the number of rows in out, in the unit of the limit, and the number
// found.
func (out *GrepOutput) rowCounts() (shown, all int) {
	if out.Mode == modeContent {
		return out.NumLines, out.TotalLines
	}
	return out.NumFiles, out.TotalFiles
}

// writeRows writes the rows of one file.
func (o GrepOptions) writeRows(b *strings.Builder, in grepInput, path string, rows []grep.Row) {
	grouped := !in.Only && in.After+in.Before+in.Around+in.Context > 0
	for i, row := range rows {
		if grouped && b.Len() > 0 && (i == 0 || row.Gap) {
			b.WriteString("--\n")
		}
		mark := ":"
		if row.Context {
			mark = "-"
		}
		b.WriteString(path + mark)
		if in.Numbers == nil || *in.Numbers {
			b.WriteString(strconv.Itoa(row.Number) + mark)
		}
		b.WriteString(o.rowText(row) + "\n")
	}
}

// rowText returns the text of a row as shown.
func (o GrepOptions) rowText(row grep.Row) string {
	text := row.Text
	if row.Omitted == 0 {
		text = strings.TrimSuffix(text, "\r")
	}
	lost := row.Omitted
	count := 0
	for i := range text {
		if count == o.MaxLineLength {
			lost += len(text) - i
			text = text[:i]
			break
		}
		count++
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if lost > 0 {
		text += fmt.Sprintf(" [%s more]", plural(lost, "byte"))
	}
	if row.Skipped > 0 {
		text = fmt.Sprintf("[from byte %d] ", row.Skipped) + text
	}
	return text
}

// grepResult returns the result for the model: the rows, then notices.
func grepResult(out GrepOutput) *pegboard.Result {
	shown := out.notices()
	switch {
	case out.unsearched != "":
		shown = append([]string{out.unsearched}, shown...)
	case out.Content != "":
		shown = append([]string{out.Content}, shown...)
	case out.Mode == modeFiles && len(out.Filenames) > 0:
		var names []string
		for _, name := range out.Filenames {
			names = append(names, quotePath(name))
		}
		shown = append(names, shown...)
	case out.TotalFiles == 0 && out.Mode == modeFiles:
		shown = append([]string{"No files found"}, shown...)
	case out.TotalFiles == 0:
		shown = append([]string{"No matches found"}, shown...)
	}
	r := textResult(strings.Join(shown, "\n"), out)
	r.Line, r.Value = out.line(), out.value
	return r
}

// line says for a person what was found.
func (out *GrepOutput) line() string {
	files := plural(out.TotalFiles, "file")
	switch {
	case out.TotalFiles == 0:
		return "Found nothing"
	case out.Mode == modeContent:
		return fmt.Sprintf("Found %s in %s", plural(out.TotalLines, "line"), files)
	case out.Mode == modeCount:
		return fmt.Sprintf("Found %s in %s", pluralOf(out.NumMatches, "match", "matches"), files)
	}
	return "Found " + files
}

// notices returns what the model needs to know besides the rows.
func (out *GrepOutput) notices() []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, "["+fmt.Sprintf(format, args...)+"]") }
	thing := "files"
	if out.Mode == modeContent {
		thing = "lines"
	}
	if out.Mode == modeCount && out.TotalFiles > 0 {
		note("%s in %s.", pluralOf(out.NumMatches, "match", "matches"), plural(out.TotalFiles, "file"))
	}
	shown, found := out.rowCounts()
	switch next := out.AppliedOffset + shown; {
	case found > 0 && out.AppliedOffset >= found:
		note("Nothing is left behind offset %d: there are %d %s. Use a smaller offset.", out.AppliedOffset, found, thing)
	case next < found:
		note("Cut: %s %d to %d of %d. Go on with offset %d, or use a narrower pattern, path or glob.", thing, out.AppliedOffset+1, next, found, next)
	}
	if out.skipped {
		note("Of a long line the part around its first match is shown. Read shows more of it: its offset is the number of the line, and byte_offset the byte where to begin.")
	}
	if out.truncated {
		note("The rest takes too much memory. Use a narrower pattern, path or glob.")
	}
	if out.TimedOut {
		note("Incomplete: the search took too long and was stopped. Use a narrower pattern, path or glob.")
	}
	if out.Binary > 0 && out.Mode == modeContent {
		note("%s with a match that cannot be shown, because it is not text.", plural(out.Binary, "file"))
	}
	for _, err := range out.failed {
		note("%v", err)
	}
	if out.Unreadable > 0 {
		note("%s could not be read.", pluralOf(out.Unreadable, "file or directory", "files or directories"))
	}
	return all
}

// pluralOf returns a number with a noun of irregular plural.
func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
