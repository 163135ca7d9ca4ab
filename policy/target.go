package policy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Target is one thing that a call acts on. The targets of a call decide its permission and its
// order among other calls, and the user sees them.
//
// A tool returns targets as it reads them from its input, without any I/O. They are resolved once,
// see [Permissions.Resolve]. A path becomes absolute and clean, and its location after symbolic
// links becomes a further name. A host gets the spelling that rules are compared with; of a URL or
// host:port, only the host is left. Some values cannot be understood, such as a host with a blank
// in it, a path that is a URL or an empty name. No allow rule covers such a target, and every deny
// or ask rule about that kind of target matches it.
type Target struct {
	Kind   Kind   // zero: Opaque, which no pattern covers
	Access Access // zero: Write, which conflicts with every other access
	Value  string // the path, command line, host or name as the tool wrote it; a description of an opaque target
	Tree   bool   // a path also stands for everything below it

	// Aliases are other names of the same thing. An allow rule must cover all of them. A deny or
	// ask rule must match only one.
	Aliases []string
	// AskReason, if set, is why the user must be asked, whatever rules and mode allow.
	AskReason string
	// Filtered says that the tool asks before it touches anything below a Tree, as by Call.Filter
	// of package pegboard. A deny or ask rule about something below the Tree then does not keep
	// the call from the rest. Filtered has no effect on external tools.
	Filtered bool
	// Shell holds facts about a command line and the paths on it. Tools that run no commands leave
	// it zero.
	Shell ShellFacts

	at *location // nil until resolved; copies share it
}

// Reads returns the target of a call that reads a file or directory.
func Reads(path string) Target { return Target{Kind: Path, Access: Read, Value: path} }

// Writes returns the target of a call that writes a file.
func Writes(path string) Target { return Target{Kind: Path, Access: Write, Value: path} }

// Runs returns the target of a call that runs a command line. The line was not parsed, so it may
// do anything. Package policy/shell parses lines.
func Runs(line string) Target { return Target{Kind: Command, Access: Run, Value: line} }

// Reaches returns the target of a call that gets something from a host. The host is a name,
// host:port or a URL.
func Reaches(host string) Target {
	if name, doubt := pattern.CanonicalHost(host); doubt == "" {
		host = name // alone, as a target shows it
	}
	return Target{Kind: Host, Access: Read, Value: host}
}

// Kind says how the value of a [Target] is read.
type Kind int

// The kinds of target.
const (
	Opaque   Kind = iota // something that the tool cannot name
	Command              // a command line
	Path                 // a file or directory
	Host                 // a network host
	Agent                // a sub-agent type
	Skill                // a skill
	Resource             // any other thing that has a name
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	return enum.Name(k, "opaque", "command", "path", "host", "agent", "skill", "resource")
}

// pattern returns the kind as patterns match it.
func (k Kind) pattern() pattern.Kind {
	switch k {
	case Path:
		return pattern.Path
	case Host:
		return pattern.Host
	case Command:
		return pattern.Command
	}
	return pattern.Text
}

// Access says how a call accesses a [Target].
type Access int

// The kinds of access.
const (
	Write Access = iota
	Read
	Run // like Write, except that calls that run the same agent or skill may run together
)

// String returns the access in lower case.
func (a Access) String() string { return enum.Name(a, "write", "read", "run") }

// String returns the target for a person, such as "read /etc/hosts".
func (t Target) String() string {
	if t.Kind == Opaque {
		if t.Value == "" {
			return "do something unknown"
		}
		return "do something unknown: " + plain.Visible(t.Value)
	}
	s := t.Access.String() + " " + t.Shown()
	if t.Shell.Guess {
		s = "perhaps " + s
	}
	if t.Tree {
		s += " and below"
	}
	return s
}

// would returns "may" for a guess at something that a command does to t, and "would" otherwise.
func (t Target) would() string {
	if t.Shell.Guess {
		return "may"
	}
	return "would"
}

// Class returns the kind and the access of t without its value, such as "path:write", and with a
// "?" behind those of a guess. It is for logs that must not contain parts of an input. There are
// at most 42 classes.
func (t Target) Class() string {
	class := t.Kind.String() + ":" + t.Access.String()
	if t.Shell.Guess {
		class += "?"
	}
	return class
}

// Shown returns the value in a form that shows a person which host is meant. In a host, letters
// that look like others are escaped; of an address, only the host is shown. If an address in a
// command looks like that of another host, its own host follows it.
func (t *Target) Shown() string {
	switch t.Kind {
	case Host:
		host, _ := pattern.CanonicalHost(t.Value)
		if ascii := strconv.QuoteToASCII(host); len(ascii) != len(host)+len(`""`) {
			return ascii
		}
		return host
	case Command:
		text := plain.Visible(t.Value)
		for _, address := range beginnings.FindAllString(t.Value, maxAddresses) {
			_, authority, _ := strings.Cut(address, "://")
			if !misleads(authority) {
				continue
			}
			host, doubt := pattern.CanonicalHost("https://" + authority)
			if doubt != "" {
				host = "nobody can tell which: " + doubt
			}
			text += fmt.Sprintf(" (the host of %s: %s)", strconv.QuoteToASCII(address), host)
		}
		return text
	}
	return plain.Visible(t.Value)
}

// beginnings matches addresses in a command up to the end of their host.
var beginnings = regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s/?#'\"<>|;&()`]+")

// maxAddresses is the number of addresses in a command that are examined.
const maxAddresses = 20

// misleads reports whether a person may take the beginning of an address for that of another host.
// It may have letters that look like others, an escape, or a user that looks like a host.
func misleads(authority string) bool {
	user, _, hasUser := strings.Cut(authority, "@")
	return strings.ContainsFunc(authority, func(c rune) bool { return c > unicode.MaxASCII || c == '%' || c == '\\' }) ||
		hasUser && strings.ContainsFunc(user, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' })
}

// Real returns the location of a path target after symbolic links. It is the location that was
// decided, and that a tool should open. Package tools/files of pegboard opens it without following
// a link that was put there since. Real is empty for other kinds, and before the target is
// resolved.
func (t Target) Real() string {
	if t.at == nil {
		return ""
	}
	return t.at.real
}

// WasDecided reports whether a file that was opened at the Real of t counts as the file that t was
// decided on. Info describes the opened file. It does not count if it has several hard links, a
// deny or ask rule is about files, and at the decision another file or none was there: it may be a
// file that the rule names elsewhere. A new file with a single name counts, since editors replace
// files all the time. Package tools/files calls WasDecided for each file that it opens.
func (t Target) WasDecided(info fs.FileInfo) bool {
	if t.at == nil || t.at.links == nil || !realpath.HasLinks(info) {
		return true
	}
	decided := t.at.links.file
	return decided != nil && os.SameFile(decided, info)
}

// doubt returns why the meaning of the value of t is unclear, or "" if it is clear or t is not
// resolved. A guess at a host, such as a computed one, is not unclear: its command is asked about,
// and rules on hosts do not deny it for the doubt.
func (t *Target) doubt() string {
	if t.at == nil || t.Kind == Host && t.Shell.Guess {
		return ""
	}
	return t.at.doubt
}

// saysUnseen reports whether the tool says that t does something that it cannot name.
func (t *Target) saysUnseen() bool {
	return t.Kind == Opaque && t.Value != "" || t.Kind == Command && (t.Shell.RunsUnseen || t.Shell.ReadsUnseen)
}

// clampEnums replaces an unknown kind or access by the most cautious one.
func (t *Target) clampEnums() {
	if t.Kind < Opaque || t.Kind > Resource {
		t.Kind = Opaque
	}
	if t.Access < Write || t.Access > Run {
		t.Access = Write
	}
}

// resolveHost gives the names of a host their canonical form.
func (t *Target) resolveHost() {
	t.Value, t.at.doubt = pattern.CanonicalHost(t.Value)
	for i, name := range t.Aliases {
		var doubt string
		if t.Aliases[i], doubt = pattern.CanonicalHost(name); doubt != "" {
			t.at.doubt = doubt
		}
	}
}

// malformed returns why the value of a target other than a host cannot be understood, as the end
// of a sentence, or "".
func (t *Target) malformed() string {
	if t.Kind == Opaque {
		return ""
	}
	return pattern.Malformed(t.Kind.pattern(), t.Value)
}

// Names returns every name of t that a rule may match. The caller must not write to it.
func (t *Target) Names() []string {
	if t.at != nil {
		return t.at.names
	}
	return append([]string{t.Value}, t.Aliases...)
}

// Same reports whether t and o have the same names and location. They may be resolved at different
// times.
func (t Target) Same(o Target) bool {
	return t.Value == o.Value && t.Real() == o.Real() && slices.Equal(t.Aliases, o.Aliases) && t.at.sameLinks(o.at)
}

// Clone returns a copy of ts that shares no memory with it. All copied names share one backing
// array, which saves allocations.
func Clone(ts []Target) []Target {
	ts = slices.Clone(ts)
	n := 0
	for i := range ts {
		n += len(ts[i].Aliases) + len(ts[i].Shell.Nested) + len(ts[i].Shell.Starts)
	}
	if n == 0 {
		return ts
	}
	backing := make([]string, 0, n)
	clone := func(names []string) []string {
		if len(names) == 0 {
			return names[:0:0] // nil stays nil
		}
		start := len(backing)
		backing = append(backing, names...)
		return backing[start:len(backing):len(backing)]
	}
	for i := range ts {
		ts[i].Aliases, ts[i].Shell.Nested, ts[i].Shell.Starts = clone(ts[i].Aliases), clone(ts[i].Shell.Nested), clone(ts[i].Shell.Starts)
	}
	return ts
}

// Describe lists at most three targets, without guesses.
func Describe(ts []Target) string {
	var names []string
	for _, t := range ts {
		if t.Shell.Guess {
			continue
		}
		if len(names) == 3 {
			names = append(names, "more")
			break
		}
		names = append(names, t.told())
	}
	return strings.Join(names, ", ")
}

// told is [Target.String] for a target of a call. If a tree is read whose files its tool lists,
// and that does not exist on the disk, told shows it as a name, such as that of a commit.
func (t *Target) told() string {
	if t.Access != Read || t.Shell.Holds == nil || t.at == nil || exists(t.Value) {
		return t.String()
	}
	dir := filepath.Dir(t.Value)
	for dir != filepath.Dir(dir) && !exists(dir) {
		dir = filepath.Dir(dir)
	}
	name, err := filepath.Rel(dir, t.Value)
	if err != nil {
		return t.String()
	}
	one := *t
	one.Value, one.Tree = "what "+filepath.ToSlash(name)+" stands for in "+dir, false
	return one.String()
}

// ShellFacts are the claims of a tool that runs commands about a [Target]. The zero value claims
// nothing, and makes no decision laxer.
//
// ReadOnly, VerifyReadOnly, VerifyProgram, EditsOnly, BringsProgram, Starts, Simple, FromCommand,
// Guess, MayWrite, InPlace, Reads and Holds have no effect on external tools, whose claims are not
// checked.
type ShellFacts struct {
	// ReadOnly marks a command that is known to change nothing.
	ReadOnly bool
	// VerifyReadOnly, if set, is called before ReadOnly is believed. An error says why the command
	// may change something. The function may look at files. It is called while the call is
	// decided, and in package pegboard while the call holds its keys.
	VerifyReadOnly func() error
	// EditsOnly marks a command that only reads and writes the path targets whose FromCommand it
	// is.
	EditsOnly bool
	// VerifyProgram, if set, is called before ReadOnly or EditsOnly is believed, and before an
	// allow rule with a wildcard covers the command. An error says that the program that may run
	// is not the well-known one of that name. It is called under the same conditions as
	// VerifyReadOnly.
	VerifyProgram func() error
	// BringsProgram says that projects usually bring the program themselves. A rule with a
	// wildcard is then about any program of that name, and VerifyProgram has no effect on the
	// rule.
	BringsProgram bool
	// Starts are the commands that the command starts with names of files that it finds, each in
	// the form of a Value. Apart from starting them, the command only reads. Allow rules that
	// cover each of them also cover the command.
	Starts []string
	// VerifyNames, if set, is called before an allow rule with a wildcard covers the command or
	// one of Starts. An error names a file whose name would be taken for something else. It is
	// called under the same conditions as VerifyReadOnly.
	VerifyNames func() error
	// Simple says that Value is one simple command, and that everything it is known to touch is a
	// target of its own. A command that is not Simple may touch anything.
	Simple bool
	// Nested are the commands that the command runs in turn, such as the one after sudo. Deny and
	// ask rules match them, allow rules do not.
	Nested []string
	// NoWildcards says that only an allow rule without a wildcard covers the target.
	NoWildcards bool
	// Exceeds is the argument because of which NoWildcards is set, or "" if none can be named. It
	// is told where a rule would cover the command otherwise.
	Exceeds string
	// ReadsInput says that the command reads input that Value does not show, from a pipe or a
	// here-document. The user is asked again each time, unless the command is known to execute
	// nothing that it reads, see [Permissions.Suggest].
	ReadsInput bool
	// RunsUnseen says that the command may run other commands that neither Value nor Nested shows,
	// such as one in a computed variable. While a deny or ask rule is about commands, no allow
	// rule for a whole tool covers the command, and bypass mode asks.
	RunsUnseen bool
	// ReadsUnseen says that the command reads files that are no targets: files that a list names,
	// or files that match an unknown pattern. While a deny or ask rule is about reading files, no
	// allow rule covers the command, and bypass mode asks.
	ReadsUnseen bool

	// FromCommand is the Value of the command that a path was given to. A rule that allows the
	// command also allows it to read the path, and to write it inside the working directories.
	FromCommand string
	// Guess marks a target that may not exist, such as an argument that looks like a
	// path. Only deny and ask rules consider it.
	Guess bool
	// MayWrite marks a Guess of a path that is written, since nothing says that the program only
	// reads it. The user is then asked about a protected file. The user is also asked about a path
	// outside the working directories, unless an allow rule without a wildcard covers the command,
	// or a rule for edits covers the path.
	MayWrite bool
	// Glob says that a path is a pattern that the shell expands to the names of existing files: *,
	// ? and [ ] within a segment. [Permissions.Resolve] expands it, too.
	Glob bool
	// CopiesNames says that the files of a path that is read are written elsewhere under their own
	// names. A protected name among them then counts.
	CopiesNames bool
	// MovesNames says that something is moved to a path that is written, or that links are made
	// there: names at the path and below may then lead elsewhere. On a command it says that this
	// may happen to any path, since the written paths are not known. It counts while a command
	// runs in the background, see [Holds].
	MovesNames bool
	// FollowsLinks says that links below a Tree are followed.
	FollowsLinks bool
	// InPlace says that only files that are already in a Tree that is written are changed, moved
	// or removed. On a Guess of a Tree that is read it says that the files are found before they
	// are read, so the command does not make them.
	InPlace bool
	// Enters says that a path that is read is a directory in which other commands run, as after
	// cd. The effects of these commands are targets of their own, as far as they are known. A hook
	// that has to keep an agent out of a directory denies such a target.
	Enters bool
	// Reads reports whether a Tree that is read includes files of this name. Nil means that it
	// includes all. A deny or ask rule about other files below the Tree does not match it.
	Reads func(name string) bool
	// LeaveOut is the argument that makes the command leave out files called NAME, for the text of
	// a refusal.
	LeaveOut string
	// Holds, if set, calls visit with the path of each file that a Tree includes, until visit
	// returns false. If the Tree is written, these are the files that may be written. Holds
	// returns false if there may be more. Like VerifyReadOnly, it may look at files. Nil means the
	// files on the disk if the Tree is read or InPlace, and any files otherwise.
	Holds func(visit func(path string) bool) bool
}

// parsed reports whether the tool makes any claim about a command line, and so has parsed it.
func (f *ShellFacts) parsed() bool {
	return f.Simple || f.ReadOnly || f.EditsOnly || f.NoWildcards || f.ReadsInput || f.RunsUnseen || f.ReadsUnseen || f.VerifyReadOnly != nil || f.VerifyProgram != nil || len(f.Nested) > 0 || len(f.Starts) > 0 || f.VerifyNames != nil
}

// Platform says how paths are spelled.
type Platform int

// The platforms. The zero value is the platform that the program runs on.
const (
	ThisPlatform Platform = iota
	Linux
	Darwin
	Windows
)

// String returns the platform in lower case.
func (p Platform) String() string { return enum.Name(p, "this", "linux", "darwin", "windows") }

// pattern returns the platform in the form of package pattern.
func (p Platform) pattern() pattern.Platform {
	switch p {
	case Linux:
		return pattern.Linux
	case Darwin:
		return pattern.Darwin
	case Windows:
		return pattern.Windows
	}
	return currentPlatform()
}

// currentPlatform returns the platform that the program runs on.
func currentPlatform() pattern.Platform {
	switch runtime.GOOS {
	case "windows":
		return pattern.Windows
	case "darwin":
		return pattern.Darwin
	}
	return pattern.Linux
}
