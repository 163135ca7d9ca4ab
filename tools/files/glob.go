package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
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
// included. It neither follows nor lists symbolic links below the directory it
// starts in, which may be one itself, and it looks into a .git directory only if
// the pattern says .git. A pattern without a slash matches directly in that
// directory. Files that permission rules deny are left out and counted.
func Glob(o GlobOptions) pegboard.Tool {
	o.MaxResults = orDefault(o.MaxResults, DefaultMaxResults)
	o.Timeout = orDefault(o.Timeout, DefaultGlobTimeout)
	return pegboard.Build(pegboard.Definition[globInput, GlobOutput]{
		Info: pegboard.Info{Name: "Glob"},
		Description: fmt.Sprintf("Finds files by a pattern of their paths, such as **/*.go, and lists them, those changed last first, %d at most. "+
			"A pattern without a slash matches only directly in the directory: write **/name to search below it. "+
			"Hidden files are found, directories and symbolic links are not.", o.MaxResults),
		Inspect: func(in globInput, _ *pegboard.Call) pegboard.Traits {
			base, _, _ := in.split() // Validate reports the error
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.Path, Access: pegboard.Read, Value: base, Tree: true, Filtered: true}},
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
	w := newWalk(root, pattern)
	err = w.run(limited)
	if ctx.Err() != nil {
		return GlobOutput{}, context.Cause(ctx)
	}
	out := GlobOutput{TimedOut: limited.Err() != nil, Unreadable: w.unreadable}
	if err != nil && !out.TimedOut {
		return GlobOutput{}, explain(c, t, err)
	}
	if err := o.choose(ctx, c, t.Value, w.found, &out); err != nil {
		return GlobOutput{}, err
	}
	out.DurationMs = time.Since(began).Milliseconds()
	return out, nil
}

// choose puts the newest of found that may be read into out. It asks for
// permission no further than it has to.
func (o GlobOptions) choose(ctx context.Context, c *pegboard.Call, base string, found []match, out *GlobOutput) error {
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.name, b.name))
	})
	out.Filenames = []string{}
	for _, m := range found {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		abs := filepath.Join(base, filepath.FromSlash(m.name))
		if !c.Filter(pegboard.Target{Kind: pegboard.Path, Access: pegboard.Read, Value: abs}) {
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
