package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

// GrepOutput is what a host gets as Result.Data of [Grep]. The totals count all
// that was found, whatever the limit; nothing counts what permission rules deny.
type GrepOutput struct {
	Mode string `json:"mode"`
	// NumFiles is how many files Filenames holds.
	NumFiles int `json:"numFiles"`
	// Filenames are the files that are shown, in the order of their paths:
	// relative to the session's directory if they lie below it, otherwise
	// absolute.
	Filenames     []string `json:"filenames"`
	Content       string   `json:"content,omitempty"`    // in the modes content and count
	NumLines      int      `json:"numLines,omitempty"`   // in Content
	NumMatches    int      `json:"numMatches,omitempty"` // what the mode count counts, in all files
	TotalFiles    int      `json:"totalFiles,omitempty"` // with a match
	TotalLines    int      `json:"totalLines,omitempty"` // that the mode content would show
	AppliedLimit  int      `json:"appliedLimit,omitempty"`
	AppliedOffset int      `json:"appliedOffset,omitempty"`
	TimedOut      bool     `json:"timedOut,omitempty"`
	Unreadable    int      `json:"unreadable,omitempty"` // files and directories
	Binary        int      `json:"binary,omitempty"`     // files with a match that are not text
	// Hidden is how many files with a match permission rules leave out. It is for
	// the host alone: a model that knew it could find out, pattern by pattern,
	// what those files hold.
	Hidden int `json:"-"`

	truncated bool // for lack of memory
}

// output makes of r what the host gets. name says what a file is called.
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

// rowCounts returns how many rows there are in out, as limits count them, and how
// many were found.
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

// rowText returns the text of row as it is shown.
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
	return text
}

// grepResult is what the model is shown: the rows, then what it should know
// beside.
func grepResult(out GrepOutput) *pegboard.Result {
	shown := out.notices()
	switch {
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
	return &pegboard.Result{Parts: []pegboard.Part{{Text: strings.Join(shown, "\n")}}, Data: out}
}

// notices says what is not among the rows.
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
	if out.truncated {
		note("The rest takes too much memory. Use a narrower pattern, path or glob.")
	}
	if out.TimedOut {
		note("Incomplete: the search took too long and was stopped. Use a narrower pattern, path or glob.")
	}
	if out.Binary > 0 && out.Mode == modeContent {
		note("%s with a match that cannot be shown, because it is not text.", plural(out.Binary, "file"))
	}
	if out.Unreadable > 0 {
		note("%s could not be read.", pluralOf(out.Unreadable, "file or directory", "files or directories"))
	}
	return all
}

// quotePath quotes a path like a Go string if it would not stay on its line.
func quotePath(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
