package files

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// GlobOptions configure [Glob]. The zero value is valid.
type GlobOptions struct {
	// MaxResults is the maximum number of paths in a result. 0 means DefaultMaxResults.
	MaxResults int
	// Timeout is the maximum duration of a search. The result then has the files found
	// so far. 0 means DefaultGlobTimeout.
	Timeout time.Duration
	// Ignore leaves out files that ignore files name, as ripgrep does: the ignore files
	// of git in a repository, and .ignore and .rgignore anywhere.
	Ignore bool
	// NoHidden leaves out files and directories whose names begin with a dot, even if
	// the pattern names them. The directory where the search starts may be hidden.
	NoHidden bool
}

// The defaults of [GlobOptions], as in Claude Code.
const (
	DefaultMaxResults  = 100
	DefaultGlobTimeout = 20 * time.Second
)

// Glob returns the tool that finds files by a pattern of their paths. The result lists
// the files changed last first.
//
// Glob finds regular files. It includes hidden files and the files that ignore files
// name, unless o says otherwise. It neither follows nor lists symbolic links below the
// directory where it starts; that directory may be a link itself. It enters a .git
// directory only if the pattern names .git. A pattern without a slash only matches
// files directly in the directory. Files that permission rules deny are left out and
// counted.
func Glob(o GlobOptions) pegboard.Tool {
	o.MaxResults = orDefault(o.MaxResults, DefaultMaxResults)
	o.Timeout = orDefault(o.Timeout, DefaultGlobTimeout)
	return pegboard.Build(pegboard.Definition[globInput, GlobOutput]{
		Info: pegboard.Info{Name: "Glob"},
		Description: fmt.Sprintf("Finds files by a pattern of their paths, such as **/*.go, and lists them, those changed last first, %d at most. "+
			"A pattern without a slash matches only directly in the directory: write **/name to search below it. "+
			"%s.", o.MaxResults, o.omissionText()),
		Inspect: func(in globInput, _ *pegboard.Call) pegboard.Traits {
			base, _, _ := in.splitBase() // Validate reports the error
			return searchTraits(base)
		},
		Validate: func(_ context.Context, in globInput, _ *pegboard.Call) error {
			_, _, err := in.splitBase()
			return err
		},
		Call:   o.glob,
		Result: globResult,
	})
}

func (o GlobOptions) glob(ctx context.Context, in globInput, c *pegboard.Call) (GlobOutput, error) {
	began := time.Now()
	t, err := decidedTarget(c)
	if err != nil {
		return GlobOutput{}, err
	}
	base, pattern, err := in.splitBase()
	if err != nil {
		return GlobOutput{}, err
	}
	root, err := realpath.OpenDir(t.Real())
	if named := base != in.Path && base != "."; named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, realpath.ErrNotDir)) {
		// A directory that the pattern names and that does not exist is no error: nothing matches.
		return GlobOutput{Filenames: []string{}, note: readError(c, t, err).Error()}, nil
	} else if err != nil {
		return GlobOutput{}, readError(c, t, err)
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
		return GlobOutput{}, readError(c, t, err)
	}
	if err := o.selectNewest(ctx, c, t.Value, found, &out); err != nil {
		return GlobOutput{}, err
	}
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

// omissionText says in the description which files are found and which are not.
func (o GlobOptions) omissionText() string {
	others := "directories and symbolic links"
	if o.Ignore {
		others = "files that ignore files name, " + others
	}
	if o.NoHidden {
		return "Hidden files, " + others + " are not found"
	}
	return "Hidden files are found, " + others + " are not"
}

// find returns the files below root, the directory dir, that match p, in no particular
// order. If there is an error, the result has the files found before it.
func (o GlobOptions) find(ctx context.Context, root *os.Root, dir string, p pathPattern) ([]globMatch, walk.Report, error) {
	options := walk.Options{NoIgnore: !o.Ignore, Hidden: !o.NoHidden, MaxDepth: p.maxDepth, Enter: p.canContain}
	found := make([][]globMatch, options.NumWorkers())
	report, err := walk.Run(ctx, root, dir, options, func(worker int, e *walk.Entry) error {
		if !p.matches(e.Rel) {
			return nil
		}
		if info, err := e.Info(); err == nil { // otherwise the file was removed
			found[worker] = append(found[worker], globMatch{name: e.Rel, changed: info.ModTime.UnixMicro()})
		}
		return nil
	})
	return slices.Concat(found...), report, err
}

// selectNewest sets the results of out to the newest of the files that the session may
// read. It only asks for the permissions that it needs.
func (o GlobOptions) selectNewest(ctx context.Context, c *pegboard.Call, base string, found []globMatch, out *GlobOutput) error {
	out.Filenames = []string{}
	left := newestFirst(found)
	for heap.Init(&left); len(left) > 0; heap.Pop(&left) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m := left[0]
		abs := filepath.Join(base, filepath.FromSlash(m.name))
		if !mayRead(c, abs) {
			out.Hidden++
			continue
		}
		if out.NumFiles == o.MaxResults {
			out.Truncated = true
			break
		}
		out.Filenames = append(out.Filenames, shortPath(c.Session().Dir(), abs))
		out.NumFiles++
	}
	out.TotalMatches = len(found) - out.Hidden
	return nil
}

// shortPath returns abs relative to dir if it is below dir, and abs otherwise.
func shortPath(dir, abs string) string {
	if !realpath.Contains(dir, abs) {
		return abs
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return abs
	}
	return rel
}
