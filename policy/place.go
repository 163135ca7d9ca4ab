package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/subtree"
)

// A pathResolver finds the place on the disk that a path of a session refers to. Apart
// from VerifyReadOnly of [ShellFacts], it does the only I/O between a tool's targets and
// a decision.
type pathResolver struct {
	dir          string // that relative paths start from
	home         string // that ~ stands for; empty if there is none
	platform     pattern.Platform
	platformName string

	real map[string]string // by spelling, of a call with many targets; nil if none are kept
}

// manyTargets is how many targets a call has whose paths are looked up once for each
// spelling: a line may name the same file thousands of times.
const manyTargets = 16

// location holds the names of a resolved target. It is never written to after
// pathResolver.resolve has returned.
type location struct {
	real    string    // of a path: its place after symbolic links
	crowded bool      // of a tree whose links are followed: there are too many files to look at
	doubt   string    // why the value has no clear meaning, as the end of a sentence; empty if it has one
	names   []string  // all names that a rule may match
	one     [1]string // backs names if there is one name, which saves an allocation

	links *hardLinks // of a path; nil if they were not looked at
}

// hardLinks say which files with several hard links a path refers to.
type hardLinks struct {
	file   fs.FileInfo   // of a regular file at the location; nil if there is none
	linked []fs.FileInfo // the files with several hard links among all names
}

// maxGlob is how many names a pattern may expand to. A larger pattern counts as the
// whole tree below its first directory.
const maxGlob = 1000

// maxSearched is how many files and directories are looked at below a tree. In a larger
// tree there may be anything.
const maxSearched = 100_000

// resolve returns a copy of ts in which paths are absolute and have their location, and
// hosts are canonical. A value that is malformed is marked as doubtful. Hard links are looked
// at only if links is set, since they concern only rules.
func (r *pathResolver) resolve(ts []Target, links bool) []Target {
	ts = Clone(ts)
	if len(ts) >= manyTargets {
		keeping := *r
		keeping.real, r = map[string]string{}, &keeping
	}
	locations := make([]location, len(ts))
	for i := range ts {
		t := &ts[i]
		t.at = &locations[i]
		t.clampEnums()
		switch {
		case t.Kind == Host:
			t.resolveHost()
		case t.Kind != Path:
			t.at.doubt = t.malformed()
		case t.Shell.Guess:
			r.resolveGuess(t)
		default:
			r.resolvePath(t)
		}
		t.at.setNames(t)
		if links && t.Kind == Path {
			t.at.links = t.at.seeLinks(t)
		}
	}
	return ts
}

// locate returns the absolute spelling of a path and its place.
func (r *pathResolver) locate(name string) (abs, real string) {
	abs = realpath.Abs(r.dir, r.home, name)
	return abs, r.realOf(abs)
}

// realOf returns the place of an absolute path.
func (r *pathResolver) realOf(abs string) string {
	if r.real == nil {
		return realpath.Resolve(abs)
	}
	real, known := r.real[abs]
	if !known {
		real = realpath.Resolve(abs)
		r.real[abs] = real
	}
	return real
}

// setNames collects the names of t.
func (l *location) setNames(t *Target) {
	elsewhere := l.real != "" && l.real != t.Value
	if len(t.Aliases) == 0 && !elsewhere {
		l.one[0] = t.Value
		l.names = l.one[:]
		return
	}
	l.names = append([]string{t.Value}, t.Aliases...)
	if elsewhere {
		l.names = append(l.names, l.real)
	}
}

// seeLinks looks at the hard links of t. It returns nil if t is a word that is no file.
func (l *location) seeLinks(t *Target) *hardLinks {
	if l.real == "" && len(l.names) == 1 {
		return nil
	}
	links := &hardLinks{}
	for _, name := range l.names {
		if name == t.Value && l.real != name {
			continue // nothing is there, or what is at real
		}
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if name == l.real {
			links.file = info
		}
		if realpath.HasLinks(info) {
			links.linked = append(links.linked, info)
		}
	}
	return links
}

// sameLinks reports whether l and o hold the same files with several hard links, or one of
// them did not look.
func (l *location) sameLinks(o *location) bool {
	return l.links == nil || o.links == nil || slices.EqualFunc(l.links.linked, o.links.linked, os.SameFile)
}

func (r *pathResolver) resolvePath(t *Target) {
	names := t.Aliases
	t.Aliases = nil
	name := r.native(t)
	if t.Shell.Glob {
		names = append(names, r.expand(t)...)
		name = t.Value
	}
	t.Value, t.at.real = r.locate(name)
	addAlias := func(name string) {
		if name != t.Value && name != t.at.real && !slices.Contains(t.Aliases, name) {
			t.Aliases = append(t.Aliases, name)
		}
	}
	for i, n := range append(names, name) {
		if i < len(names) {
			abs, real := r.locate(n)
			addAlias(abs)
			addAlias(real)
		}
		if strings.Contains(n, "..") { // the system resolves it after links, a tool may do so before
			addAlias(realpath.Physical(r.dir, r.home, n))
		}
	}
	if t.Tree && t.Access == Read && t.Shell.FollowsLinks {
		roots := append([]string{t.at.real}, t.Aliases...) // those of a pattern are the names that it expands to
		places, ok := realpath.LinkTargets(roots, maxSearched)
		for _, place := range places {
			addAlias(place)
		}
		t.at.crowded = !ok
	}
	if t.AskReason == "" && (t.Shell.CopiesNames || t.Tree && t.Access == Write) {
		t.AskReason = r.inspectSubtree(t)
	}
}

// inspectSubtree returns why the user must be asked about the files below a target, or
// "". The places that the target writes to through links become its aliases.
func (r *pathResolver) inspectSubtree(t *Target) string {
	copied := t.Shell.CopiesNames
	if t.Access == Write {
		copied = t.Shell.FollowsLinks
	}
	reason, linked := subtree.Place{
		Platform: r.platform, Display: plain.Visible, Real: t.at.real, Aliases: t.Aliases,
		Write: t.Access == Write, Tree: t.Tree, Glob: t.Shell.Glob, Copied: copied,
	}.Inspect()
	for _, name := range linked {
		if !slices.Contains(t.Aliases, name) {
			t.Aliases = append(t.Aliases, name)
		}
	}
	return reason
}

// resolveGuess resolves a path that may not be one. A single word counts as a path only
// if such a file exists. A guess never causes a question.
func (r *pathResolver) resolveGuess(t *Target) {
	if t.Shell.Glob {
		reason := t.AskReason
		for _, name := range r.expand(t) {
			abs, real := r.locate(name)
			t.Aliases = append(t.Aliases, abs, real)
		}
		t.AskReason = reason
	}
	t.Value = realpath.Abs(r.dir, r.home, t.Value)
	dir, _ := filepath.Split(t.Value) // ends in a separator, as a root does
	word := dir == r.dir || strings.TrimSuffix(dir, string(filepath.Separator)) == r.dir
	if word && !realpath.MayExist(t.Value) {
		return
	}
	t.at.real = r.realOf(t.Value)
	if t.Shell.FollowsLinks && t.Access == Write {
		_ = r.inspectSubtree(t)
	}
}

// native returns a path in the spelling of the system that the program runs on. It sets
// AskReason if the path's meaning is doubtful.
func (r *pathResolver) native(t *Target) string {
	name, doubt := pattern.Canonical(r.platform, t.Value)
	if r.platform == currentPlatform() {
		name = t.Value
	} else if _, real := r.locate(name); doubt == "" && !exists(real) {
		doubt = "nobody can tell here where it leads on " + r.platformName
	}
	if malformed := t.malformed(); malformed != "" {
		doubt, t.at.doubt = malformed, malformed
	}
	if doubt != "" && t.AskReason == "" {
		t.AskReason = fmt.Sprintf("the path %s is unclear: %s", plain.Visible(t.Value), doubt)
	}
	return name
}

// expand returns the names that a pattern expands to. A pattern that cannot be expanded
// becomes the whole tree below its first directory, and the user is asked: a link among
// the names could lead anywhere.
func (r *pathResolver) expand(t *Target) []string {
	pattern := t.Value
	if strings.HasPrefix(pattern, "~/") {
		pattern = r.home + pattern[1:]
	}
	found, ok := realpath.Expand(r.dir, pattern, maxGlob)
	if !ok {
		t.AskReason = fmt.Sprintf("nobody can tell which files %s stands for", plain.Visible(t.Value))
		fixed := pattern[:strings.IndexAny(pattern+"*", `*?[\`)]
		t.Value, t.Tree, t.Shell.Glob = fixed[:strings.LastIndexByte(fixed, '/')+1]+".", true, false
	}
	for _, name := range found {
		if strings.HasPrefix(filepath.Base(name), "-") {
			t.AskReason = fmt.Sprintf("%s stands for %s, which a command would read as an option", plain.Visible(t.Value), plain.Visible(filepath.Base(name)))
		}
	}
	return found
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Dirs are the directories that calls work in.
type Dirs struct {
	Dir      string   // the working directory; empty means that of the process
	More     []string // further working directories
	Home     string   // that ~ stands for; empty means the user's
	Platform Platform
}

// A Place is where calls work: the directories, resolved, and what paths and the anchors of rules
// refer to. It never changes, but for the directories of AddReadable.
type Place struct {
	pathResolver
	own      []workDir      // the working directories; the first is pathResolver.dir
	made     workDir        // the first one before Move
	left     []workDir      // those that Move has left; a Fork keeps its own inside
	anchors  []pattern.Base // of the rules that are added here, under every spelling of dir
	also     []pattern.Base // what deny and ask rules also hold as if anchored on, after Move
	readable *readableDirs  // shared with each Fork
}

// Place resolves d. It is an error if a directory does not exist.
func (d Dirs) Place() (*Place, error) { return d.place(new(readableDirs)) }

func (d Dirs) place(readable *readableDirs) (*Place, error) {
	p := &Place{readable: readable}
	for _, dir := range append([]string{d.Dir}, d.More...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("working directory %s: %w", dir, err)
		}
		resolved, err := newWorkDir(abs)
		if err != nil {
			return nil, err
		}
		p.own = append(p.own, resolved)
	}
	home := d.Home
	if home == "" {
		home, _ = os.UserHomeDir() // if there is none, "~" stands for itself
	}
	p.made = p.own[0]
	p.pathResolver = pathResolver{dir: p.made.spelled, home: home, platform: d.Platform.pattern(), platformName: d.Platform.String()}
	p.anchors = p.bases()
	return p, nil
}

// Dir returns the working directory, absolute.
func (p *Place) Dir() string { return p.dir }

// Home returns the directory that ~ stands for, or "" if it is not known.
func (p *Place) Home() string { return p.home }

// Short returns path as a person reads it: relative to the working directory if it is absolute
// and lies there, and unchanged otherwise.
func (p *Place) Short(path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(p.dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// Resolve is [Permissions.Resolve] for targets that no rule is compared with.
func (p *Place) Resolve(targets []Target) []Target { return p.resolve(targets, false) }

// AddReadable lets files below an absolute path be read as if it were a working directory, at p and at
// the places that were made from it.
func (p *Place) AddReadable(dir string) { p.readable.add(dir) }

// ErrOutside is the error for a directory outside the working directories.
var ErrOutside = errors.New("outside the working directories")

// errNowhere is the error of permissions that hold nowhere yet.
var errNowhere = errors.New("the permissions hold at no place yet; call In")

// An outsideError is an [ErrOutside] of a directory.
type outsideError struct{ dir, whose string }

func (e *outsideError) Error() string {
	return "directory " + plain.Visible(e.dir) + " is outside " + e.whose + " working directories"
}

func (e *outsideError) Unwrap() error { return ErrOutside }

// Fork returns the place of a child, whose directories lie inside the working directories of p.
// Otherwise the error is [ErrOutside]. What p holds at its place holds there, too.
func (p Permissions) Fork(d Dirs) (*Place, error) {
	if p.place == nil {
		return nil, errNowhere
	}
	child, err := d.place(p.place.readable)
	if err != nil {
		return nil, err
	}
	for _, dir := range child.own {
		if !dir.isWithin(p.work) {
			return nil, &outsideError{dir.spelled, "the parent's"}
		}
	}
	if also := p.place.also; also != nil {
		child.also = slices.Clone(also)
		for _, b := range child.anchors {
			if !slices.Contains(child.also, b) {
				child.also = append(child.also, b)
			}
		}
	}
	return child, nil
}

// Move returns the place after a move to a directory: it takes the place of the working
// directory, and the further ones stay. The directory lies inside the working directories of p,
// under each of its names, or is the one that the first place was made with; and inside those of
// a parent if that is not nil. Otherwise the error is [ErrOutside]. A relative dir starts in the
// present one. Deny and ask rules then hold at both places.
func (p Permissions) Move(dir string, parent *Permissions) (*Place, error) {
	from := p.place
	if from == nil || parent != nil && parent.place == nil {
		return nil, errNowhere
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(from.dir, dir)
	}
	d, err := newWorkDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	isMade := d.real == from.made.real && (d.spelled == from.made.spelled || d.spelled == d.real)
	if isMade && parent != nil {
		isMade = d.isWithin(parent.work) || d.isWithin(parent.place.left)
	}
	if !isMade && !d.isWithin(p.work) {
		return nil, &outsideError{d.spelled, "the"}
	}
	next := *from
	next.own = slices.Concat([]workDir{d}, from.own[1:])
	if !from.own[0].isWithin(from.left) {
		next.left = slices.Concat(from.left, from.own[:1])
	}
	next.dir = d.spelled
	next.anchors = next.bases()
	next.also = next.anchors
	return &next, nil
}

// bases are the directories that the anchors of path rules refer to, under every
// spelling of the working directory.
func (p *Place) bases() []pattern.Base {
	d, home := p.own[0], ""
	if p.home != "" {
		home = realpath.Resolve(p.home)
	}
	bs := []pattern.Base{{Dir: d.spelled, Root: d.spelled, Home: p.home, Platform: p.platform}}
	if d.real != d.spelled || home != p.home {
		bs = append(bs, pattern.Base{Dir: d.real, Root: d.real, Home: home, Platform: p.platform})
	}
	return bs
}

// A workDir is a directory as it is spelled and as it is after symbolic links.
type workDir struct{ spelled, real string }

// newWorkDir resolves an absolute path, which must be that of a directory.
func newWorkDir(abs string) (workDir, error) {
	if fi, err := os.Stat(abs); err != nil {
		return workDir{}, fmt.Errorf("working directory: %w", err)
	} else if !fi.IsDir() {
		return workDir{}, fmt.Errorf("working directory %s: not a directory", abs)
	}
	return workDir{spelled: abs, real: realpath.Resolve(abs)}, nil
}

// within reports whether path lies in one of dirs.
func within(dirs []workDir, path string) bool {
	return slices.ContainsFunc(dirs, func(d workDir) bool {
		return realpath.Contains(d.spelled, path) || realpath.Contains(d.real, path)
	})
}

// isWithin reports whether d lies in one of dirs under both of its names.
func (d workDir) isWithin(dirs []workDir) bool {
	return within(dirs, d.spelled) && within(dirs, d.real)
}

// allNamesWithin reports whether t is a path that lies in dirs under each of its names.
func allNamesWithin(t *Target, dirs []workDir) bool {
	return t.Kind == Path && !slices.ContainsFunc(t.Names(), func(n string) bool { return !within(dirs, n) })
}

// readableDirs are directories that may be read as if they were working directories,
// but not written.
type readableDirs struct {
	mu   lock.Mutex // held to add one
	dirs atomic.Pointer[[]workDir]
}

// add adds an absolute path.
func (r *readableDirs) add(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	dirs := append(slices.Clone(r.all()), workDir{spelled: dir, real: realpath.Resolve(dir)})
	r.dirs.Store(&dirs)
}

// all returns the directories. The caller must not write to them.
func (r *readableDirs) all() []workDir {
	if dirs := r.dirs.Load(); dirs != nil {
		return *dirs
	}
	return nil
}
