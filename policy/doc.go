// Package policy decides whether a call of a tool may run. It compares rules and a mode with the
// targets of the call. It does not depend on a model, a session or an executor, so any agent loop
// can use it.
//
//	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Read(.env)"}})
//	here, err := policy.Dirs{Dir: "."}.Place()
//	d := perms.Decide(ctx, policy.Request{Tool: policy.Builtin("Edit"), Targets: []policy.Target{policy.Writes("src/a.go")}, Place: here})
//
// A call is described by its targets: files, command lines, hosts, agents. [Permissions.Decide]
// takes six steps in a fixed order, and the first step that decides counts: denials, questions,
// the mode, allow rules, grants by others, and last a question about everything else.
// [Permissions.Explain] returns each step. [Permissions.Suggest] returns the updates that an
// answer could remember. Rules, modes and settings files follow the documentation of Claude Code
// where it covers them.
//
// Nothing is allowed by omission. The zero value of each type is the cautious one: a zero [Target]
// is something unknown that is written, a zero [Tool] is external and its claims are not believed,
// a [Request] without a place is denied, and zero [Permissions] let only harmless reads run.
//
// A decision looks at files. It follows the links on the way to a path, and it looks below a
// directory if a rule may be about something there. The only files whose contents it reads are
// those that git keeps, such as its configuration. It starts no program and asks no question.
//
// Values are immutable and may be used concurrently, unless their documentation says otherwise.
package policy
