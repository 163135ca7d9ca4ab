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

// The defaults of [GlobOptions], those of the best-known harness.
const (
	DefaultMaxResults  = 100
	DefaultGlobTimeout = 20 * time.Second
)

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
			"%s.", o.MaxResults, o.omissionText()),
		Inspect: func(in globInput, _ *pegboard.Call) pegboard.Traits {
			base, _, _ := in.splitBase() // Validate reports the error
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: base, Tree: true, Filtered: true}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
			}
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
		// Directories that a pattern names match nothing when they are not there.
		return GlobOutput{Filenames: []string{}, note: explainRead(c, t, err).Error()}, nil
	} else if err != nil {
		return GlobOutput{}, explainRead(c, t, err)
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
		return GlobOutput{}, explainRead(c, t, err)
	}
	if err := o.selectNewest(ctx, c, t.Value, found, &out); err != nil {
		return GlobOutput{}, err
	}
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

// omissionText says what is found and what is not.
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

// find returns the files below root, the directory dir, that match p, in no
// order. What was found before an error counts.
func (o GlobOptions) find(ctx context.Context, root *os.Root, dir string, p pathPattern) ([]globMatch, walk.Report, error) {
	options := walk.Options{NoIgnore: !o.Ignore, Hidden: !o.NoHidden, MaxDepth: p.maxDepth, Enter: p.canContain}
	found := make([][]globMatch, options.NumWorkers())
	report, err := walk.Run(ctx, root, dir, options, func(worker int, e *walk.Entry) error {
		if !p.matches(e.Rel) {
			return nil
		}
		if info, err := e.Info(); err == nil { // otherwise it is gone already
			found[worker] = append(found[worker], globMatch{name: e.Rel, changed: info.ModTime.UnixMicro()})
		}
		return nil
	})
	return slices.Concat(found...), report, err
}

// selectNewest puts the newest of found that may be read into out. It asks for
// permission no further than it has to.
func (o GlobOptions) selectNewest(ctx context.Context, c *pegboard.Call, base string, found []globMatch, out *GlobOutput) error {
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
		out.Filenames = append(out.Filenames, shortPath(c.Session().Dir(), abs))
		out.NumFiles++
	}
	out.TotalMatches = len(found) - out.Hidden
	return nil
}

// shortPath returns abs as seen from dir if it lies below.
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
