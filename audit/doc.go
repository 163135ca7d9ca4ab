// Package audit keeps a log of what an agent was allowed and denied: one line of
// JSON for each decision, in a file that is rotated by size. It is fed by the
// events of an executor:
//
//	log, err := audit.Open(path, audit.Options{})
//	…
//	defer log.Close()
//	executor := &pegboard.Executor{OnEvent: log.Record}
//
// A host that listens itself calls both:
//
//	OnEvent: func(e pegboard.Event) { log.Record(e); show(e) }
//
// # Lines
//
// Every [pegboard.EventDecided] makes a line, those about what turns up in
// mid-call too. The line of a call is handed to the system before the tool is
// called. What no executor tells of makes none: a call that ends before anybody
// decides, as for an unknown tool, an input that does not fit the schema or a question
// that is cut short; what [pegboard.Call.Filter] leaves out; and what a detached call
// does after Run has returned.
//
// The fields, in this order; one without a value is left out, but for time, tool,
// behavior and by:
//
//	time      when it was decided: RFC 3339, UTC, always nine digits of a second
//	trace     Event.TraceID, which all that belongs together shares
//	session   id of the session
//	agent     id of the agent; the main agent has none
//	call      id of the call
//	parent    id of the call from inside which it was made
//	tool      the name that the call was made under, which may be an alias
//	behavior  allow or deny; any other word is the sign of a defect
//	by        who decided, as Decision.By says it: a rule, the mode, a person, nobody
//	mode      the session's mode when the line was made, just after the decision
//	rule      the rule that decided: its behavior, its text and its source
//	remember  what the answer changed from now on: "addRules allow localSettings",
//	          without the rules; those stand there with Inputs
//	targets   what it acts on, without saying which: "path:write", "command:run"; each
//	          kind once, in the order of the targets, and a guess with a "?" behind it
//
// With [Options].Inputs also:
//
//	reason    Decision.Reason
//	input     the call's input: as it is, without spaces between its parts; one that is
//	          no JSON, or has bytes that are no UTF-8, as a string
//	values    the targets, each with target (as above), value and, for a path that
//	          leads elsewhere, real
//
// # What is not written
//
// Without Inputs nothing of an input stands in the log, in no field. Reasons may
// quote it, so they are left out. Names and ids come from the host or the
// provider as a rule; the log does not rely on it: one that is longer than 128 bytes,
// or has more in it than letters, digits and _ - . : /, is written as "sha256:" and
// the first half of its digest in hexadecimal. So a line can still be found by an id
// that is known.
//
// A rule is configuration. But a rule of [pegboard.SourceSession] is most often the
// answer of a person who allowed a call for good, and made of the call's words. Its
// pattern is written as "…". A rule that such an answer saved in a settings file is
// written as it stands in that file.
//
// # Files
//
// A line that would make the file larger than [Options].MaxBytes starts a new one.
// path becomes path.1, path.1 becomes path.2, and so on; the last that Keep allows
// is removed. A line never spans two files. One that alone is larger than
// MaxBytes has a file to itself.
//
// A line is appended by one write. Several Logs, in one process or in many, may
// share a file where there are advisory locks: Linux, macOS and the BSDs, on a local
// file system. A file that another program moved away is noticed with the next
// line. Elsewhere, as on Windows, one process should have the file alone: lines of
// others stay whole, but the file is not rotated while others have it open; it
// grows, and OnError is told. A holder of the lock that does not go on is waited for
// once, for a second; until it lets go lines are appended and nothing is rotated.
//
// What a crash or a full disk left of a line stays where it is, and the next
// line starts on a line of its own. So whoever reads the log skips a line that is no
// JSON.
//
// Lines are handed to the system one by one, and survive the end of the process.
// They are synced to the disk when a file is rotated and by Close, not before.
//
// # A decision that cannot be logged
//
// Record has no error to return. The log goes on, tells [Options].OnError, and
// counts; the next line is tried anew. A host that would rather stop than act
// unseen refuses in the place where calls are made:
//
//	Invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
//		if log.Lost() > 0 {
//			return nil, errors.New("the audit log cannot be written")
//		}
//		return t.Call(ctx, c)
//	}
package audit
