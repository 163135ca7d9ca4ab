package pegboard

// ShellFacts are facts that a tool that runs commands declares of a [Target]. The zero value
// claims nothing, and makes no decision laxer.
//
// ReadOnly, VerifyReadOnly, EditsOnly, BringsProgram, Starts, Simple, FromCommand, Guess, MayWrite, InPlace, Reads and
// Holds have no effect on attached tools, whose claims are not checked.
type ShellFacts struct {
	// ReadOnly marks a command that is known to change nothing.
	ReadOnly bool
	// VerifyReadOnly, if set, is called before ReadOnly is believed. An error says why
	// the command may change something. It is called while the call is decided and
	// holds its keys, and may look at files.
	VerifyReadOnly func() error
	// EditsOnly marks a command that does nothing but read and write the path targets
	// whose FromCommand it is.
	EditsOnly bool
	// VerifyProgram, if set, is called before ReadOnly or EditsOnly is believed, and before
	// an allow rule with a wildcard covers the command. An error says that another program
	// may run than the one that the name is known for. When it is called, and what it may
	// do, is as with VerifyReadOnly.
	VerifyProgram func() error
	// BringsProgram says that projects usually bring the program themselves. A rule with a
	// wildcard is then about whichever program has the name, and VerifyProgram has no effect
	// on it.
	BringsProgram bool
	// Starts are the commands that the command starts with names of files that it finds, if
	// it does nothing else but read, each in the form of a Value. Allow rules that cover each
	// of them cover the command, too.
	Starts []string
	// VerifyNames, if set, is called before an allow rule with a wildcard covers the command,
	// or one of Starts. An error says which name of a file would be taken for something else.
	// When it is called, and what it may do, is as with VerifyReadOnly.
	VerifyNames func() error
	// Simple says that Value is one simple command, and that everything it is known to
	// touch is a target of its own. Any other command may touch anything.
	Simple bool
	// Nested holds the commands that the command runs in turn, such as the one after
	// sudo. Deny and ask rules match them, allow rules do not.
	Nested []string
	// NoWildcards says that only an allow rule without a wildcard covers the target.
	NoWildcards bool
	// ReadsInput says that the command reads input that Value does not show, from a
	// pipe or a here-document. The user is asked again each time unless the command is
	// known to execute nothing that it reads: see [Question.Suggestions].
	ReadsInput bool
	// RunsUnseen says that the command may run others that neither Value nor Nested
	// shows, such as one in a variable that is computed. While a deny or ask rule is
	// about commands, no allow rule for a whole tool covers it, and bypass mode asks.
	RunsUnseen bool
	// ReadsUnseen says that the command reads files which are no targets, such as those
	// that a list names, or is given names that a pattern stands for which is not known.
	// While a deny or ask rule is about reading files, no allow rule covers it, and bypass
	// mode asks.
	ReadsUnseen bool

	// FromCommand is the Value of the command that a path was given to. A rule that
	// allows the command also allows it to read the path, and to write it inside the
	// working directories.
	FromCommand string
	// Guess marks a target that may not exist, such as an argument that looks like a
	// path. Only deny and ask rules consider it.
	Guess bool
	// MayWrite marks a Guess of a path that is written if nothing says that the program only
	// reads it. That it is a protected file is asked about, too, and so is a place outside the
	// working directories unless a rule without a wildcard covers the command, or one for edits
	// the path.
	MayWrite bool
	// Glob says that a path is a pattern that the shell expands to the names of existing
	// files: *, ? and [ ] within a segment. The executor expands it, too.
	Glob bool
	// CopiesNames says of a path that is read that its files are written elsewhere under
	// their own names, so that a protected name among them counts.
	CopiesNames bool
	// MovesNames says of a path that is written that names at it or below may lead elsewhere
	// afterwards, since something is moved there or links are made. Of a command it says
	// that this may happen to any path, since it is not known what the command writes. It
	// counts while a command goes on in the background, see [Call.Hold].
	MovesNames bool
	// FollowsLinks says of a Tree that links below it are followed.
	FollowsLinks bool
	// InPlace says of a Tree that is written that only what is there already is changed, moved
	// or removed; and of one that is read as a Guess, that its files are found before they are
	// read, and not made by the command.
	InPlace bool
	// Enters says of a path that is read that it is a directory in which other commands run,
	// as after cd. What they do there has targets of its own as far as it is known: a hook that
	// has to keep an agent out of a directory denies such a target.
	Enters bool
	// Reads reports whether a Tree that is read includes files with such a name; nil means
	// all. A deny or ask rule about other files below the tree is not about it.
	Reads func(name string) bool
	// LeaveOut is what added to the command leaves files called NAME out of the tree, for
	// the text of a refusal.
	LeaveOut string
	// Holds, if set, calls visit with the path of each file that a Tree includes, of one that
	// is written each that may be written, until visit returns false; nil means what is found
	// on the disk if the Tree is read or InPlace, and anything otherwise. It returns false if
	// there may be more. Like VerifyReadOnly it may look at files.
	Holds func(visit func(path string) bool) bool
}

// parsed reports whether the tool says anything about a command line, which it then has
// looked into.
func (f *ShellFacts) parsed() bool {
	return f.Simple || f.ReadOnly || f.EditsOnly || f.NoWildcards || f.ReadsInput || f.RunsUnseen || f.ReadsUnseen || f.VerifyReadOnly != nil || f.VerifyProgram != nil || len(f.Nested) > 0 || len(f.Starts) > 0 || f.VerifyNames != nil
}
