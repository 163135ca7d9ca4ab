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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
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
//   - A path without wildcards that leads to a directory lists its direct content.
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
		Summary: func(in globInput, c *pegboard.Call) pegboard.Summary {
			what := in.Pattern
			if in.Path != "" {
				what += " in " + c.ShortPath(in.Path)
			}
			return pegboard.Summary{Before: "Find " + what, While: "Finding " + what}
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
		if path := realpath.Abs(c.Cwd(), c.Session().Home(), in.below(filepath.ToSlash(in.Pattern))); found.hasFile(path) {
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
func (o GlobOptions) search(ctx context.Context, c *pegboard.Call, s globSearch, t policy.Target, found *globFindings) error {
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

// walk adds the matches for ps below root, the directory t, to found. If there is an error, found
// has the matches before it.
func (o GlobOptions) walk(ctx context.Context, root *os.Root, t policy.Target, ps pathPatterns, found *globFindings) error {
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

// addOthers adds the findings other than files to out.
func (o GlobOptions) addOthers(c *pegboard.Call, found *globFindings, out *GlobOutput) {
	out.Unreadable, out.notes = found.unreadable, found.notes
	out.Directories, out.moreDirs = o.shownPaths(c, found.shownDirs())
	out.Links, out.moreLinks = o.shownPaths(c, found.shownLinks())
	if len(out.Directories) > 0 && len(found.files) == 0 && len(found.dirs) == 0 {
		out.firstDir = realpath.Abs(c.Cwd(), c.Session().Home(), out.Directories[0])
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

// emptyNote returns a note about the files that are there instead, for a search without matches,
// or "".
func (o GlobOptions) emptyNote(ctx context.Context, c *pegboard.Call, s globSearch, t policy.Target) string {
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
	_ = o.walk(ctx, root, t, pathPatterns{newPathPattern(below)}, &found) // matches before an error count
	if !slices.ContainsFunc(found.files, func(m globMatch) bool { return mayRead(c, m.path()) }) {
		return ""
	}
	return fmt.Sprintf("Nothing matches directly in the directory, but files below it do: use the pattern %q.", below)
}

// globFindings are the results of a search, in no particular order.
type globFindings struct {
	files      []globMatch
	dirs       []string // absolute paths of directories to be shown
	otherDirs  []string // absolute paths of directories to be shown if there is nothing else
	links      []string // absolute paths of symbolic links to be shown
	otherLinks []string
	unreadable int
	notes      []string // for the model
}

// add adds the findings of another walk.
func (f *globFindings) add(g *globFindings) {
	f.files = append(f.files, g.files...)
	f.dirs, f.otherDirs = append(f.dirs, g.dirs...), append(f.otherDirs, g.otherDirs...)
	f.links, f.otherLinks = append(f.links, g.links...), append(f.otherLinks, g.otherLinks...)
}

// addFile adds the file t, if it is a regular file.
func (f *globFindings) addFile(c *pegboard.Call, t policy.Target) error {
	file, err := realpath.Open(t.Real())
	if err != nil {
		f.notes = append(f.notes, readError(c, t, err).Error())
		return nil
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return readError(c, t, err)
	}
	f.files = append(f.files, globMatch{dir: t.Value, changed: info.ModTime().UnixMicro()})
	return nil
}

// compact drops duplicates. They come from searches in directories of which one holds the other.
func (f *globFindings) compact() {
	seen := make(map[string]bool, len(f.files))
	f.files = slices.DeleteFunc(f.files, func(m globMatch) bool {
		path := m.path()
		was := seen[path]
		seen[path] = true
		return was
	})
	for _, paths := range []*[]string{&f.dirs, &f.otherDirs, &f.links, &f.otherLinks} {
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
}

// hasFile reports whether the file at an absolute path was found.
func (f *globFindings) hasFile(path string) bool {
	return slices.ContainsFunc(f.files, func(m globMatch) bool { return m.path() == path })
}

// shownDirs returns the directories to show, by name.
func (f *globFindings) shownDirs() []string { return f.orElse(f.dirs, f.otherDirs) }

// shownLinks returns the symbolic links to show, by name.
func (f *globFindings) shownLinks() []string { return f.orElse(f.links, f.otherLinks) }

// orElse returns paths, and others if nothing else was found.
func (f *globFindings) orElse(paths, others []string) []string {
	if len(f.files) == 0 && len(f.dirs) == 0 {
		paths = slices.Concat(paths, others)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// withSlash returns the path of a directory with a slash at its end.
func withSlash(path string) string {
	if strings.HasSuffix(path, string(os.PathSeparator)) {
		return path
	}
	return path + string(os.PathSeparator)
}

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"What to look for, such as **/*.go, src/*.{js,ts} or cmd/*/main.go; several with commas between. A * stays within one name, ** stands for any number of directories. With a / at its end it finds directories: */ lists those of the directory."`
	Path    string `json:"path,omitempty" jsonschema_description:"The directory to search in (default: the working directory). An absolute pattern needs none."`
}

// maxGlobPatterns is the maximum number of patterns in a list.
const maxGlobPatterns = 100

// lists reports whether the call lists a directory.
func (in globInput) lists() bool {
	pattern := filepath.ToSlash(in.Pattern)
	dir, isAll := strings.CutSuffix(pattern, "*")
	return strings.HasSuffix(pattern, "/") || isAll && isLiteral(dir) && (dir == "" || strings.HasSuffix(dir, "/"))
}

// searches returns the searches for a call, one for each directory. It returns them even with an
// error, since they still describe the call.
func (in globInput) searches() ([]globSearch, error) {
	refuse := func(err error) ([]globSearch, error) { return []globSearch{{base: in.directory()}}, err }
	if err := errors.Join(checkNoNUL("pattern", in.Pattern), checkNoNUL("path", in.Path)); err != nil {
		return refuse(err)
	}
	patterns := splitList(filepath.ToSlash(in.Pattern))
	if len(patterns) > maxGlobPatterns {
		return refuse(fmt.Errorf("the pattern is a list of %d, more than the %d that one call takes; make several calls", len(patterns), maxGlobPatterns))
	}
	var all []globSearch
	for _, pattern := range patterns {
		if err := checkGlob(pattern); err != nil {
			return refuse(err)
		}
		all = in.search(pattern).addTo(all)
	}
	if len(patterns) > 1 && !slices.ContainsFunc(patterns[1:], isRooted) {
		all = in.commaSearch(filepath.ToSlash(in.Pattern)).addTo(all)
	}
	return all, nil
}

// directory returns the directory that patterns start from.
func (in globInput) directory() string { return cmp.Or(in.Path, ".") }

// search returns the search for one pattern. Directories that the pattern names literally
// belong to the base: the permission then covers no more than is searched, and a link
// among them is resolved before the decision.
func (in globInput) search(pattern string) globSearch {
	bare := !strings.Contains(pattern, "/") && isLiteral(pattern) && pattern != "." && pattern != "~"
	ofDirs := strings.HasSuffix(pattern, "/")
	pattern = path.Clean(pattern)
	if isLiteral(pattern) && !bare {
		return globSearch{base: in.below(pattern), named: true, literal: true, ofDirs: ofDirs, patterns: pathPatterns{newPathPattern("*")}}
	}
	literal, rest := doublestar.SplitPattern(pattern)
	if bare {
		rest = "**/" + rest
	}
	if strings.HasSuffix(rest, "/**") {
		rest += "/*" // b/** matches everything below b, but not b
	}
	p := newPathPattern(rest)
	p.ofDirs = ofDirs
	s := globSearch{base: in.directory(), patterns: pathPatterns{p}}
	if literal != "." {
		s.base, s.named = in.below(literal), true
	}
	return s
}

// commaSearch returns the search for a pattern with commas that are meant as they are.
func (in globInput) commaSearch(pattern string) globSearch {
	pattern = path.Clean(pattern)
	first, _, _ := strings.Cut(pattern, ",")
	dir, _ := path.Split(first)
	if !isLiteral(dir) {
		dir = ""
	}
	rest := pattern[len(dir):]
	if !strings.Contains(pattern, "/") && isLiteral(pattern) {
		rest = "**/" + rest
	}
	s := globSearch{base: in.directory(), patterns: pathPatterns{newPathPattern(rest)}}
	if dir != "" {
		s.base, s.named = in.below(path.Clean(dir)), true
	}
	return s
}

// below returns the path that a part of a pattern names, with slashes.
func (in globInput) below(name string) string {
	name = filepath.FromSlash(name)
	switch {
	case name == ".":
		return in.directory()
	case filepath.IsAbs(name) || name == "~" || strings.HasPrefix(name, "~"+string(filepath.Separator)):
		return name
	case filepath.VolumeName(name) == name: // "C:" of the pattern "C:/*"
		return name + string(filepath.Separator)
	case in.Path == "":
		return name
	}
	return in.Path + string(filepath.Separator) + name
}

// isLiteral reports whether a pattern has no character with a meaning of its own.
func isLiteral(pattern string) bool { return !strings.ContainsAny(pattern, `*?[{\`) }

// isRooted reports whether a pattern does not start from the directory of the call.
func isRooted(pattern string) bool {
	return path.IsAbs(pattern) || filepath.IsAbs(pattern) || pattern == "~" || strings.HasPrefix(pattern, "~/")
}

// checkGlob returns an error for a pattern that cannot be searched for.
func checkGlob(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("the pattern %q cannot be read: a [ or { is not closed, or a \\ ends it; put a \\ before a character that is meant as it is", pattern)
	}
	if slices.Contains(patternNames(pattern), "..") {
		return fmt.Errorf("the pattern %q holds \"..\", which patterns cannot; give the directory above as path", pattern)
	}
	if list, found := strings.CutPrefix(pattern, "{"); found {
		list, _, _ = strings.Cut(list, "}")
		if slices.ContainsFunc(strings.Split(list, ","), isRooted) {
			return fmt.Errorf("the pattern %q has absolute paths in braces, where they match nothing; write whole patterns with commas between", pattern)
		}
	}
	return nil
}

// splitList returns the patterns of a list with commas. A comma in braces or brackets, or
// behind a \, separates none. Blanks separate patterns if each is
// one of an extension, such as *.go.
func splitList(list string) []string {
	var parts []string
	add := func(part string) {
		words := strings.Fields(part)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(word, "*.") }) || strings.ContainsAny(part, "{[\\") {
			words = []string{strings.TrimSpace(part)}
		}
		parts = append(parts, slices.DeleteFunc(words, func(word string) bool { return word == "" })...)
	}
	depth, start, inClass := 0, 0, false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			add(list[start:i])
			start = i + 1
		}
	}
	add(list[start:])
	if start == 0 && len(parts) < 2 {
		return []string{list} // with the blanks that it has
	}
	return parts
}

// observe returns the directory that is searched, if the pattern is one that names it, and
// otherwise the one that patterns start from.
func (in globInput) observe(c *pegboard.Call) map[string]any {
	searches, err := in.searches()
	if err == nil && len(searches) == 1 && isRooted(filepath.ToSlash(in.Pattern)) {
		return observedPath(c, "path", searches[0].base)
	}
	return observedPath(c, "path", in.Path)
}

// patternNames returns the names in a pattern, including those in braces.
func patternNames(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("/{},", r) })
}

// A globMatch is a file that matches the pattern.
type globMatch struct {
	dir     string // absolute path of the directory that was searched
	name    string // relative to dir, with slashes
	changed int64  // modification time in microseconds since 1970
}

// path returns the absolute path of the file.
func (m *globMatch) path() string { return filepath.Join(m.dir, filepath.FromSlash(m.name)) }

// newestFirst is a heap of matches with the file changed last on top, then by name.
type newestFirst []globMatch

func (h newestFirst) Len() int { return len(h) }

func (h newestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h newestFirst) Less(i, j int) bool {
	if h[i].changed != h[j].changed {
		return h[i].changed > h[j].changed
	}
	if h[i].dir != h[j].dir {
		return h[i].path() < h[j].path()
	}
	return h[i].name < h[j].name
}

// Push is for heap.Interface.
func (h *newestFirst) Push(m any) {
	if m, ok := m.(globMatch); ok {
		*h = append(*h, m)
	}
}

// Pop is for heap.Interface.
func (h *newestFirst) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}

// A GlobOutput is the Result.Data of a [Glob] call.
type GlobOutput struct {
	DurationMs int64 `json:"durationMs"`
	NumFiles   int   `json:"numFiles"`
	// Filenames are relative to the working directory if they are below it, and
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

// line describes the findings for a person.
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

// notices returns the notes for the model besides the paths.
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

// A globSearch is the search of one directory, or for one path.
type globSearch struct {
	base     string       // where the search starts, or the path that is looked for
	named    bool         // the pattern names base, so that it is no error if it does not exist
	literal  bool         // the pattern is a path without wildcards: if it is a directory, patterns apply in it
	ofDirs   bool         // a literal path ends in a slash, so it names a directory
	patterns pathPatterns // of the paths below base
}

// addTo adds s to searches, or its patterns to a search in the same directory.
func (s globSearch) addTo(all []globSearch) []globSearch {
	same := slices.IndexFunc(all, func(other globSearch) bool { return other.base == s.base && other.literal == s.literal })
	if same < 0 {
		return append(all, s)
	}
	if !s.literal {
		all[same].patterns = append(all[same].patterns, s.patterns...)
	}
	return all
}
