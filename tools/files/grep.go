package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// GrepOptions configure [Grep]. The zero value is valid.
type GrepOptions struct {
	// MaxResults is the maximum number of rows that a call returns if it has no limit
	// of its own: lines or files, depending on the mode. 0 means DefaultGrepResults.
	MaxResults int
	// MaxLineLength is the maximum number of characters shown of a line. Of a longer line
	// the part around its first match is shown. 0 means DefaultMaxLineLength.
	MaxLineLength int
	// MaxBytes is the approximate memory for the rows of one call, in bytes. The result
	// says if rows are missing for this reason. 0 means 20 MiB.
	MaxBytes int
	// Timeout is the maximum duration of a search. The result then has the matches
	// found so far. 0 means DefaultGrepTimeout.
	Timeout time.Duration
	// NoHidden leaves out files and directories whose names begin with a dot. The
	// directories of version control systems, such as .git, are left out in any case.
	NoHidden bool
	// NoIgnore includes the files that .gitignore and other ignore files name.
	NoIgnore bool
}

// The defaults of [GrepOptions].
const (
	DefaultGrepResults = 250              // as in Claude Code
	DefaultGrepTimeout = 20 * time.Second // the time that Claude Code allows for Glob
)

type grepInput struct {
	Pattern    string   `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"The regular expression to look for, in the syntax of ripgrep, such as log.*Error or func\\s+\\w+. Braces that are meant as they are need a \\ before."`
	Path       string   `json:"path,omitempty" jsonschema_description:"The file or directory to search (default: the working directory)."`
	Paths      []string `json:"paths,omitempty" jsonschema_description:"Several files and directories to search."`
	Glob       string   `json:"glob,omitempty" jsonschema_description:"Searches only files whose path matches, such as *.js or src/**/*.{ts,tsx}; several with commas between; with a ! before it, only others."`
	Exclude    string   `json:"exclude,omitempty" jsonschema_description:"Leaves out files and directories whose path matches, such as *_test.go or testdata/; several with commas between."`
	Type       string   `json:"type,omitempty" jsonschema_description:"Searches only files of a type, such as go, py, js, ts, rust or java."`
	OutputMode string   `json:"output_mode,omitempty" jsonschema:"enum=content,enum=files_with_matches,enum=count" jsonschema_description:"content shows the lines that match, files_with_matches (the default) the paths of their files, count how many lines match in each file."`
	Fixed      bool     `json:"fixed_strings,omitempty" jsonschema_description:"The pattern is a text to find as it is, not a regular expression."`
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
	o.MaxLineLength = orDefault(o.MaxLineLength, DefaultMaxLineLength)
	o.Timeout = orDefault(o.Timeout, DefaultGrepTimeout)
	return pegboard.Build(pegboard.Definition[grepInput, GrepOutput]{
		Info: pegboard.Info{Name: "Grep", Title: "Search files"},
		Description: "Searches the contents of files for a regular expression, as ripgrep does: files that .gitignore names are left out, hidden ones are not. " +
			fmt.Sprintf("It returns the paths of files with a match, or with output_mode the lines that match or their number, %d rows at most unless head_limit says otherwise.", o.MaxResults),
		Inspect: func(in grepInput, _ *pegboard.Call) pegboard.Traits {
			return searchTraits(in.bases()...)
		},
		Lines:      grepInput.lines,
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
		LongLine:     min(o.MaxLineLength, 1<<20),
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
	return min(o.MaxLineLength, 1<<20) * utf8.UTFMax
}

// limits returns the limits of the result.
func (o GrepOptions) limits(c *pegboard.Call, in grepInput) grep.Limits {
	l := grep.Limits{
		Skip:     in.Offset,
		Limit:    o.MaxResults,
		MaxBytes: o.MaxBytes,
		Overlap:  len(in.bases()) > 1,
		Allow:    func(path string) bool { return mayRead(c, filepath.FromSlash(path)) },
	}
	if in.HeadLimit != nil {
		l.Limit = *in.HeadLimit
	}
	return l
}

// walkOptions returns which files of the directory at base are searched.
func (o GrepOptions) walkOptions(c *pegboard.Call, in grepInput, base string) walk.Options {
	w := walk.Options{Hidden: !o.NoHidden, NoIgnore: o.NoIgnore, Enter: notVersionControl, Globs: in.globs(c.Dir(), base)}
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
func (o GrepOptions) searchTarget(ctx context.Context, s *grep.Search, in grepInput, c *pegboard.Call, t pegboard.Target) error {
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
func (o GrepOptions) unsearched(in grepInput, targets []pegboard.Target) string {
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
