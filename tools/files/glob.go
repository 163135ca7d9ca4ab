package files

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// The defaults of [GlobOptions], those of the best-known harness.
const (
	DefaultMaxResults  = 100
	DefaultGlobTimeout = 20 * time.Second
)

// GlobOptions change [Glob]. The zero value works.
type GlobOptions struct {
	// MaxResults is how many paths are returned; 0 means DefaultMaxResults.
	MaxResults int
	// Timeout is how long a search may take. What was found by then is
	// returned. 0 means DefaultGlobTimeout.
	Timeout time.Duration
	// Ignore leaves out what ignore files name, as ripgrep does: those of git in
	// a repository, .ignore and .rgignore anywhere.
	Ignore bool
	// NoHidden leaves out files and directories whose names begin with a dot,
	// also if the pattern says so. The directory where a search begins may be
	// one.
	NoHidden bool
}

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"What to look for, such as **/*.go, src/*.{js,ts} or cmd/*/main.go. A * stays within one name, ** stands for any number of directories."`
	Path    string `json:"path,omitempty" jsonschema_description:"The directory to search in (default: the working directory). An absolute pattern needs none."`
}

// GlobOutput is what a host gets as Result.Data of [Glob].
type GlobOutput struct {
	DurationMs int64 `json:"durationMs"`
	NumFiles   int   `json:"numFiles"`
	// Filenames are relative to the session's directory if they lie below it,
	// otherwise absolute; the file changed last comes first.
	Filenames    []string `json:"filenames"`
	Truncated    bool     `json:"truncated"`    // there are more
	TotalMatches int      `json:"totalMatches"` // found, but for those known to be hidden
	TimedOut     bool     `json:"timedOut,omitempty"`
	Hidden       int      `json:"hidden,omitempty"`     // left out by permission rules
	Unreadable   int      `json:"unreadable,omitempty"` // directories

	note string // for the model
}

// Glob returns the tool that finds files by a pattern of their names, those
// changed last first.
//
// It finds regular files, hidden ones and those that ignore files name
// included unless o says otherwise. It neither follows nor lists symbolic links
// below the directory it starts in, which may be one itself, and it looks into a
// .git directory only if the pattern says .git. A pattern without a slash matches directly in that
// directory. Files that permission rules deny are left out and counted.
func Glob(o GlobOptions) pegboard.Tool {
	o.MaxResults = orDefault(o.MaxResults, DefaultMaxResults)
	o.Timeout = orDefault(o.Timeout, DefaultGlobTimeout)
	return pegboard.Build(pegboard.Definition[globInput, GlobOutput]{
		Info: pegboard.Info{Name: "Glob"},
		Description: fmt.Sprintf("Finds files by a pattern of their paths, such as **/*.go, and lists them, those changed last first, %d at most. "+
			"A pattern without a slash matches only directly in the directory: write **/name to search below it. "+
			"%s.", o.MaxResults, o.omissions()),
		Inspect: func(in globInput, _ *pegboard.Call) pegboard.Traits {
			base, _, _ := in.split() // Validate reports the error
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: base, Tree: true, Filtered: true}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
			}
		},
		Validate: func(_ context.Context, in globInput, _ *pegboard.Call) error {
			_, _, err := in.split()
			return err
		},
		Call:   o.glob,
		Result: globResult,
	})
}

func (o GlobOptions) glob(ctx context.Context, in globInput, c *pegboard.Call) (GlobOutput, error) {
	began := time.Now()
	t, err := decided(c)
	if err != nil {
		return GlobOutput{}, err
	}
	base, pattern, err := in.split()
	if err != nil {
		return GlobOutput{}, err
	}
	root, err := realpath.OpenDir(t.Real())
	if named := base != in.Path && base != "."; named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, realpath.ErrNotDir)) {
		// Directories that a pattern names match nothing when they are not there.
		return GlobOutput{Filenames: []string{}, note: explain(c, t, err).Error()}, nil
	} else if err != nil {
		return GlobOutput{}, explain(c, t, err)
	}
	defer func() { _ = root.Close() }()

	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	found, report, err := o.find(limited, root, t.Real(), newPathPattern(pattern))
	if ctx.Err() != nil {
		return GlobOutput{}, context.Cause(ctx)
	}
	out := GlobOutput{TimedOut: err != nil && limited.Err() != nil, Unreadable: report.Unreadable}
	if err != nil && !out.TimedOut {
		return GlobOutput{}, explain(c, t, err)
	}
	if err := o.choose(ctx, c, t.Value, found, &out); err != nil {
		return GlobOutput{}, err
	}
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

// omissions says what is found and what is not.
func (o GlobOptions) omissions() string {
	others := "directories and symbolic links"
	if o.Ignore {
		others = "files that ignore files name, " + others
	}
	if o.NoHidden {
		return "Hidden files, " + others + " are not found"
	}
	return "Hidden files are found, " + others + " are not"
}

// A match is a file that was found.
type match struct {
	name    string // from the root, with slashes
	changed int64  // in microseconds since 1970
}

// newestFirst is a heap of matches, those changed last on top, then by name.
type newestFirst []match

func (h newestFirst) Len() int      { return len(h) }
func (h newestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h newestFirst) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].changed, h[i].changed), cmp.Compare(h[i].name, h[j].name)) < 0
}

// Push is there for heap.Interface.
func (h *newestFirst) Push(m any) {
	if m, ok := m.(match); ok {
		*h = append(*h, m)
	}
}

// Pop is there for heap.Interface.
func (h *newestFirst) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}

// find returns the files below root, the directory dir, that match p, in no
// order. What was found before an error counts.
func (o GlobOptions) find(ctx context.Context, root *os.Root, dir string, p pathPattern) ([]match, walk.Report, error) {
	options := walk.Options{NoIgnore: !o.Ignore, Hidden: !o.NoHidden, MaxDepth: p.depth, Enter: p.enters}
	found := make([][]match, options.NumWorkers())
	report, err := walk.Run(ctx, root, dir, options, func(worker int, e *walk.Entry) error {
		if !p.matches(e.Rel) {
			return nil
		}
		if info, err := e.Info(); err == nil { // otherwise it is gone already
			found[worker] = append(found[worker], match{name: e.Rel, changed: info.ModTime.UnixMicro()})
		}
		return nil
	})
	return slices.Concat(found...), report, err
}

// choose puts the newest of found that may be read into out. It asks for
// permission no further than it has to.
func (o GlobOptions) choose(ctx context.Context, c *pegboard.Call, base string, found []match, out *GlobOutput) error {
	out.Filenames = []string{}
	left := newestFirst(found)
	for heap.Init(&left); len(left) > 0; heap.Pop(&left) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m := left[0]
		abs := filepath.Join(base, filepath.FromSlash(m.name))
		if !c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: abs}) {
			out.Hidden++
			continue
		}
		if out.NumFiles == o.MaxResults {
			out.Truncated = true
			break
		}
		out.Filenames = append(out.Filenames, short(c.Session().Dir(), abs))
		out.NumFiles++
	}
	out.TotalMatches = len(found) - out.Hidden
	return nil
}

// short returns abs as seen from dir if it lies below.
func short(dir, abs string) string {
	if !realpath.Contains(dir, abs) {
		return abs
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return abs
	}
	return rel
}

// globResult is what the model is shown: a path a line, then what it should know
// beside. A name that would not stay on its line is quoted like a Go string.
func globResult(out GlobOutput) *pegboard.Result {
	var shown []string
	for _, name := range out.Filenames {
		if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
			name = strconv.Quote(name)
		}
		shown = append(shown, name)
	}
	if len(shown) == 0 {
		shown = append(shown, "No files found")
	}
	if out.note != "" {
		shown = append(shown, "["+out.note+"]")
	}
	if out.Truncated {
		shown = append(shown, fmt.Sprintf("[Cut: the %d files changed last of %d. Use a narrower pattern or path to see others.]", out.NumFiles, out.TotalMatches))
	}
	if out.TimedOut {
		shown = append(shown, "[Incomplete: the search took too long and was stopped. Use a narrower pattern or path.]")
	}
	if out.Unreadable > 0 {
		shown = append(shown, fmt.Sprintf("[%d of the directories could not be read.]", out.Unreadable))
	}
	if out.Hidden > 0 {
		shown = append(shown, fmt.Sprintf("[%s left out, for want of permission to read: tell the user if they are needed.]", plural(out.Hidden, "file")))
	}
	return &pegboard.Result{Parts: []pegboard.Part{{Text: strings.Join(shown, "\n")}}, Data: out}
}
