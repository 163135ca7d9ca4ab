package files

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// GlobOptions configure [Glob]. The zero value is valid. The limit of a session, see
// [pegboard.KeyFileLimits], holds in place of MaxResults.
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
// name, unless o says otherwise. It neither follows nor finds symbolic links below the
// directory where it starts; that directory may be a link itself. It enters a .git
// directory only if the pattern names .git. Files that permission rules deny are left out
// and counted.
//
//   - A pattern that ends in a slash finds directories.
//   - A name without a slash and without wildcards is looked for below the directory, too;
//     *.go matches directly in the directory only.
//   - A path without wildcards that leads to a directory lists what is directly in it.
//   - Commas outside braces separate patterns, and may also belong to a name.
//
// If a pattern without ** also matches directories or symbolic links, or if no file
// matches, the result names these, too: the pattern * lists a directory.
func Glob(o GlobOptions) pegboard.Tool {
	o.MaxResults = orDefault(o.MaxResults, DefaultMaxResults)
	o.Timeout = orDefault(o.Timeout, DefaultGlobTimeout)
	return pegboard.Build(pegboard.Definition[globInput, GlobOutput]{
		Info:        pegboard.Info{Name: "Glob", Title: "Find files"},
		Description: o.description(),
		Prompt:      func(s pegboard.Scope) string { return o.in(s.Session).description() },
		Inspect: func(in globInput, _ *pegboard.Call) pegboard.Traits {
			searches, _ := in.searches() // Validate reports the error
			var bases []string
			for _, s := range searches {
				bases = append(bases, s.base)
			}
			traits := searchTraits(bases...)
			if in.lists() {
				traits.Kind = pegboard.KindList
			}
			return traits
		},
		Lines: func(in globInput, c *pegboard.Call) pegboard.Lines {
			what := in.Pattern
			if in.Path != "" {
				what += " in " + c.ShortPath(in.Path)
			}
			return pegboard.Lines{Before: "Find " + what, While: "Finding " + what}
		},
		Observe: globInput.observe,
		Validate: func(_ context.Context, in globInput, _ *pegboard.Call) error {
			_, err := in.searches()
			return err
		},
		Equivalent: pegboard.SameInput[globInput],
		ClassifierInput: func(in globInput, _ *pegboard.Call) string {
			return fmt.Sprintf("%s in %s", in.Pattern, cmp.Or(in.Path, "."))
		},
		Call:   o.glob,
		Result: globResult,
	})
}

// description returns the description of the tool for the model.
func (o GlobOptions) description() string {
	return fmt.Sprintf("Finds files by a pattern of their paths, such as **/*.go, and lists them, those changed last first, %d at most. "+
		"*.go matches only directly in the directory, **/*.go also below it, and so does a name such as main.go. "+
		"The pattern * lists a directory, with the directories in it. %s.", o.MaxResults, o.omissionText())
}

// in returns o with the limit of s.
func (o GlobOptions) in(s *pegboard.Session) GlobOptions {
	limits, _ := pegboard.KeyFileLimits.Get(s)
	o.MaxResults = orDefault(limits.GlobFiles, o.MaxResults)
	return o
}

func (o GlobOptions) glob(ctx context.Context, in globInput, c *pegboard.Call) (GlobOutput, error) {
	began := time.Now()
	searches, err := in.searches()
	if err != nil {
		return GlobOutput{}, err
	}
	targets, err := decidedTargets(c, len(searches))
	if err != nil {
		return GlobOutput{}, err
	}
	if o = o.in(c.Session()); c.Parent() != nil {
		o.MaxResults = math.MaxInt // code gets all
	}
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	var found globFindings
	for i, s := range searches {
		if err = o.search(limited, c, s, targets[i], &found); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return GlobOutput{}, context.Cause(ctx)
	}
	out := GlobOutput{TimedOut: err != nil && limited.Err() != nil}
	if err != nil && !out.TimedOut {
		return GlobOutput{}, err
	}
	if len(searches) > 1 {
		found.compact()
		if path := realpath.Abs(c.Dir(), c.Session().Home(), in.below(filepath.ToSlash(in.Pattern))); found.hasFile(path) {
			found.notes = nil // a name with commas was meant, and no list
		}
	}
	if err := o.selectNewest(ctx, c, &found, &out); err != nil {
		return GlobOutput{}, err
	}
	o.addOthers(c, &found, &out)
	out.onlyDirs = !slices.ContainsFunc(searches, func(s globSearch) bool { return !s.patterns.onlyDirs() })
	if len(searches) == 1 && out.isEmpty() {
		if note := o.emptyNote(limited, c, searches[0], targets[0]); note != "" {
			out.notes = append(out.notes, note)
		}
	}
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

// omissionText says in the description which files are found and which are not.
func (o GlobOptions) omissionText() string {
	switch {
	case o.Ignore && o.NoHidden:
		return "Hidden files, files that ignore files name and symbolic links are not found"
	case o.Ignore:
		return "Hidden files are found, files that ignore files name and symbolic links are not"
	case o.NoHidden:
		return "Hidden files and symbolic links are not found"
	}
	return "Hidden files are found, symbolic links are not"
}

// search adds the matches of s, whose base is the target t, to found. If there is an
// error, found has the matches before it.
func (o GlobOptions) search(ctx context.Context, c *pegboard.Call, s globSearch, t pegboard.Target, found *globFindings) error {
	root, err := realpath.OpenDir(t.Real())
	switch {
	case err == nil && s.literal && !s.ofDirs:
		found.notes = append(found.notes, quotePath(t.Value)+" is a directory. This is what is directly in it.")
	case errors.Is(err, realpath.ErrNotDir) && s.literal && !s.ofDirs:
		return found.addFile(c, t)
	case s.named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, realpath.ErrNotDir)):
		// A path that the pattern names and that does not exist is no error: nothing matches.
		found.notes = append(found.notes, readError(c, t, err).Error())
		return nil
	case err != nil:
		return readError(c, t, err)
	}
	defer func() { _ = root.Close() }()
	if err := o.walk(ctx, root, t, s.patterns, found); err != nil && ctx.Err() == nil {
		return readError(c, t, err)
	}
	return ctx.Err()
}

// walk adds what is below root, the directory t, and matches ps to found. If there is an
// error, found has the matches before it.
func (o GlobOptions) walk(ctx context.Context, root *os.Root, t pegboard.Target, ps pathPatterns, found *globFindings) error {
	options := walk.Options{NoIgnore: !o.Ignore, Hidden: !o.NoHidden, MaxDepth: ps.maxDepth(), Enter: ps.canContain}
	byWorker := make([]globFindings, options.NumWorkers())
	listing := ps.maxDepth() > 0 // otherwise there may be far more directories than files
	options.Other = func(worker int, rel string, link bool) {
		matches, wanted := ps.matchesDir(rel)
		if !matches {
			return
		}
		f, path := &byWorker[worker], filepath.Join(t.Value, filepath.FromSlash(rel))
		switch {
		case link && listing:
			f.links = append(f.links, path)
		case link:
			f.otherLinks = append(f.otherLinks, path)
		case listing || wanted:
			f.dirs = append(f.dirs, path)
		default:
			f.otherDirs = append(f.otherDirs, path)
		}
	}
	report, err := walk.Run(ctx, root, t.Real(), options, func(worker int, e *walk.Entry) error {
		if !ps.matchesFile(e.Rel) {
			return nil
		}
		if info, err := e.Info(); err == nil { // otherwise the file was removed
			f := &byWorker[worker]
			f.files = append(f.files, globMatch{dir: t.Value, name: e.Rel, changed: info.ModTime.UnixMicro()})
		}
		return nil
	})
	for i := range byWorker {
		found.add(&byWorker[i])
	}
	found.unreadable += report.Unreadable
	return err
}

// selectNewest sets the results of out to the newest of the files that the session may
// read. It only asks for the permissions that it needs.
func (o GlobOptions) selectNewest(ctx context.Context, c *pegboard.Call, found *globFindings, out *GlobOutput) error {
	out.Filenames = []string{}
	left := newestFirst(found.files)
	for heap.Init(&left); len(left) > 0; heap.Pop(&left) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		abs := left[0].path()
		if !mayRead(c, abs) {
			out.Hidden++
			continue
		}
		if out.NumFiles == o.MaxResults {
			out.Truncated = true
			break
		}
		out.Filenames = append(out.Filenames, c.ShortPath(abs))
		out.NumFiles++
	}
	out.TotalMatches = len(found.files) - out.Hidden
	return nil
}

// addOthers adds to out what was found besides files.
func (o GlobOptions) addOthers(c *pegboard.Call, found *globFindings, out *GlobOutput) {
	out.Unreadable, out.notes = found.unreadable, found.notes
	out.Directories, out.moreDirs = o.shownPaths(c, found.shownDirs())
	out.Links, out.moreLinks = o.shownPaths(c, found.shownLinks())
	if len(out.Directories) > 0 && len(found.files) == 0 && len(found.dirs) == 0 {
		out.firstDir = realpath.Abs(c.Dir(), c.Session().Home(), out.Directories[0])
	}
}

// shownPaths returns the first of the paths that the session may read, and how many more
// there are.
func (o GlobOptions) shownPaths(c *pegboard.Call, paths []string) (shown []string, more int) {
	for _, path := range paths {
		switch {
		case !mayRead(c, path):
		case len(shown) < o.MaxResults:
			shown = append(shown, c.ShortPath(path))
		default:
			more++
		}
	}
	return shown, more
}

// emptyNote says for a search without matches what is there instead.
func (o GlobOptions) emptyNote(ctx context.Context, c *pegboard.Call, s globSearch, t pegboard.Target) string {
	root, err := realpath.OpenDir(t.Real())
	if err != nil || len(s.patterns) != 1 {
		return ""
	}
	defer func() { _ = root.Close() }()
	p := s.patterns[0]
	switch {
	case p.text == "*" && !p.ofDirs && !o.NoHidden && !o.Ignore:
		return "The directory is empty."
	case p.ofDirs || p.maxDepth != 1 || s.named:
		return ""
	}
	below := "**/" + p.text
	var found globFindings
	_ = o.walk(ctx, root, t, pathPatterns{newPathPattern(below)}, &found) // what was found before an error counts
	if !slices.ContainsFunc(found.files, func(m globMatch) bool { return mayRead(c, m.path()) }) {
		return ""
	}
	return fmt.Sprintf("Nothing matches directly in the directory, but files below it do: use the pattern %q.", below)
}
