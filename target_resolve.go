package pegboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/subtree"
)

// locate returns the absolute spelling of a path and the place it leads to.
func (s *Session) locate(name string) (abs, real string) {
	abs = realpath.Abs(s.cfg.Dir, s.home, name)
	return abs, realpath.Resolve(abs)
}

// location is what a target is called. Once it is known nobody writes to it.
type location struct {
	real  string    // of a path: where Value really is
	names []string  // every name
	sole  [1]string // room for the name of what has but one
}

// maxGlob is how many names a pattern may stand for. One that stands for more
// counts as all that lies below the directory it starts in.
const maxGlob = 1000

// resolve gives paths their absolute spelling and their real place. It is the
// only I/O between a tool's word and a decision, but for Vet.
func (s *Session) resolve(ts []Target) []Target {
	ts = cloneTargets(ts)
	locations := make([]location, len(ts))
	for i := range ts {
		t := &ts[i]
		t.at = &locations[i]
		switch {
		case t.Kind != TargetPath:
		case t.Shell.Guess:
			s.guess(t)
		default:
			s.resolvePath(t)
		}
		t.at.name(t)
	}
	return ts
}

// name collects the names of t.
func (l *location) name(t *Target) {
	elsewhere := l.real != "" && l.real != t.Value
	if len(t.Aliases) == 0 && !elsewhere {
		l.sole[0] = t.Value
		l.names = l.sole[:]
		return
	}
	l.names = append([]string{t.Value}, t.Aliases...)
	if elsewhere {
		l.names = append(l.names, l.real)
	}
}

func (s *Session) resolvePath(t *Target) {
	names := t.Aliases
	t.Aliases = nil
	name := s.native(t)
	if t.Shell.Glob {
		names = append(names, s.expand(t)...)
		name = t.Value
	}
	t.Value, t.at.real = s.locate(name)
	also := func(name string) {
		if name != t.Value && name != t.at.real && !slices.Contains(t.Aliases, name) {
			t.Aliases = append(t.Aliases, name)
		}
	}
	for i, n := range append(names, name) {
		if abs, real := s.locate(n); i < len(names) {
			also(abs)
			also(real)
		}
		if strings.Contains(n, "..") { // which the system resolves after links, a tool perhaps before
			also(realpath.Physical(s.cfg.Dir, s.home, n))
		}
	}
	if t.AskReason == "" && (t.Shell.CopiesNames || t.Tree && t.Access == AccessWrite) {
		t.AskReason = s.lookBelow(t)
	}
}

// lookBelow says why a person must be asked about what lies below a target, or
// nothing. Where it writes through links becomes one of its names.
func (s *Session) lookBelow(t *Target) string {
	copied := t.Shell.CopiesNames
	if t.Access == AccessWrite {
		copied = t.Shell.FollowsLinks
	}
	caution, led := subtree.Place{
		Platform: s.platform, Display: visible, Real: t.at.real, Aliases: t.Aliases,
		Write: t.Access == AccessWrite, Tree: t.Tree, Glob: t.Shell.Glob, Copied: copied,
	}.Inspect()
	for _, name := range led {
		if !slices.Contains(t.Aliases, name) {
			t.Aliases = append(t.Aliases, name)
		}
	}
	return caution
}

// guess resolves a path that may be none: a plain word only if there is such a file.
// Nobody is asked because of what it finds.
func (s *Session) guess(t *Target) {
	if t.Shell.Glob {
		caution := t.AskReason
		for _, name := range s.expand(t) {
			abs, real := s.locate(name)
			t.Aliases = append(t.Aliases, abs, real)
		}
		t.AskReason = caution
	}
	t.Value = realpath.Abs(s.cfg.Dir, s.home, t.Value)
	dir, _ := filepath.Split(t.Value) // ends in a separator, as a root does
	if plain := dir == s.cfg.Dir || strings.TrimSuffix(dir, string(filepath.Separator)) == s.cfg.Dir; !plain || realpath.MayExist(t.Value) {
		t.at.real = realpath.Resolve(t.Value)
		if t.Shell.FollowsLinks && t.Access == AccessWrite {
			_ = s.lookBelow(t)
		}
	}
}

// native returns a path in the spelling of the system that the program runs on,
// and notes what nobody can be sure of.
func (s *Session) native(t *Target) string {
	name, doubt := pattern.Canonical(s.platform, t.Value)
	if s.platform == thisPlatform() {
		name = t.Value
	} else if _, real := s.locate(name); doubt == "" && !exists(real) {
		doubt = "nobody can tell here where it leads on " + s.cfg.Platform.String()
	}
	if doubt != "" && t.AskReason == "" {
		t.AskReason = fmt.Sprintf("the path %s is unclear: %s", visible(t.Value), doubt)
	}
	return name
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// expand returns the names that a pattern stands for. One that cannot be expanded
// becomes all that lies below the directory it starts in, and a person is asked: a
// link among the names could lead anywhere.
func (s *Session) expand(t *Target) []string {
	pattern := t.Value
	if strings.HasPrefix(pattern, "~/") {
		pattern = s.home + pattern[1:]
	}
	found, ok := realpath.Expand(s.cfg.Dir, pattern, maxGlob)
	if !ok {
		t.AskReason = fmt.Sprintf("nobody can tell which files %s stands for", visible(t.Value))
		fixed := pattern[:strings.IndexAny(pattern+"*", `*?[\`)]
		t.Value, t.Tree, t.Shell.Glob = fixed[:strings.LastIndexByte(fixed, '/')+1]+".", true, false
	}
	for _, name := range found {
		if strings.HasPrefix(filepath.Base(name), "-") {
			t.AskReason = fmt.Sprintf("%s stands for %s, which a command would read as an option", visible(t.Value), visible(filepath.Base(name)))
		}
	}
	return found
}
