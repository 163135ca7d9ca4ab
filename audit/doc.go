// Package audit writes a log of the permission decisions of an agent: one line of JSON
// for each decision, and for each call that ended before, in a file that is rotated by
// size. It records the events of an executor:
//
//	log, err := audit.Open(path, audit.Options{})
//	…
//	defer log.Close()
//	executor := &pegboard.Executor{OnEvent: log.Record}
//
// A host with a listener of its own calls both:
//
//	OnEvent: func(e pegboard.Event) { log.Record(e); show(e) }
//
// # Lines
//
// Every [pegboard.EventDecided] makes a line, including those about targets that a
// running call checks. The line of a call is written to the file before the tool is
// called. A call that was neither denied nor run makes a line when it ends: its tool was
// unknown, its input was wrong, it was stopped while it waited, or the same call before it
// was its answer, see [pegboard.Outcome].SameAs. If it was allowed
// before, it has two lines. So each call has a line, except one that is submitted after
// [pegboard.Stream.Abandon]. Targets that [pegboard.Call.Filter] removes have no line, nor
// have targets that a detached call checks after Run has returned.
//
// The fields are, in this order (time, tool and behavior are always there, the others only
// if they have a value):
//
//	time      time of the decision: RFC 3339, UTC, always with nine digits of a second
//	trace     Event.TraceID, the same for all events of a batch
//	session   id of the session
//	agent     id of the agent; the main agent has none
//	model     the agent's model, if the host has set pegboard.KeyModel
//	call      id of the call
//	parent    id of the call whose tool made it
//	tool      the name of the tool
//	as        the alias by which the model called the tool
//	behavior  allow, deny, or notRun for a call that was neither denied nor run; any other
//	          word is a defect
//	by        the decider, as Decision.By: a rule, the mode, a person, the caller, nobody
//	mode      the session's mode just after the decision
//	stage     of notRun: the stage that the call ended at, as CallError.Stage
//	error     of notRun: what kind of failure that was, as CallError.Sentinel
//	sameAs    of notRun: the id of the same call before it, whose lines are about both
//	rule      the rule that decided: its behavior, its text and its source; the text of a
//	          rule on facts is like "read-only, not open-world, of github"
//	remember  updates of the permissions by the answer: "addRules allow localSettings";
//	          with Inputs, the rules as well
//	targets   the kinds of the targets: "path:write", "command:run"; each once, in the
//	          order of the targets, and with a "?" for a guess
//
// With [Options].Inputs also:
//
//	reason    Decision.Reason; of notRun, the error
//	input     the call's input, without spaces between its parts; as a string if it is not
//	          JSON, or has bytes that are not UTF-8
//	observed  Call.Observed, if it differs from the input: with defaults and absolute paths
//	values    the targets, each with target (as above), value and, for a path that resolves
//	          to another one, real
//
// tooltest.ParseRuleRows reads such lines as rows that rules can be held against, by
// tooltest.CheckRules.
//
// # What is not written
//
// Without Inputs, no field of the log contains any part of an input. Reasons may quote it,
// so they are left out. Names and ids usually come from the host or the provider, but the
// log does not rely on that: a name or id that is longer than 128 bytes, or contains other
// characters than letters, digits and _ - . : /, is written as "sha256:" and the first
// half of its digest in hexadecimal. So a line can still be found by a known id. A name
// that no tool has comes from the model, and is always written as its digest.
//
// A rule is configuration. But a rule of [policy.SourceSession] usually comes from the
// user's answer to allow a call permanently, and contains parts of the call. Its pattern is
// written as "…". A rule that such an answer saved in a settings file is written in full.
//
// # Files
//
// A line that would make the file larger than [Options].MaxBytes starts a new file. path is
// renamed to path.1, path.1 to path.2, and so on; the last one that Keep allows is
// overwritten. A line never spans two files. A line that alone is larger than MaxBytes gets
// a file of its own.
//
// A line is appended by one write. Several Logs, in one process or in many, may share a file
// on Linux, macOS and the BSDs, on a local file system, which has advisory locks. If another
// program renames the file, the Log detects it with the next line. On Windows, only one
// process should open the file, since an open file cannot be renamed: lines of several
// processes stay whole, but the file is not rotated; it grows, and OnError is called. If
// another process does not release the lock, a Log waits for it once, for a second; until
// it is released, lines are appended and the file is not rotated.
//
// If a crash or a full disk cuts a line, the part stays in the file, and the next line
// starts on a line of its own. So a reader of the log skips lines that are not JSON.
//
// Each line is written to the file at once, and survives the end of the process. Lines are
// synced to the disk when a file is rotated and by Close, not before.
//
// # A decision that cannot be logged
//
// Record returns no error. It calls [Options].OnError and counts the lost decision; the next
// line is tried again. A host that prefers to stop rather than run calls without a log
// refuses them in Invoke:
//
//	Invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
//		if log.Lost() > 0 {
//			return nil, errors.New("the audit log cannot be written")
//		}
//		return t.Call(ctx, c)
//	}
package audit
