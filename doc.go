// Package pegboard is the tool layer of an agent harness: everything between
// "the model wants to use a tool" and "here is the result". It is a library for
// programs with an LLM loop of their own. It is not a loop, a model client, a
// prompt library or a sandbox.
//
// # A tool
//
// [Build] makes a [Tool] from a typed [Definition]: a name, a description and a
// func. Everything else has a cautious default. A tool that says nothing about
// its calls runs alone, counts as writing something unknown, and is asked about.
//
//	var read = pegboard.Build(pegboard.Definition[input, string]{
//		Info:        pegboard.Info{Name: "ReadNote"},
//		Description: "Reads a note.",
//		Inspect:     func(in input, _ *pegboard.Call) pegboard.Traits { … },
//		Call:        func(ctx context.Context, in input, c *pegboard.Call) (string, error) { … },
//	})
//
// Inspect says what a call will do: its [Traits], above all its targets. A
// [Target] is one thing the call acts on, a path, a command, a host. The same
// list decides permission, orders calls, and is what a person is shown.
//
// # A session, a pool, an executor
//
// A [Registry] holds all tools. A [Session] says on whose behalf they run: role,
// directories, permissions, hooks, and whom to ask. [Registry.AssemblePool]
// settles which tools that session may use now. An [Executor] takes the model's
// calls through all stages and returns exactly one [Outcome] for each, in order:
//
//	lookup ▸ decode ▸ targets ▸ validate ▸ hooks ▸ permission ▸ call ▸ result ▸ hooks ▸ store
//
// The packages below wire turn a pool into a provider's request, its stream into
// calls, and outcomes into the next message. examples/loop is the smallest whole
// program, examples/agent a complete one.
//
// # Permission
//
// [Permissions] are rules and a mode. A deny rule beats everything, then ask
// rules, then the mode, then allow rules; nothing that a hook, a wrapper, a fork
// or bypass mode says turns a deny into anything else. Without any rule a call
// runs only if it is read-only, stays on this machine, and reads inside the
// working directories. What is left is put to the session's [Asker]; without one
// it is denied, and the denial names the rule that would have allowed it.
//
// # Asking
//
// Before the person, a session's Checks are asked, and beside the person the
// permission hook and the [Classifier]: the first decision wins. All agents of a
// conversation share one line of questions. An Asker is shown them one at a time;
// [Session.Answer] takes any of them by its id, in any order, and refuses what is
// not open. An answer may change the input, end the turn, or change the permissions
// from now on ([Decision].Remember), which settles every open question it covers.
// [Question.Suggestions] proposes what to remember.
//
// # Order
//
// Calls of one message run together where their traits permit: an exclusive call
// alone, calls by target unless one writes what another touches. The outcomes are
// those of running one after the other.
//
// [Executor.Stream] starts calls while the model still writes its message: what is
// read-only at once, the rest when the message has ended as it should.
//
// # What ends a call early
//
// Cancel the context of a batch with a cause, such as [ErrUserInterrupt] or
// [ErrNewMessage]: the model is told in so many words, and a tool's [Interrupt]
// says what a new message does to it. A call that does not return within the
// executor's Grace is answered and left behind; it keeps what it holds, and a call
// that needs that fails at once and names it.
//
// # Sub-agents
//
// [Session.Fork] makes a session that can only be narrower. Its pool is assembled
// afresh for its [Role]; [RoleTables] say, as data, what each role may have.
//
// A [Key] holds what tools and the host keep in a session. Its value is shared by
// the agents of a conversation, or with [NewClonedKey] each one's own, of which a
// fork begins with a copy.
//
// # Tools that use tools
//
// [Call.Run] makes calls from inside a call, as a script does that a tool runs.
// They are decided and run like those of the model. What a tool stores for the
// model to read on, it lends with [Session.AllowReads].
//
// # Many tools, long results
//
// With [ToolSearch] in a pool, definitions wait until the model has found them: see
// [Deferral]. It is told their names by [Pool.Announce], and what it found is in
// [Session.Loaded].
//
// A result that is too long is kept by a [ResultStore], and a preview takes its place,
// see [ResultLimits]; [Call.Store] does so while a tool still works. [Session.TrimResults]
// decides which of a conversation's results go out whole, once and for all.
//
// # The tools that ship
//
// Package tools/files reads, edits and searches files, tools/shell runs commands
// and scripts, tools/background keeps what goes on while the conversation does.
// They are made of what this package exports, and a host may leave out any.
//
// # External tools
//
// [Registry.Attach] takes the tools of a source that may come and go, such as an
// MCP server; [BuildRaw] makes them from schemas that are data. One that cannot
// be offered is quarantined with a reason, the others are not affected. Their
// definitions follow those of the built-ins, whose bytes never change with them,
// so that a provider's prompt cache survives.
//
// # Errors
//
// What the model reads says what was wrong and what to do next. What the host
// gets is a [CallError] around one of the sentinels, such as [ErrDenied].
//
// # Costs accepted
//
// Outcomes come in request order, so a fast call waits for a slow one before it.
// Tools are sorted by name, so a host cannot choose their order. A tool whose
// author says nothing runs alone.
package pegboard
