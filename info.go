package pegboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is used by rules, hooks, logs and calls. Required; any text without control
	// characters.
	Name string
	// Title is shown to people in place of Name; empty means Name. It may be in any
	// letter case and contain blanks.
	Title string
	// Aliases are former names. They work wherever Name does.
	Aliases []string
	// Origin is zero for a built-in tool; [Registry.Attach] sets it.
	Origin Origin
	// ExternalResult means that the host executes the calls, in a browser or a client application,
	// and submits their outcomes: see [Session.SubmitResult]. The tool has no Call.
	ExternalResult bool
	// RequiresUser means that only the user may allow a call: no rule, hook or mode does. For a
	// built-in tool, a hook or an approver may answer in the user's place, with Allow and another
	// Input that the tool accepts; whatever else they say in favor is passed over. An answer of
	// Hooks.Pre does not count in a mode that never asks.
	RequiresUser bool
	// RequiresGuard means that calls are denied in a session without a [Guard]: for a tool
	// whose every call the host must see.
	RequiresGuard bool
	// Interrupt says what a new message of the user does to a running call.
	Interrupt Interrupt
	// Timeout is how long a call may take once it runs, and each of the tool's Inspect, Validate
	// and Permit before; 0 means no limit.
	Timeout time.Duration
	// Group names a group of tools whose calls share a limit, see [SessionConfig].Groups.
	// Without such a limit it has no meaning.
	Group string
	// Retry says how often a call is attempted when its transport fails; zero means once.
	Retry RetryPolicy
	// CancelsSiblings stops the other calls of the message when a call fails, if the
	// executor allows it: as for a shell whose commands build on each other.
	CancelsSiblings bool
	// Polls tells the loop breaker that equal calls in a row are normal. Each of them runs,
	// see [Definition].Equivalent. No call of another message waits for one of them, nor it for
	// that: it may wait until others have changed what it reads.
	Polls bool
	// Strict asks the provider to enforce the input schema, where it can. Input is checked
	// here in any case.
	Strict bool
	// Loading says when the model sees the definition; zero leaves that to [Deferral].
	Loading Loading
	// Hint is for a search for tools, beside name and description: 3 to 10 words without
	// a period, preferably words that are not in the name. The model does not see it.
	Hint string
	// MaxResult is how many characters of text a result may have before it is stored and
	// replaced by a preview; 0 means [DefaultPerResult], a negative number that results
	// are never stored, as for a tool that reads stored results.
	MaxResult int

	server  string // mcp__source, if the tool is attached
	spelled string // the exposed name before characters were replaced or cut
	// annotations are those of an external tool, as its source sent them.
	annotations string
}

// exact reports whether the exposed name is the source and the raw name, unchanged. Of
// several tools with the same exposed name, an exact one gets it.
func (i Info) exact() bool { return i.Name == i.spelled }

// sharesName reports whether a name or alias of i is one of o, in whatever letter case.
func (i *Info) sharesName(o *Info) bool {
	names := append([]string{o.Name}, o.Aliases...)
	return slices.ContainsFunc(append([]string{i.Name}, i.Aliases...), func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	})
}

// Matches reports whether name is the tool's name or an alias. A list of tools that a host keeps
// is compared by it.
func (i *Info) Matches(name string) bool { return i.Name == name || slices.Contains(i.Aliases, name) }

// facts returns the facts of the tool that a decision needs.
func (i *Info) facts() policy.Tool {
	facts := policy.Builtin(i.Name, i.Aliases...)
	if i.Origin.External() {
		facts = policy.External(i.Origin.Source, i.Origin.Tool)
	}
	facts.RequiresUser = i.RequiresUser
	return facts
}

// title returns the title as one line, or else a name.
func (i *Info) title() string {
	return cmp.Or(OneLine(i.Title), OneLine(i.Origin.Tool), OneLine(i.Name))
}

// Origin identifies an external tool: its source, and the tool's name there.
type Origin struct{ Source, Tool string }

// External reports whether the tool comes from a source, such as an MCP server.
func (o Origin) External() bool { return o.Source != "" }

// describe names the tool of that origin, or the built-in tool if there is no source.
func (o Origin) describe() string {
	if !o.External() {
		return "the built-in tool " + o.Tool
	}
	return fmt.Sprintf("%q of %q", o.Tool, o.Source)
}

// Loading says when the model sees the definition of a tool.
type Loading int

// The ways of loading.
const (
	LoadByPolicy Loading = iota // as Deferral says: external tools, and those it lists, are deferred
	LoadAlways                  // never deferred
	LoadOnSearch                // always deferred
)

// String returns the way of loading in lower case.
func (l Loading) String() string { return enum.Name(l, "by policy", "always", "on search") }

// DefaultGrace is how long a func may take to return after its call was stopped when
// [Executor].Grace is zero.
const DefaultGrace = 2 * time.Second

// Interrupt says what a new message of the user does to a running call. Any other cause
// stops it.
type Interrupt int

// The behaviors.
const (
	InterruptBlock  Interrupt = iota // the message waits for the call
	InterruptCancel                  // the call is stopped
	InterruptDetach                  // the call is answered at once, and the tool goes on; not with ExternalResult
)

// String returns the behavior in lower case.
func (i Interrupt) String() string { return enum.Name(i, "block", "cancel", "detach") }

// WithAnnotations returns i with the title of the annotations of an external tool's
// definition, as MCP servers send them, if i has none: a server names a tool by its title,
// or else by the title of its annotations. It ignores values of another type, and all of
// annotations if that is not a JSON object. The other annotations describe the calls. Info
// remembers their text, so that a registry notices when it changes.
func (i Info) WithAnnotations(annotations json.RawMessage) Info {
	i.annotations = string(annotations)
	var a struct{ Title json.RawMessage }
	if json.Unmarshal(annotations, &a) != nil || strings.TrimSpace(i.Title) != "" {
		return i
	}
	if title := ""; json.Unmarshal(a.Title, &title) == nil && plain.IsText(title) {
		i.Title = title
	}
	return i
}

// WithMeta returns i changed by the _meta member of an external tool's definition, as MCP
// servers send it. It reads the keys that Claude Code documents, "anthropic/alwaysLoad",
// "anthropic/maxResultSizeChars" up to [MaxExternalResult] and
// "anthropic/requiresUserInteraction", and "anthropic/searchHint", which is not documented.
// It ignores values of another type, and all of meta if that is not a JSON object.
func (i Info) WithMeta(meta json.RawMessage) Info {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(meta, &members) // after an error there are no members
	read := func(name string, into any) bool {
		value, ok := members["anthropic/"+name]
		return ok && json.Unmarshal(value, into) == nil
	}
	var yes bool
	if read("alwaysLoad", &yes) && yes {
		i.Loading = LoadAlways
	} else if i.Loading == LoadAlways && string(members["anthropic/alwaysLoad"]) == "false" { // overrides the setting of its server
		i.Loading = LoadByPolicy
	}
	yes = false
	if read("requiresUserInteraction", &yes); yes {
		i.RequiresUser = true
	}
	var size float64
	if read("maxResultSizeChars", &size) && size >= 1 {
		i.MaxResult = int(min(size, MaxExternalResult))
	}
	var hint string
	if read("searchHint", &hint) && plain.IsText(hint) {
		i.Hint = hint
	}
	return i
}

// Traits describe one call. The zero value is the cautious one: the call runs alone, and
// writes something unknown.
type Traits struct {
	Targets     []policy.Target // none means one target of the kind policy.Opaque, unless ReadOnly
	Concurrency Concurrency     // zero: ByReadOnly
	ReadOnly    bool            // changes nothing; without targets it is asked about where deny or ask rules speak of paths, hosts or commands
	Destructive bool            // cannot be undone; a call that is ReadOnly, too, counts as one that writes
	OpenWorld   bool            // reaches beyond this machine
	Idempotent  bool            // twice has the effect of once; needed only for [RetryPolicy], and only if not ReadOnly

	// Own says that the call changes nothing but what belongs to the conversation: its lists,
	// its agents, their messages. In plan mode, an Allow of the tool itself then counts if no
	// target is a path, a command, a host or opaque; a call without targets has an opaque one.
	// Such a tool names its changes, as with a target of the kind policy.Resource. Own has no
	// effect on attached tools.
	Own bool

	// Kind is for a user interface; nothing is decided by it.
	Kind CallKind // zero: KindOther

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout

	// Sandboxed says that the call runs in a sandbox, which keeps it to the working
	// directories and to its targets, and from the files of deny and ask rules.
	// It then needs no permission if it is not OpenWorld and no target lies outside of the
	// working directories. An ask rule for the whole tool is not about it, except in plan
	// mode. What else is denied or asked about stays so. It has no effect on attached
	// tools.
	Sandboxed bool
}

// cautious returns t without ReadOnly if it is Destructive, too, and with a class of concurrency.
func (t Traits) cautious() Traits {
	t.ReadOnly = t.ReadOnly && !t.Destructive
	if t.Concurrency == ByReadOnly {
		t.Concurrency = Exclusive
		if t.ReadOnly {
			t.Concurrency = Shared
		}
	}
	return t
}

// facts returns the facts of the call that a decision needs.
func (t *Traits) facts() policy.Facts {
	return policy.Facts{ReadOnly: t.ReadOnly, Destructive: t.Destructive, OpenWorld: t.OpenWorld, Own: t.Own, Sandboxed: t.Sandboxed}
}

func (t Traits) isZero() bool {
	return len(t.Targets) == 0 && t.Concurrency == ByReadOnly && !t.ReadOnly && !t.Destructive && !t.OpenWorld && !t.Sandboxed && !t.Own && !t.Idempotent && t.Timeout == 0 &&
		t.Kind == KindOther
}

// Concurrency says which calls may run at the same time as this one.
type Concurrency int

// The classes of concurrency.
const (
	ByReadOnly Concurrency = iota // Shared if the call is read-only, and Exclusive otherwise
	Exclusive                     // no other call of its message
	PerTarget                     // calls that touch nothing that this one writes, and write nothing that it touches
	Shared                        // any call that is not exclusive; targets count as under PerTarget
)

// String returns the class in lower case.
func (c Concurrency) String() string {
	return enum.Name(c, "by read-only", "exclusive", "by target", "shared")
}

// CallKind says what sort of work a call does, for a user interface: which symbol stands
// beside it, and which calls fold together. Nothing is decided by it.
type CallKind uint8

// The kinds of call.
const (
	KindOther  CallKind = iota
	KindSearch          // looks for something
	KindRead            // shows something that is known by its name
	KindList            // lists what there is
	KindEdit            // changes a file or a document
	KindRun             // runs a program, or directs one that runs
	KindFetch           // gets something from another machine
)

// callKinds are the words for the kinds: the name, the nouns for one call and for several,
// and the verb for a running call.
var callKinds = [...]struct{ name, one, many, while string }{
	{"other", "call", "calls", "Running"},
	{"search", "search", "searches", "Searching"},
	{"read", "read", "reads", "Reading"},
	{"list", "listing", "listings", "Listing"},
	{"edit", "edit", "edits", "Editing"},
	{"run", "command", "commands", "Running"},
	{"fetch", "fetch", "fetches", "Fetching"},
}

// known returns k, or KindOther if k is not one of the constants.
func (k CallKind) known() CallKind {
	if int(k) >= len(callKinds) {
		return KindOther
	}
	return k
}

// String returns the kind in lower case.
func (k CallKind) String() string {
	if k.known() != k {
		return "invalid"
	}
	return callKinds[k].name
}

// MarshalText returns the result of String.
func (k CallKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText returns for a kind that exists.
func (k *CallKind) UnmarshalText(text []byte) error {
	for i := range callKinds {
		if callKinds[i].name == string(text) {
			*k = CallKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind of call %q", text)
}

// The defaults of [RetryPolicy], which are those of the standard retry mode of the AWS
// SDKs.
const (
	DefaultRetryDelay    = time.Second
	DefaultMaxRetryDelay = 20 * time.Second
)

// A RetryPolicy says how often a call is attempted when its transport fails: when the
// tool's error wraps [ErrTransient]. The zero value is one attempt.
//
// Only a call whose Traits say ReadOnly or Idempotent is attempted again, since the effect of
// a failed attempt is unknown. A result, also one with IsError, is the tool's
// answer and never a reason to try again; nor is a panic, a denial, or the end of the
// call's context. All attempts together have the call's time limit.
//
// The claims of an external tool count here. So set a policy only for a source that you
// believe.
type RetryPolicy struct {
	// Attempts is how often the tool is called at most, the first time included; less than
	// 2 means once.
	Attempts int
	// Delay is the longest pause before the second attempt. It doubles with each further
	// attempt, up to MaxDelay. The pause is a random part of it, so that calls that failed
	// together are not repeated together. 0 means DefaultRetryDelay.
	Delay time.Duration
	// MaxDelay limits the pause; 0 means DefaultMaxRetryDelay. If the error asks for a
	// longer one, see [Transient], there is no further attempt.
	MaxDelay time.Duration
}

// check returns an error if p makes no sense.
func (p RetryPolicy) check() error {
	if p.Attempts < 0 || p.Delay < 0 || p.MaxDelay < 0 {
		return errors.New("no field may be negative")
	}
	return nil
}

// pause returns the pause after the given number of attempts, the last of which failed
// with err. False means that err asks for a longer one than the policy permits.
func (p RetryPolicy) pause(attempts int, err error) (pause time.Duration, ok bool) {
	longest, limit := cmp.Or(p.Delay, DefaultRetryDelay), cmp.Or(p.MaxDelay, DefaultMaxRetryDelay)
	for range attempts - 1 {
		if longest >= limit/2 {
			longest = limit
			break
		}
		longest *= 2
	}
	pause = rand.N(max(1, min(longest, limit))) //nolint:gosec // it spreads calls, it protects nothing
	if t := (*TransientError)(nil); errors.As(err, &t) {
		pause = max(pause, t.After)
	}
	return pause, pause <= limit
}

// A TransientError is a failure of the transport, which may not be there the next time.
// It wraps [ErrTransient] and Err.
type TransientError struct {
	Err   error
	After time.Duration // before which another attempt is useless; 0 means unknown
}

// Transient marks err as a failure of the transport: the connection broke, the service
// is overloaded. After is the pause that the service asks for, as in the header
// Retry-After, or 0. The result is a *[TransientError], or nil if err is nil.
//
// The tool's Call returns it, and [RetryPolicy] says whether the call is attempted again.
// Without a policy it fails as with err.
func Transient(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &TransientError{Err: err, After: max(0, after)}
}

// Error returns the text of Err, and the pause if it is known.
func (e *TransientError) Error() string {
	if e.After > 0 {
		return fmt.Sprintf("%v (try again after %v)", e.Err, e.After)
	}
	return e.Err.Error()
}

// Unwrap returns ErrTransient and Err.
func (e *TransientError) Unwrap() []error { return []error{ErrTransient, e.Err} }

// isTransient reports whether err is a failure of the transport, and not one of this
// library in its guise.
func isTransient(err error) bool {
	if !errors.Is(err, ErrTransient) {
		return false
	}
	for _, e := range []error{ErrDenied, ErrCancelled, ErrTimeout, ErrDetached, ErrDeferred, ErrPanic, ErrClosed, ErrBudget, ErrDeadlock} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// retriedError is the last error of a call that was attempted more than once, or that
// would have been.
type retriedError struct {
	last     error
	attempts int
	ended    error // why there was no further attempt; nil if the policy permits no more
}

// Error tells the model how often the call was attempted.
func (e *retriedError) Error() string {
	text, tried := e.last.Error(), "tried once"
	if e.attempts > 1 {
		tried = fmt.Sprintf("tried %d times", e.attempts)
	}
	if e.ended != nil {
		return fmt.Sprintf("%s (%s; not again, since %v)", text, tried, e.ended)
	}
	return fmt.Sprintf("%s (%s)", text, tried)
}

// Unwrap returns the last error. Why there was no further attempt is no reason why the
// call failed.
func (e *retriedError) Unwrap() error { return e.last }
