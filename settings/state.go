package settings

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/policy"
)

// youngAge is how long after its last change the times of a file may stay the same although
// it changes again, so that its content is compared. File systems have coarser clocks, of 2
// seconds, where a file cannot change that often.
const youngAge = 2 * time.Second

// A state describes the files at the time when they were read.
type state struct {
	files   Files
	managed []string // the managed files, since their directories may get more
	dirs    []stamp  // these directories
	stamps  []stamp
}

// A stamp describes one file.
type stamp struct {
	source policy.Source
	path   string
	info   fs.FileInfo // nil if the file was missing
	link   bool        // with no info: there was a link
	young  bool        // info may stay the same although the file changes
	sum    [sha256.Size]byte
}

// newStamp returns the stamp of a file before it is read.
func newStamp(source policy.Source, path string) stamp {
	info, link := look(path)
	return stamp{source: source, path: path, info: info, link: link}
}

// add adds the stamp of a file that was made before the file was read, since it may change in
// between. The snapshot is nil if it could not be read.
func (s *state) add(before stamp, snap *atomicfile.Snapshot) {
	if snap != nil {
		young := time.Since(snap.Info.ModTime()) < youngAge
		before = stamp{source: before.source, path: before.path, info: snap.Info, young: young, sum: snap.Sum}
	}
	s.stamps = append(s.stamps, before)
}

// addDirs adds the stamps of the directories of managed files. It is called before they are
// read.
func (s *state) addDirs(f Files) {
	for _, path := range f.Managed {
		if isDirectory(path) {
			info, link := look(path)
			young := info != nil && time.Since(info.ModTime()) < youngAge
			s.dirs = append(s.dirs, stamp{path: path, info: info, link: link, young: young})
		}
	}
}

// look returns the information about a file, or whether there is a link
// that leads nowhere.
func look(path string) (info fs.FileInfo, link bool) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, isLink(path)
	}
	return info, false
}

// changed reports whether the file is another one now, or was written, but by this process.
func (s *stamp) changed(own *saves) bool {
	info, link := look(s.path)
	switch {
	case (info == nil) != (s.info == nil), link != s.link:
		return !own.made(s.path, s.info, info)
	case info == nil:
		return false
	case !sameInfo(s.info, info):
		return !own.made(s.path, s.info, info)
	case !s.young:
		return false
	}
	real, err := resolve(s.path)
	if err != nil {
		return true
	}
	var store atomicfile.Store
	snap, err := store.Load(context.Background(), real, maxServerBytes)
	return err != nil || snap.Sum != s.sum
}

// mayDiffer reports whether a directory may hold other files now.
func (s stamp) mayDiffer() bool {
	info, link := look(s.path)
	return s.young || link != s.link || !sameInfo(s.info, info)
}

// sameInfo reports whether a file is the same one and was not written, as far as its size and
// times show. Either may be nil.
func sameInfo(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode() && os.SameFile(a, b)
}

// Changed reports whether Load may return something else than since: whether a file was
// written, replaced, removed or made, or f is not the value that since was loaded with. A host
// asks between turns. It compares the size, the times and the identity of each file, and the
// content only of a file that had been written within 2 seconds before it was read. A file
// that f has saved, by Save or Approve, is no change, if Locate has made f.
//
// A host that hooks on ConfigChange may refuse the change keeps since; a change of a managed
// file must not be refused.
func (f Files) Changed(since *Loaded) bool {
	if since == nil || !f.same(since.state.files) {
		return true
	}
	if slices.ContainsFunc(since.state.dirs, stamp.mayDiffer) {
		if managed, broken := f.managedFiles(); broken != nil || !slices.Equal(managed, since.state.managed) {
			return true
		}
	}
	return slices.ContainsFunc(since.state.stamps, func(s stamp) bool { return s.changed(f.saves) })
}

// A Change is a file that Changes found.
type Change struct {
	Source policy.Source // SourceProject for .mcp.json, SourceUser for .claude.json
	Path   string
}

// ConfigSource returns the source as hooks on ConfigChange are told it, such as
// local_settings.
func (c Change) ConfigSource() string {
	switch c.Source {
	case policy.SourceManaged:
		return "policy_settings"
	case policy.SourceLocal:
		return "local_settings"
	case policy.SourceProject:
		return "project_settings"
	}
	return "user_settings"
}

// Changes returns the files for which Changed returns true, each once.
func (f Files) Changes(since *Loaded) (all []Change) {
	managed, _ := f.managedFiles() // Load finds the error
	for _, path := range managed {
		if !slices.Contains(since.state.managed, path) {
			all = append(all, Change{Source: policy.SourceManaged, Path: path})
		}
	}
	for _, s := range since.state.stamps {
		if s.changed(f.saves) {
			all = append(all, Change{Source: s.source, Path: s.path})
		}
	}
	return all
}

// same reports whether Load reads the same files in the same way.
func (f Files) same(o Files) bool {
	return f.Local == o.Local && f.Project == o.Project && f.User == o.User &&
		f.Servers == o.Servers && f.Person == o.Person && f.Dir == o.Dir && f.Home == o.Home &&
		f.Trusted == o.Trusted && f.Strict == o.Strict && slices.Equal(f.Managed, o.Managed) && f.Flags.same(o.Flags)
}

// same reports whether the flags have the same values.
func (f Flags) same(o Flags) bool {
	return f.Settings == o.Settings && f.Mode == o.Mode && f.Agents == o.Agents && slices.Equal(f.AllowedTools, o.AllowedTools) &&
		slices.Equal(f.DisallowedTools, o.DisallowedTools) && (f.Tools == nil) == (o.Tools == nil) &&
		slices.Equal(f.Tools, o.Tools) && slices.Equal(f.Dirs, o.Dirs)
}

// maxSaves is how many saves of one file are remembered.
const maxSaves = 1024

// saves are the files as this process has saved them, so that its own saves are no changes.
// The nil value remembers nothing.
type saves struct {
	mu    sync.Mutex
	files map[string][]fs.FileInfo // by path: a file before the first save, and after each
}

// add remembers that this process has replaced before, which may be nil, by after.
func (s *saves) add(path string, before, after fs.FileInfo) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][]fs.FileInfo{}
	}
	chain := s.files[path]
	if len(chain) == 0 || !sameInfo(chain[len(chain)-1], before) { // another program has saved
		chain = []fs.FileInfo{before}
	}
	if len(chain) == maxSaves {
		chain = slices.Delete(chain, 0, maxSaves/2)
	}
	s.files[path] = append(chain, after)
}

// made reports whether this process alone has made now of then.
func (s *saves) made(path string, then, now fs.FileInfo) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	chain := s.files[path]
	if len(chain) == 0 || !sameInfo(chain[len(chain)-1], now) {
		return false
	}
	return slices.ContainsFunc(chain, func(info fs.FileInfo) bool { return sameInfo(info, then) })
}
