package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A Tool is one capability offered to a model. Each method is one stage of a call. No
// stage calls another, so a wrapper embeds a Tool and overrides one stage, and the
// executor still takes every call through all the others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns the facts that never change.
	Info() Info
	// Declare returns the definition that the model is shown in s. False means that the
	// tool is not offered there.
	Declare(s *Session) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, and the same result for the same
	// input.
	Traits(c *Call) Traits
	// Validate returns what is wrong with the input beyond its schema, worded for the
	// model.
	Validate(ctx context.Context, c *Call) error
	// Permit returns the tool's own opinion of c. The zero Decision is no opinion.
	Permit(ctx context.Context, c *Call) Decision
	// Call does the work. Its error becomes an error result; a result beside the error
	// is a partial one.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface, and returns the decoder of the tool's input.
	input() *inputSpec
}

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is used by rules, hooks, logs and calls. Required; any text without control
	// characters.
	Name string
	// Aliases are former names. They work wherever Name does.
	Aliases []string
	// Origin is zero for a built-in tool; [Registry.Attach] sets it.
	Origin Origin
	// RequiresUser means that only the user may allow a call: no rule, hook or mode does.
	RequiresUser bool
	// Interrupt says what a new message of the user does to a running call.
	Interrupt Interrupt
	// Timeout is how long a call may take; 0 means no limit.
	Timeout time.Duration
	// CancelsSiblings stops the other calls of the message when a call fails, if the
	// executor allows it: as for a shell whose commands build on each other.
	CancelsSiblings bool
	// Polls tells the loop breaker that equal calls in a row are normal.
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

	server    string // mcp__source, if the tool is attached
	spelled   string // the exposed name before characters were replaced or cut
	contested bool   // a rule for its name could be meant for another source
}

// exact reports whether the exposed name is the source and the raw name, unchanged. Of
// several tools with the same exposed name, an exact one gets it.
func (i Info) exact() bool { return i.Name == i.spelled }

// answersTo reports whether name is the tool's name or an alias. All comparisons of a tool
// with a name use it.
func (i Info) answersTo(name string) bool {
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

// Interrupt says what a new message of the user does to a running call. Any other cause
// stops it.
type Interrupt int

// The behaviors.
const (
	InterruptBlock  Interrupt = iota // the message waits for the call
	InterruptCancel                  // the call is stopped
	InterruptDetach                  // the call is answered at once, and the tool goes on
)

// String returns the behavior in lower case.
func (i Interrupt) String() string { return nameOf(int(i), "block", "cancel", "detach") }

// Traits describe one call. The zero value is the cautious one: the call runs alone, and
// writes something unknown.
type Traits struct {
	Targets     []Target    // none means one target of the kind TargetOpaque
	Concurrency Concurrency // zero: Exclusive
	ReadOnly    bool        // changes nothing
	Destructive bool        // cannot be undone
	OpenWorld   bool        // reaches beyond this machine

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout
}

func (t Traits) isZero() bool {
	return len(t.Targets) == 0 && t.Concurrency == Exclusive && !t.ReadOnly && !t.Destructive && !t.OpenWorld && t.Timeout == 0
}

// Concurrency says which calls may run at the same time as this one.
type Concurrency int

// The classes of concurrency.
const (
	Exclusive Concurrency = iota // no other call
	PerTarget                    // calls that touch nothing that this one writes, and write nothing that it touches
	Shared                       // any call that is not exclusive; targets count as under PerTarget
)

// String returns the class in lower case.
func (c Concurrency) String() string { return nameOf(int(c), "exclusive", "by target", "shared") }

// checkName accepts any text that can be shown on one line. The wires check what a
// provider accepts.
func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("is empty")
	}
	if !validText(name) {
		return fmt.Errorf("%q holds a control character or is not UTF-8", name)
	}
	return nil
}

func validText(s string) bool {
	return strings.ToValidUTF8(s, "") == s && strings.IndexFunc(s, unicode.IsControl) < 0
}
