package pegboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/beneath"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Target is one thing a call acts on. The same list of targets decides
// permission, orders calls, and is what a person is shown.
//
// A tool returns targets as it reads them from its input, without any I/O. The
// executor resolves them once: a path becomes absolute and clean, and its real
// location (symbolic links followed) joins its names.
type Target struct {
	Kind   TargetKind // zero: Opaque, which no pattern covers
	Access Access     // zero: Write, the access that conflicts with all others
	Value  string     // the path, command line, host or name, as the tool wrote it; of an opaque one why it is
	Tree   bool       // a path stands for everything below it too

	// Filtered says that the tool asks Call.Filter before it touches anything
	// below a Tree, so that a deny or ask rule about something there need not
	// keep it from the rest. It has no effect on attached tools.
	Filtered bool
	// Also holds other names of the same thing. An allow rule must cover all
	// of them, a deny or ask rule any one.
	Also []string
	// Inner holds what the target runs in its turn, as the command under sudo.
	// Deny and ask rules see it, allow rules do not.
	Inner []string
	// Free marks a command known to read only. It has no effect on attached
	// tools, whose word for it nobody checked.
	Free bool
	// Vet, if set, is asked before Free is believed: an error says why not.
	// It is called when the call is decided, while it holds its keys, and may
	// look at files.
	Vet func() error
	// Edits marks a command that does nothing but read and write the paths
	// among the targets whose Via it is. It has no effect on attached tools.
	Edits bool
	// Parsed says that Value is one simple command, and that what it is known to
	// touch are targets of their own. Any other command hides what it does. It
	// has no effect on attached tools.
	Parsed bool
	// Exact says that only an allow rule without a wildcard covers it.
	Exact bool
	// Fed says that a command reads input which Value does not show, from a pipe or
	// a here-document. It is asked about again unless it is known to run nothing of
	// what it reads: see [Question.Suggestions].
	Fed bool
	// Via is the Value of the command that a path was given to. What lets that
	// command run lets it read the path, and write it inside the working
	// directories.
	Via string
	// Maybe marks a guess, such as an argument that looks like a path: deny
	// and ask rules see it, nothing else does.
	Maybe bool
	// Glob says that a path is a pattern, which the shell replaces by the names
	// of the files there are: *, ? and [ ] within a segment. The executor does
	// so too.
	Glob bool
	// Copied says of a path that is read that it is written elsewhere under the
	// names it has, so that a protected one among them counts; and of a Tree that is
	// written that links below it are followed. It makes a decision stricter only.
	Copied bool
	// Caution says why a person must be asked, whatever rules and mode allow.
	Caution string

	at *location // once resolved; copies share it
}

// location is what a target is called. Once it is known nobody writes to it.
type location struct {
	real  string    // of a path: where Value really is
	names []string  // every name
	sole  [1]string // room for the name of what has but one
}

// TargetKind says how the value of a [Target] is to be read.
type TargetKind int

// The kinds of target.
const (
	Opaque   TargetKind = iota // the tool cannot tell
	Command                    // a command line
	Path                       // a file or directory
	Host                       // a network host
	Agent                      // a sub-agent type
	Skill                      // a skill
	Resource                   // anything else that has a name
)

// String returns the kind's name in lower case.
func (k TargetKind) String() string {
	return nameOf(int(k), "opaque", "command", "path", "host", "agent", "skill", "resource")
}

// Access says what is done to a [Target].
type Access int

// The kinds of access.
const (
	Write Access = iota
	Read
	Run
)

// String returns the access in lower case.
func (a Access) String() string { return nameOf(int(a), "write", "read", "run") }

// String returns the target as a person reads it, such as "read /etc/hosts".
func (t Target) String() string {
	if t.Kind == Opaque {
		if t.Value == "" {
			return "do something unknown"
		}
		return "do something unknown: " + visible(t.Value)
	}
	s := t.Access.String() + " " + visible(t.Value)
	if t.Maybe {
		s = "perhaps " + s
	}
	if t.Tree {
		s += " and below"
	}
	return s
}

// visible shows what would otherwise move a terminal's cursor, or turn the text round.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
	}) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// Real returns the resolved location of a path target, with no symbolic link
// left in it: the one that was decided and that a tool should open. It is empty
// before the executor resolved the target, and for other kinds.
func (t Target) Real() string {
	if t.at == nil {
		return ""
	}
	return t.at.real
}

// names returns every name a rule may know t by. Nobody writes to it.
func (t *Target) names() []string {
	if t.at != nil {
		return t.at.names
	}
	return append([]string{t.Value}, t.Also...)
}

// same reports whether t and o are the same thing at the same place.
func (t Target) same(o Target) bool {
	return t.Value == o.Value && t.Real() == o.Real() && slices.Equal(t.Also, o.Also)
}

// cloneTargets returns a copy that shares no memory with ts.
func cloneTargets(ts []Target) []Target {
	ts = slices.Clone(ts)
	n := 0
	for i := range ts {
		n += len(ts[i].Also) + len(ts[i].Inner)
	}
	if n == 0 {
		return ts
	}
	room := make([]string, 0, n) // one for all
	clone := func(names []string) []string {
		if len(names) == 0 {
			return names[:0:0] // nil stays nil
		}
		start := len(room)
		room = append(room, names...)
		return room[start:len(room):len(room)]
	}
	for i := range ts {
		ts[i].Also, ts[i].Inner = clone(ts[i].Also), clone(ts[i].Inner)
	}
	return ts
}

// describeTargets says what a call wants to do, naming three targets at the most
// and no guesses.
func describeTargets(ts []Target) string {
	var names []string
	for _, t := range ts {
		if t.Maybe {
			continue
		}
		if len(names) == 3 {
			names = append(names, "more")
			break
		}
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

func nameOf(i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return "invalid"
	}
	return names[i]
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
		case t.Kind != Path:
		case t.Maybe:
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
	if len(t.Also) == 0 && !elsewhere {
		l.sole[0] = t.Value
		l.names = l.sole[:]
		return
	}
	l.names = append([]string{t.Value}, t.Also...)
	if elsewhere {
		l.names = append(l.names, l.real)
	}
}

func (s *Session) resolvePath(t *Target) {
	names := t.Also
	t.Also = nil
	name := s.native(t)
	if t.Glob {
		names = append(names, s.expand(t)...)
		name = t.Value
	}
	t.Value, t.at.real = s.locate(name)
	also := func(name string) {
		if name != t.Value && name != t.at.real && !slices.Contains(t.Also, name) {
			t.Also = append(t.Also, name)
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
	if t.Caution == "" && (t.Copied || t.Tree && t.Access == Write) {
		t.Caution = s.lookBelow(t)
	}
}

// lookBelow says why a person must be asked about what lies below a target, or
// nothing. Where it writes through links becomes one of its names.
func (s *Session) lookBelow(t *Target) string {
	caution, led := beneath.Place{
		Platform: s.platform, Show: visible, Real: t.at.real, Also: t.Also,
		Write: t.Access == Write, Tree: t.Tree, Glob: t.Glob, Copied: t.Copied,
	}.Look()
	for _, name := range led {
		if !slices.Contains(t.Also, name) {
			t.Also = append(t.Also, name)
		}
	}
	return caution
}

// guess resolves a path that may be none: a plain word only if there is such a file.
// Nobody is asked because of what it finds.
func (s *Session) guess(t *Target) {
	if t.Glob {
		caution := t.Caution
		for _, name := range s.expand(t) {
			abs, real := s.locate(name)
			t.Also = append(t.Also, abs, real)
		}
		t.Caution = caution
	}
	t.Value = realpath.Abs(s.cfg.Dir, s.home, t.Value)
	dir, _ := filepath.Split(t.Value) // ends in a separator, as a root does
	if plain := dir == s.cfg.Dir || strings.TrimSuffix(dir, string(filepath.Separator)) == s.cfg.Dir; !plain || realpath.MayExist(t.Value) {
		t.at.real = realpath.Resolve(t.Value)
		if t.Copied && t.Access == Write {
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
	if doubt != "" && t.Caution == "" {
		t.Caution = fmt.Sprintf("the path %s is unclear: %s", visible(t.Value), doubt)
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
		t.Caution = fmt.Sprintf("nobody can tell which files %s stands for", visible(t.Value))
		fixed := pattern[:strings.IndexAny(pattern+"*", `*?[\`)]
		t.Value, t.Tree, t.Glob = fixed[:strings.LastIndexByte(fixed, '/')+1]+".", true, false
	}
	for _, name := range found {
		if strings.HasPrefix(filepath.Base(name), "-") {
			t.Caution = fmt.Sprintf("%s stands for %s, which a command would read as an option", visible(t.Value), visible(filepath.Base(name)))
		}
	}
	return found
}
