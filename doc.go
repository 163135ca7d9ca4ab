// Package pegboard is the tool layer of an agent harness: everything between
// "the model wants to use a tool" and "here is the result". It is a library for
// programs with an LLM loop of their own. It is not a loop, a model client, a
// prompt library or a sandbox.
//
// # A tool
//
// [Build] makes a [Tool] from a typed [Definition]: a name, a description and a
// func. Every other field has a cautious default. Calls of a tool that declares
// nothing run alone, count as writing something unknown, and are asked about.
//
//	var read = pegboard.Build(pegboard.Definition[input, string]{
//		Info:        pegboard.Info{Name: "ReadNote"},
//		Description: "Reads a note.",
//		Inspect:     func(in input, _ *pegboard.Call) pegboard.Traits { … },
//		Call:        func(ctx context.Context, in input, c *pegboard.Call) (string, error) { … },
//	})
//
// Inspect returns the [Traits] of a call, above all its targets. A [policy.Target] is one
// thing that the call acts on: a path, a command, a host. The list of targets
// decides permission, orders calls, and is shown to the user.
//
// # A session, a pool, an executor
//
// A [Registry] holds all tools. A [Session] says on whose behalf they run: role,
// directories, permissions, hooks, and how to ask the user. [Registry.AssemblePool]
// returns the tools that the session may use now. An [Executor] takes the model's
// calls through all stages and returns exactly one [Outcome] for each, in order:
//
//	lookup ▸ decode ▸ targets ▸ validate ▸ hooks ▸ permission ▸ call ▸ result ▸ hooks ▸ store
//
// The packages below wire turn a pool into a provider's request, the provider's
// stream into calls, and outcomes into the next message. examples/loop is the
// smallest whole program, examples/agent a complete one. docs/README.md lists all pages
// by need, and docs/cookbook answers one question on a page.
//
// # Permission
//
// [policy.Permissions] are rules and a mode. Deny rules come first, then ask rules, then
// the mode, then allow rules. No hook, wrapper, fork or mode overrides a deny rule.
// Without any rule a call runs only if it is read-only, stays on this machine, and
// reads no file outside the working directories. Any other call is put to the session's
// [Asker]. Without an Asker it is denied, and the denial names the rule that would
// have allowed it. The lax modes ModeAuto and ModeBypass are entered only where the host has
// made them available: see [policy.Permissions.Offers].
//
// A host has two words of its own: [ForceDecision] hands in a call with a decision, and a
// session's [Guard] is called for every call that would run, and can only be stricter.
//
// [Hooks] are functions of the host around the calls of a session: before a call, instead
// of a question, after a call and after a message. They deny calls, have them asked about,
// and change inputs and results.
//
// # Asking
//
// A session's Approvers are asked before the user; the permission hook and the
// [Classifier] at the same time as the user: the first decision wins. All agents of
// a conversation share one line of questions, which those of one message enter in request
// order: a question waits while an earlier call is still decided by hooks or approvers. An
// Asker is shown one question at a time; [Session.Answer] answers any open question by its
// id, in any order. An answer may change the input, end the turn, or change the permissions from now on
// ([policy.Decision].Remember), which also closes every open question that they decide.
// [Question.Suggestions] proposes rules to remember.
//
// # Answers on another day
//
// With [SessionConfig].Suspend a session does not wait for the user: a call with a question is
// suspended, the host saves a [Suspension], and [Executor.Resume] goes on with it in another
// process, by the permissions of that day. A [Journal] keeps calls from running twice.
//
// # What a person reads
//
// [Call.View] and [Outcome.View] describe a call for a user interface: a title, a kind, a
// line before, while and after it ran, and the diffs of the changed files. A tool sets these
// with Info.Title, Traits.Kind, Definition.Summary and its Result; the rest is derived.
// [Question.Preview] shows the user the changes that a call would make.
//
// # Order
//
// Calls of one message run together if their traits permit: an exclusive call runs
// alone, calls per target together unless one writes something that another touches.
// The outcomes are those of running one after the other. [Pool.Conflict] says whether
// two calls must not run at once, and why. Calls of other messages and agents take turns at
// the targets that they name.
//
// [Executor.Stream] starts calls while the model still writes its message: read-only
// calls at once, the others when the message is complete.
//
// # Limits
//
// Some limits hold unless the host changes them. The loop breaker stops a model that runs
// in circles: the user is asked about the third message in a row that makes the same calls
// with the same results, and the turn ends after the sixth, and after denials in three
// messages in a row. It counts from [Session.NewTurn] on, so a loop calls that for every
// message of the user: otherwise calls of different turns count together, budgets of a turn
// never begin anew, and rules of a turn never end. A loop also heeds [Outcome].StopTurn,
// with which the breaker, a hook, a budget or the user ends a turn. [BreakerLimits] change
// the numbers.
//
// Also on are [DefaultMaxParallel] calls of a batch at once, [DefaultGrace] for
// a call that was stopped, and the limits of results and images in [ResultLimits]. A call, a
// question and a turn have no limit of time by default: see [Info].Timeout,
// [SessionConfig].AskTimeout and Budgets.
//
// [SessionConfig] has Budgets, which limit the calls, the time and the tokens of a turn or
// a session, and Groups, which limit how many calls of some tools run at once and how many
// start in a second. All agents of a conversation share them. A model is told before a
// [CallBudget] is used up. [RetryPolicy] says how often a call is attempted whose transport
// fails.
//
// # What ends a call early
//
// Cancel the context of a batch with a cause, such as [ErrUserInterrupt] or
// [ErrNewMessage]: the model is told the cause, and a tool's [Interrupt] says how a
// new message affects its calls. The outcome of a stopped call wraps [ErrCancelled] and
// the cause, whatever its tool returned. A call that does not return within the executor's
// Grace is answered and abandoned. Unless it only reads, it keeps its keys until it returns
// or the host calls [Session.Forget]; a call that conflicts with it fails at once and names
// it. So is a call answered whose Inspect, Validate or Permit, or whose hook, does not return.
//
// # What a tool declares
//
// A [Declaration] has a text for the model and one for people, the schema of the input and,
// where the output is a JSON object, that of the output. The text for the model may name
// other tools of the pool, see [Scope].
//
// # Sub-agents
//
// [Session.Fork] makes a session that can only be narrower. Its pool is assembled
// again for its [Role]; [RoleTables] say, as data, which tools each role may have.
//
// A [Key] names a value that a tool or the host keeps in a session. All agents of a
// conversation share the value. With [NewClonedKey] each has its own, and a fork
// starts with a copy. [KeyModel], [KeyInteractive] and the other keys beside them are a
// vocabulary: facts that a host tells tools whose authors it does not know.
//
// # Tools that the host executes
//
// A tool without a Call, such as a click in the user's browser, is decided here and executed
// elsewhere: see [Info].ExternalResult and [Session.SubmitResult]. [Executor].Invoke moves calls of any
// other tool into another process, where [Pool.Rebuild] makes them again; all stages before
// and after the call stay here.
//
// # Tools that use tools
//
// [Call.Run] makes calls from inside a call, as a script does that a tool runs. They
// are decided and run like those of the model. [Session.AllowReads] lets the model
// read files that a tool has stored for it.
//
// # Many tools, long results
//
// With [ToolSearch] in a pool, definitions are deferred until the model has found
// them: see [Deferral]. [Pool.Announce] tells the model their names, and
// [Session.Loaded] returns those that it has loaded.
//
// A result that is too long is kept in a [ResultStore] and replaced by a preview, see
// [ResultLimits]; [Call.Store] does so while a tool still runs. [Session.TrimResults]
// decides which of a conversation's results are sent whole.
//
// # The tools that ship
//
// Package tools/files reads, edits and searches files, tools/shell runs commands
// and scripts, tools/background manages tasks that outlive their call. Others start agents,
// load skills, read the web, ask language servers, keep lists and schedules, or talk to the
// user; docs/builtin.md lists all tools. They use only the exported API of this package, and a
// host may leave out any. Package tools/tooltest has fakes and checks for the host's tests.
//
// # External tools
//
// [Registry.Attach] adds the tools of a source that may come and go, such as an MCP
// server, and [Registry.Replace] changes them; [BuildRaw] makes them from schemas that are
// data. A tool that cannot be offered is quarantined with a reason; the others are not affected. Their
// definitions follow those of the built-in tools, whose bytes never change with them,
// so that the provider's prompt cache stays valid.
//
// # What happened
//
// [Executor].OnEvent is called with an [Event] for each step of a call: its place in the
// order, questions, the decision, progress, the outcome. [LogEvents] writes them to a
// [log/slog.Logger], package audit a line for each decision. [Executor].TraceID gives the
// events of a batch a name. [Pool.ExplainDecision] says how a call would be decided and by
// which rule, [Pool.Explain] why a tool is not in a pool.
//
// # Errors
//
// A text for the model says what is wrong and what to do next. An error for the host
// is a [CallError] around one of the sentinels, such as [ErrDenied]. A panic of a tool ends
// no program: it is a [PanicError] in the outcome. Other mistakes of the host's own code
// show in no outcome: a panic in OnEvent, a hook that failed after a call, an approver or a
// classifier that failed, an answer that could not be saved. [Executor].Logger gets these,
// and all panics with their stacks. Nil means [log/slog.Default]: a host that discards that
// one sets Logger, or such mistakes are silent. Inputs and results are not logged.
// A function that is given a nil context, or a nil or zero Session or Pool, panics and
// says so: that is a mistake in the host's code.
//
// # Costs accepted
//
// Outcomes come in request order, so a fast call waits for a slow one before it.
// Tools are sorted by name, so a host cannot choose their order. A tool whose
// author declares nothing runs alone.
package pegboard
