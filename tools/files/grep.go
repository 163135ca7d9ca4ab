package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// GrepOptions configure [Grep]. The zero value is valid.
type GrepOptions struct {
	// MaxResults is the maximum number of rows that a call returns if it has no limit
	// of its own: lines or files, depending on the mode. 0 means DefaultGrepResults.
	MaxResults int
	// Timeout is the maximum duration of a search. The result then has the matches
	// found so far. 0 means DefaultGrepTimeout.
	Timeout time.Duration
	// NoHidden leaves out files and directories whose names begin with a dot. The
	// directories of version control systems, such as .git, are left out in any case.
	NoHidden bool
	// NoIgnore includes the files that .gitignore and other ignore files name.
	NoIgnore bool

	lineLength int // characters shown of a line; 0 means MaxLineLength
}

// The defaults of [GrepOptions].
const (
	DefaultGrepResults = 250              // as in Claude Code
	DefaultGrepTimeout = 20 * time.Second // the time that Claude Code allows for Glob
)

type grepInput struct {
	Pattern    string   `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"The regular expression to look for, in the syntax of ripgrep, such as log.*Error or func\\s+\\w+. Braces that are meant as they are need a \\ before."`
	Path       string   `json:"path,omitempty" jsonschema_description:"The file or directory to search (default: the working directory)."`
	Paths      []string `json:"paths,omitempty"`
	Glob       string   `json:"glob,omitempty" jsonschema_description:"Searches only files whose path matches, such as *.js or src/**/*.{ts,tsx}; several with commas between; with a ! before it, only others."`
	Exclude    string   `json:"exclude,omitempty"`
	Type       string   `json:"type,omitempty" jsonschema_description:"Searches only files of a type, such as go, py, js, ts, rust or java."`
	OutputMode string   `json:"output_mode,omitempty" jsonschema:"enum=content,enum=files_with_matches,enum=count" jsonschema_description:"content shows the lines that match, files_with_matches (the default) the paths of their files, count how many lines match in each file."`
	Fixed      bool     `json:"fixed_strings,omitempty"`
	IgnoreCase bool     `json:"-i,omitempty" jsonschema_description:"Upper and lower case are the same."`
	Numbers    *bool    `json:"-n,omitempty" jsonschema_description:"Shows the numbers of lines (default: true). For content."`
	Only       bool     `json:"-o,omitempty" jsonschema_description:"Shows only what matches of each line. For content."`
	After      int      `json:"-A,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines to show after each match. For content."`
	Before     int      `json:"-B,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines to show before each match. For content."`
	Around     int      `json:"-C,omitempty" jsonschema:"minimum=0" jsonschema_description:"The same as context."`
	Context    int      `json:"context,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines to show before and after each match. For content."`
	HeadLimit  *int     `json:"head_limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines, or files, to return at most (default: 250; 0: all)."`
	Offset     int      `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines, or files, to skip before the first one returned."`
	Multiline  bool     `json:"multiline,omitempty" jsonschema_description:"Lets matches cross lines, and . match the end of a line."`
}

// Grep returns the tool that searches files for a regular expression.
//
// It supports the syntax of ripgrep except for the constructs that an automaton cannot
// match, and it searches the same files as ripgrep: none that ignore files name, and
// none behind symbolic links. Unlike ripgrep it also searches hidden files, unless
// [GrepOptions].NoHidden is set. It always searches a file that a call names as path.
// Globs are lists, with commas between; an absolute one applies below the directory that
// is searched. Like rg --crlf it finds $ before "\r\n", since Read does not show how a line
// ends, and \n finds "\r\n"; a dot still matches a "\r". If no file was searched, because
// of a glob or for another reason, the result says so.
// No part of the result for the model depends on the content of files that permission
// rules deny.
func Grep(o GrepOptions) pegboard.Tool {
	o.MaxResults = orDefault(o.MaxResults, DefaultGrepResults)
	o.Timeout = orDefault(o.Timeout, DefaultGrepTimeout)
	o.lineLength = orDefault(o.lineLength, MaxLineLength)
	return pegboard.Build(pegboard.Definition[grepInput, GrepOutput]{
		Info:       pegboard.Info{Name: "Grep", Title: "Search files"},
		Undeclared: []string{"paths", "exclude", "fixed_strings"}, // other harnesses have them
		Description: "Searches the contents of files for a regular expression, as ripgrep does: files that .gitignore names are left out, hidden ones are not. " +
			fmt.Sprintf("It returns the paths of files with a match, or with output_mode the lines that match or their number, %d rows at most unless head_limit says otherwise.", o.MaxResults),
		Inspect: func(in grepInput, _ *pegboard.Call) pegboard.Traits {
			return searchTraits(in.bases()...)
		},
		Summary:    grepInput.lines,
		Observe:    func(in grepInput, c *pegboard.Call) map[string]any { return observedPath(c, "path", in.Path) },
		Validate:   func(_ context.Context, in grepInput, _ *pegboard.Call) error { return o.validate(in) },
		Equivalent: pegboard.SameInput[grepInput],
		ClassifierInput: func(in grepInput, _ *pegboard.Call) string {
			return fmt.Sprintf("%s in %s", in.Pattern, cmp.Or(in.Path, "."))
		},
		Call:   o.grep,
		Result: grepResult,
	})
}

// The output modes of a search.
const (
	modeContent = "content"
	modeFiles   = "files_with_matches"
	modeCount   = "count"
)

// maxContext is the maximum number of lines of context on each side of a match.
const maxContext = 10_000

func (o GrepOptions) validate(in grepInput) error {
	if err := errors.Join(checkNoNUL("path", in.Path), checkNoNUL("glob", in.Glob), checkNoNUL("exclude", in.Exclude), checkNoNUL("paths", strings.Join(in.Paths, ""))); err != nil {
		return err
	}
	if len(in.Paths) > maxGrepPaths {
		return fmt.Errorf("paths has %d entries, more than the %d that one call searches; give a directory above them, or make several calls", len(in.Paths), maxGrepPaths)
	}
	if in.Type != "" && in.Type != "all" && !slices.Contains(walk.TypeNames(), in.Type) {
		return unknownType(in.Type)
	}
	_, err := grep.Compile(o.query(in))
	return err
}

// unknownType returns the error for a file type that does not exist.
func unknownType(name string) error {
	return &walk.TypeError{Type: name, Near: nearest.Names(name, walk.TypeNames(), 3)}
}

func (o GrepOptions) query(in grepInput) grep.Query {
	around := max(in.Context, in.Around)
	q := grep.Query{
		Pattern:      in.Pattern,
		Fixed:        in.Fixed,
		CRLF:         true, // Read does not show how a line ends
		IgnoreCase:   in.IgnoreCase,
		Multiline:    in.Multiline,
		DotAll:       in.Multiline,
		Before:       min(cmp.Or(in.Before, around), maxContext),
		After:        min(cmp.Or(in.After, around), maxContext),
		OnlyMatching: in.Only && in.OutputMode == modeContent,
		MaxColumns:   o.maxLineBytes(),
		LongLine:     min(o.lineLength, 1<<20),
	}
	switch in.OutputMode {
	case modeContent:
		q.Mode = grep.Content
	case modeCount:
		q.Mode = grep.Count
	default:
		q.Mode = grep.Files
	}
	return q
}

// maxLineBytes returns the maximum length of the shown part of a line, in bytes.
func (o GrepOptions) maxLineBytes() int {
	return min(o.lineLength, 1<<20) * utf8.UTFMax
}

// limits returns the limits of the result.
func (o GrepOptions) limits(c *pegboard.Call, in grepInput) grep.Limits {
	l := grep.Limits{
		Skip:    in.Offset,
		Limit:   o.MaxResults,
		Overlap: len(in.bases()) > 1,
		Allow:   func(path string) bool { return mayRead(c, filepath.FromSlash(path)) },
	}
	if in.HeadLimit != nil {
		l.Limit = *in.HeadLimit
	}
	return l
}

// walkOptions returns which files of the directory at base are searched.
func (o GrepOptions) walkOptions(c *pegboard.Call, in grepInput, base string) walk.Options {
	w := walk.Options{Hidden: !o.NoHidden, NoIgnore: o.NoIgnore, Enter: notVersionControl, Globs: in.globs(c.Cwd(), base)}
	if in.Type != "" {
		w.Types = []string{in.Type}
	}
	return w
}

// notVersionControl reports whether the directory at rel is not the private directory
// of a version control system.
func notVersionControl(rel string) bool {
	return !slices.Contains([]string{".git", ".svn", ".hg", ".bzr", ".jj", ".sl"}, path.Base(rel))
}

func (o GrepOptions) grep(ctx context.Context, in grepInput, c *pegboard.Call) (GrepOutput, error) {
	if c.Parent() != nil {
		o = o.forCode()
	}
	targets, err := decidedTargets(c, len(in.bases()))
	if err != nil {
		return GrepOutput{}, err
	}
	p, err := grep.Compile(o.query(in))
	if err != nil {
		return GrepOutput{}, err
	}
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	s := grep.NewSearch(p, o.limits(c, in))
	var failed []error
	late := false
	for _, t := range targets {
		err := o.searchTarget(limited, s, in, c, t)
		if ctx.Err() != nil {
			return GrepOutput{}, context.Cause(ctx)
		}
		if late = err != nil && limited.Err() != nil; late {
			break
		}
		if bad := new(walk.GlobError); errors.As(err, &bad) {
			return GrepOutput{}, &adviceError{text: bad.Error(), err: err}
		}
		if err != nil {
			failed = append(failed, readError(c, t, err))
		}
	}
	if len(failed) == len(targets) {
		return GrepOutput{}, errors.Join(failed...)
	}
	report := s.Report()
	out := o.output(in, report, func(path string) string {
		return c.ShortPath(filepath.FromSlash(path))
	})
	out.TimedOut, out.failed = late, failed
	if report.Searched == 0 && report.Unreadable == 0 && !late {
		out.unsearched = o.unsearched(in, targets)
	}
	if c.Parent() != nil {
		out.value = out.forCode(report)
	}
	return out, nil
}

// errMayNotBeRead is the error of a search in a single file that permission rules leave
// out.
var errMayNotBeRead = errors.New("permission rules leave it out of searches; tell the user if it is needed")

// searchTarget searches the directory or file t.
func (o GrepOptions) searchTarget(ctx context.Context, s *grep.Search, in grepInput, c *pegboard.Call, t policy.Target) error {
	root, err := realpath.OpenDir(t.Real())
	if err == nil {
		defer func() { _ = root.Close() }()
		return s.Tree(ctx, root, t.Real(), filepath.ToSlash(withSlash(t.Value)), o.walkOptions(c, in, t.Value))
	}
	if !errors.Is(err, realpath.ErrNotDir) {
		return err
	}
	if !mayRead(c, t.Value) {
		return errMayNotBeRead
	}
	f, err := openDecided(t)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.File(ctx, filepath.ToSlash(t.Value), f)
}

// unsearched says why no file was searched.
func (o GrepOptions) unsearched(in grepInput, targets []policy.Target) string {
	var below []string
	for _, t := range targets {
		below = append(below, quotePath(t.Value))
	}
	where := "below " + strings.Join(below, ", ")
	var why []string
	if in.Glob != "" {
		why = append(why, fmt.Sprintf("matches the glob %q", in.Glob))
	}
	if in.Type != "" {
		why = append(why, fmt.Sprintf("has the type %s", in.Type))
	}
	if in.Exclude != "" {
		why = append(why, fmt.Sprintf("is left by the exclude %q", in.Exclude))
	}
	switch {
	case len(why) > 0:
		return fmt.Sprintf("No file %s %s, so nothing was searched.", where, strings.Join(why, " and "))
	case o.NoIgnore:
		return fmt.Sprintf("Nothing was searched: there is no file %s.", where)
	}
	return fmt.Sprintf("Nothing was searched: there is no file %s, or ignore files such as .gitignore name all of them. A file that is given as path is searched in any case.", where)
}

// forCode returns o for a call that code makes: no row and no part of a line is left out
// unless the call says so.
func (o GrepOptions) forCode() GrepOptions {
	o.MaxResults, o.lineLength = 0, math.MaxInt
	return o
}

// forCode returns what code gets of a search: rows as data.
func (out *GrepOutput) forCode(r grep.Report) any {
	switch {
	case out.TimedOut:
		return &pegboard.CodeError{Kind: pegboard.KindTimeout, Text: "The search took too long and was stopped. Use a narrower pattern, path or glob."}
	case out.truncated:
		return &pegboard.CodeError{Kind: pegboard.KindFailed, Text: "The matches take too much memory. Use a narrower pattern, path or glob, or head_limit and offset."}
	}
	v := map[string]any{"mode": out.Mode, "filenames": out.Filenames, "numFiles": out.NumFiles, "totalFiles": out.TotalFiles}
	switch out.Mode {
	case modeContent:
		matches := []any{}
		for i, f := range r.Files {
			for _, row := range f.Rows {
				m := map[string]any{"file": out.Filenames[i], "line": row.Number, "text": strings.TrimSuffix(row.Text, "\r")}
				if row.Context {
					m["context"] = true
				}
				if lost := row.Omitted + row.Skipped; lost > 0 { // a line of megabytes
					m["omittedBytes"] = lost
				}
				matches = append(matches, m)
			}
		}
		v["matches"], v["totalLines"] = matches, out.TotalLines
	case modeCount:
		counts := map[string]any{}
		for i, f := range r.Files {
			counts[out.Filenames[i]] = f.Matches
		}
		v["counts"], v["numMatches"] = counts, out.NumMatches
	}
	if out.unsearched != "" {
		v["unsearched"] = out.unsearched
	}
	var failed []string
	for _, err := range out.failed {
		failed = append(failed, err.Error())
	}
	if len(failed) > 0 {
		v["errors"] = failed
	}
	if out.Unreadable > 0 {
		v["unreadable"] = out.Unreadable
	}
	if out.Binary > 0 {
		v["binary"] = out.Binary
	}
	return v
}

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

// lines describes the call.
func (in grepInput) lines(c *pegboard.Call) pegboard.Summary {
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
	return pegboard.Summary{Before: "Search " + what, While: "Searching " + what}
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
		if count == o.lineLength {
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

// line describes the findings for a person.
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

// notices returns the notes for the model besides the rows.
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

// A PatchedFile is a file that a patch has changed.
type PatchedFile struct {
	FilePath        string          `json:"filePath"`            // absolute
	MovedFrom       string          `json:"movedFrom,omitempty"` // absolute path that the file had, if it was moved
	Type            string          `json:"type"`                // "add", "update" or "delete"
	OriginalFile    *string         `json:"originalFile"`        // nil if the file is new or not text
	StructuredPatch []pegboard.Hunk `json:"structuredPatch"`
}

// mark returns the letter that the model sees before the path.
func (f PatchedFile) mark() string {
	return map[string]string{"add": "A", "update": "M", "delete": "D"}[f.Type]
}
