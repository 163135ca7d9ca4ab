package pegboard

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
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
	// Aliases holds other names of the same thing. An allow rule must cover all
	// of them, a deny or ask rule any one.
	Aliases []string
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
	// AskReason says why a person must be asked, whatever rules and mode allow.
	AskReason string

	at *location // once resolved; copies share it
}

// TargetKind says how the value of a [Target] is to be read.
type TargetKind int

// The kinds of target.
const (
	TargetOpaque   TargetKind = iota // the tool cannot tell
	TargetCommand                    // a command line
	TargetPath                       // a file or directory
	TargetHost                       // a network host
	TargetAgent                      // a sub-agent type
	TargetSkill                      // a skill
	TargetResource                   // anything else that has a name
)

// String returns the kind's name in lower case.
func (k TargetKind) String() string {
	return nameOf(int(k), "opaque", "command", "path", "host", "agent", "skill", "resource")
}

// Access says what is done to a [Target].
type Access int

// The kinds of access.
const (
	AccessWrite Access = iota
	AccessRead
	AccessRun
)

// String returns the access in lower case.
func (a Access) String() string { return nameOf(int(a), "write", "read", "run") }

// String returns the target as a person reads it, such as "read /etc/hosts".
func (t Target) String() string {
	if t.Kind == TargetOpaque {
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
	return append([]string{t.Value}, t.Aliases...)
}

// same reports whether t and o are the same thing at the same place.
func (t Target) same(o Target) bool {
	return t.Value == o.Value && t.Real() == o.Real() && slices.Equal(t.Aliases, o.Aliases)
}

// cloneTargets returns a copy that shares no memory with ts.
func cloneTargets(ts []Target) []Target {
	ts = slices.Clone(ts)
	n := 0
	for i := range ts {
		n += len(ts[i].Aliases) + len(ts[i].Inner)
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
		ts[i].Aliases, ts[i].Inner = clone(ts[i].Aliases), clone(ts[i].Inner)
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
