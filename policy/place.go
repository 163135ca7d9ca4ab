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

// A pathResolver finds the location on the disk of each path that a call names.
type pathResolver struct {
	dir          string // relative paths start here
	home         string // the directory of ~; empty if unknown
	platform     pattern.Platform
	platformName string

	real map[string]string // locations by spelling, for a call with many targets; otherwise nil
}

// manyTargets is the number of targets from which a call looks up each spelling of a path only
// once: a line may name the same file thousands of times.
const manyTargets = 16

// location holds the names of a resolved target. It is never written to after
// pathResolver.resolve has returned.
type location struct {
	real    string    // the path after symbolic links, of a path
	crowded bool      // there are too many files to look at, of a tree whose links are followed
	doubt   string    // why the value has no clear meaning, as the end of a sentence; empty if it is clear
	names   []string  // all names that a rule may match
	one     [1]string // backs names if there is one name, which saves an allocation

	links *hardLinks // nil for other kinds than paths, or if they were not looked at
}

// hardLinks are the files that a path refers to, with regard to hard links.
type hardLinks struct {
	file   fs.FileInfo   // the regular file at the location, or nil
	linked []fs.FileInfo // the files with several hard links, of all names
}

// maxGlob is how many names a pattern may expand to. A larger pattern counts as the
// whole tree below its first directory.
const maxGlob = 1000

// maxSearched limits the files and directories that are looked at below a tree. A larger tree may
// contain anything.
const maxSearched = 100_000

// resolve returns a copy of ts in which paths are absolute and have their location, and hosts are
// canonical. It marks a malformed value as doubtful. It looks at hard links only if links is set,
// since only rules need them.
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

// locate returns the absolute spelling of a path, and its location after symbolic links.
func (r *pathResolver) locate(name string) (abs, real string) {
	abs = realpath.Abs(r.dir, r.home, name)
	return abs, r.realOf(abs)
}

// realOf returns the location of an absolute path after symbolic links.
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

// seeLinks looks at the hard links of t. It returns nil if t is a word and not a file.
func (l *location) seeLinks(t *Target) *hardLinks {
	if l.real == "" && len(l.names) == 1 {
		return nil
	}
	links := &hardLinks{}
	for _, name := range l.names {
		if name == t.Value && l.real != name {
			continue // there is no such file, or the same one as at real
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

// sameLinks reports whether l and o hold the same files with several hard links. It also returns
// true if one of them did not look.
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
		if strings.Contains(n, "..") { // the system resolves it after links, but a tool may do so before
			addAlias(realpath.Physical(r.dir, r.home, n))
		}
	}
	if t.Tree && t.Access == Read && t.Shell.FollowsLinks {
		roots := append([]string{t.at.real}, t.Aliases...) // for a pattern, the aliases are the names that it expands to
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

// inspectSubtree returns why the user must be asked about the files below a target, or "". The
// places that the target writes to through links become its aliases.
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

// resolveGuess resolves a path that may not be one. A single word counts as a path only if such a
// file exists. It never sets the AskReason of a guess.
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
	dir, _ := filepath.Split(t.Value) // dir ends in a separator, as a root does
	word := dir == r.dir || strings.TrimSuffix(dir, string(filepath.Separator)) == r.dir
	if word && !realpath.MayExist(t.Value) {
		return
	}
	t.at.real = r.realOf(t.Value)
	if t.Shell.FollowsLinks && t.Access == Write {
		_ = r.inspectSubtree(t)
	}
}

// native returns a path in the spelling of the system that the program runs on. It sets AskReason
// if the meaning of the path is doubtful.
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

// expand returns the names that a pattern expands to. A pattern that cannot be expanded becomes
// the whole tree below its first directory, and the user is asked, since a link among the names
// could lead anywhere.
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
	Home     string   // the directory of ~; empty means the user's
	Platform Platform
}

// A Place says where calls work. It holds the resolved directories, and the directories that paths
// and the anchors of rules refer to. It never changes, except for the directories of AddReadable.
type Place struct {
	pathResolver
	own      []workDir      // the working directories; the first is Dir
	made     workDir        // the first working directory before any Move
	left     []workDir      // directories that Move has left; those of a Fork may still lie inside them
	anchors  []pattern.Base // for rules that are added here, under every spelling of dir
	also     []pattern.Base // further bases of deny and ask rules after Move
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
		home, _ = os.UserHomeDir() // if it is unknown, "~" stands for itself
	}
	p.made = p.own[0]
	p.pathResolver = pathResolver{dir: p.made.spelled, home: home, platform: d.Platform.pattern(), platformName: d.Platform.String()}
	p.anchors = p.bases()
	return p, nil
}

// Dir returns the working directory, absolute. The anchors of rules refer to it.
func (p *Place) Dir() string { return p.own[0].spelled }

// Cwd returns the directory in which relative paths start, absolute. It is Dir before any Chdir.
func (p *Place) Cwd() string { return p.dir }

// Home returns the directory of ~, or "" if it is not known.
func (p *Place) Home() string { return p.home }

// Short returns path for a person. A path inside Cwd becomes relative to it. Any other path is
// unchanged.
func (p *Place) Short(path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(p.dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// Resolve is like [Permissions.Resolve], for targets that are not compared with rules.
func (p *Place) Resolve(targets []Target) []Target { return p.resolve(targets, false) }

// AddReadable lets files below an absolute path be read as if it were a working directory. It
// holds for p and for all places that were made from it.
func (p *Place) AddReadable(dir string) { p.readable.add(dir) }

// ErrOutside is the error for a directory outside the working directories.
var ErrOutside = errors.New("outside the working directories")

// errNowhere is the error of permissions before In.
var errNowhere = errors.New("the permissions hold at no place yet; call In")

// An outsideError is an [ErrOutside] that names the directory.
type outsideError struct{ dir, whose string }

func (e *outsideError) Error() string {
	return "directory " + plain.Visible(e.dir) + " is outside " + e.whose + " working directories"
}

func (e *outsideError) Unwrap() error { return ErrOutside }

// Fork returns the place of a child. Its directories must lie inside the working directories of p,
// otherwise the error is [ErrOutside]. After [Permissions.Move], deny and ask rules hold for the
// child wherever they hold for p.
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

// Move returns the place after a move to a directory, which replaces the working directory.
// Further working directories stay. The directory must lie inside the working directories of p
// under each of its names. It may also be the one that the first place was made with; if parent is
// not nil, this one must lie inside the working directories of parent or inside one that parent
// has left. Otherwise the error is [ErrOutside]. A relative dir starts in the present working
// directory. After the move, deny and ask rules hold at both places.
func (p Permissions) Move(dir string, parent *Permissions) (*Place, error) {
	from := p.place
	if from == nil || parent != nil && parent.place == nil {
		return nil, errNowhere
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(from.Dir(), dir)
	}
	d, err := newWorkDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	isMade := d.real == from.made.real && (d.spelled == from.made.spelled || d.spelled == d.real)
	if isMade && parent != nil {
		isMade = d.isWithin(slices.Concat(parent.work, parent.place.left))
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

// Chdir returns the place at which relative paths start in another directory, as after the cd of a
// shell. Rules hold as before, and so do the working directories. The directory must lie inside
// the working directories of p under each of its names, otherwise the error is [ErrOutside]. A
// relative dir starts in the present Cwd.
func (p Permissions) Chdir(dir string) (*Place, error) {
	if p.place == nil {
		return nil, errNowhere
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.place.dir, dir)
	}
	d, err := newWorkDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	if !d.isWithin(p.work) {
		return nil, &outsideError{d.spelled, "the"}
	}
	next := *p.place
	next.dir = d.spelled
	return &next, nil
}

// bases returns the directories that the anchors of path rules refer to, one for each spelling of
// the working directory.
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

// A workDir is a directory as it is spelled, and as it is after symbolic links.
type workDir struct{ spelled, real string }

// newWorkDir resolves an absolute path, which must be a directory.
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

// readableDirs are directories that may be read, but not written, as if they were working
// directories.
type readableDirs struct {
	mu   lock.Mutex // held while a directory is added
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
