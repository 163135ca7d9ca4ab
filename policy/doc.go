// Package policy decides whether a call of a tool may run: by rules and a mode, compared with what
// the call acts on. It knows no model, no session and no executor, so that any agent loop can use
// it.
//
//	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Read(.env)"}})
//	here, err := policy.Dirs{Dir: "."}.Place()
//	d := perms.Decide(ctx, policy.Request{Tool: policy.Builtin("Edit"), Targets: []policy.Target{policy.Writes("src/a.go")}, Place: here})
//
// A call is described by its targets: files, command lines, hosts, agents. [Permissions.Decide] takes
// six steps in a fixed order, and the first that decides counts: what denies, what asks, the mode, allow
// rules, what others grant, and otherwise a question. [Permissions.Explain] returns each step.
// [Permissions.Suggest] returns what an answer could remember. Rules, modes and settings files mean
// what they mean in Claude Code, where its documentation says so.
//
// Nothing is allowed by omission. The zero value of each type is the cautious one: a zero [Target] is
// something unknown that is written, a zero [Tool] comes from somewhere else and is not believed, a
// [Request] without a place is denied, zero [Permissions] let only harmless reads run.
//
// A decision looks at files: it follows the links on the way to a path, and where a rule is about
// what may lie below a directory, it looks there. It reads the contents of no file but those of git
// that say where a repository is. It starts nothing and asks nobody.
//
// Values are immutable and may be used concurrently, unless their documentation says otherwise.
package policy
