package pegboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is used by rules, hooks, logs and calls. Required; any text without control
	// characters.
	Name string
	// Title is what a person reads in place of Name; empty means Name. It may be in any
	// letter case and contain blanks.
	Title string
	// Aliases are former names. They work wherever Name does.
	Aliases []string
	// Origin is zero for a built-in tool; [Registry.Attach] sets it.
	Origin Origin
	// Supplied means that the host executes the calls, in a browser or a client application,
	// and supplies their outcomes: see [Session.Supply]. The tool has no Call.
	Supplied bool
	// RequiresUser means that only the user may allow a call: no rule, hook or mode does. For a
	// built-in tool, a hook or an approver may answer in the user's place, with Allow and another
	// Input that the tool accepts; whatever else they say in favor is passed over. An answer of
	// Hooks.Pre counts in no mode that asks nobody.
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
	// see [Definition].Equivalent.
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

	server    string  // mcp__source, if the tool is attached
	spelled   string  // the exposed name before characters were replaced or cut
	contested contest // which allow rules could be meant for another source or definition
	// annotations are those of an external tool, as its source sent them.
	annotations string
}

// A contest says which of the allow rules that name an external tool or its server could be
// meant for another source, or for what the tool was before. They do not count.
type contest int

const (
	uncontested         contest = iota // none
	contestedName                      // all but those for the whole server
	contestedDefinition                // likewise, until a user allows a call
	contestedFolded                    // all but one that names source and tool as they are spelled there
	contestedServer                    // all
)

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

// answersTo reports whether name is the tool's name or an alias. All comparisons of a tool
// with a name use it.
func (i *Info) answersTo(name string) bool {
	if i.Name == name {
		return true
	}
	for _, a := range i.Aliases {
		if a == name {
			return true
		}
	}
	return false
}

// allowsAnything reports whether an allow rule for the tool with this pattern, under any
// of its names, allows every input.
func (i *Info) allowsAnything(text string) bool {
	return pattern.Broad(i.Name, text) || slices.ContainsFunc(i.Aliases, func(name string) bool { return pattern.Broad(name, text) })
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
func (l Loading) String() string { return nameOf(int(l), "by policy", "always", "on search") }

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
	InterruptDetach                  // the call is answered at once, and the tool goes on; not with Supplied
)

// String returns the behavior in lower case.
func (i Interrupt) String() string { return nameOf(int(i), "block", "cancel", "detach") }
