package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

func (t Traits) zero() bool {
	return len(t.Targets) == 0 && t.Concurrency == Exclusive && !t.ReadOnly && !t.Destructive && !t.OpenWorld && t.Timeout == 0
}

// checkName accepts any text that can be shown on one line. What a provider
// takes beyond that is the wire's affair.
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

// broad reports whether an allow rule on the tool, under any of its names, with
// this pattern lets it run whatever it is told.
func (i *Info) broad(text string) bool {
	return pattern.Broad(i.Name, text) || slices.ContainsFunc(i.Aliases, func(name string) bool { return pattern.Broad(name, text) })
}

// Interrupt says what a new message of the user does to a call that has begun.
// Any other cause stops it.
type Interrupt int

// The behaviours.
const (
	InterruptBlock  Interrupt = iota // the message waits for it
	InterruptCancel                  // it is stopped
	InterruptDetach                  // it goes on, and is answered at once
)

// String returns the behaviour in lower case.
func (i Interrupt) String() string { return nameOf(int(i), "block", "cancel", "detach") }

// describe names the tool of that origin, or the built-in one if there is no source.
func (o Origin) describe() string {
	if !o.External() {
		return "the built-in tool " + o.Tool
	}
	return fmt.Sprintf("%q of %q", o.Tool, o.Source)
}

// Concurrency says which calls may run at the same time as this one.
type Concurrency int

// The classes of concurrency.
const (
	Exclusive Concurrency = iota // no other call
	PerTarget                    // calls that touch nothing this one writes, and write nothing it touches
	Shared                       // any call that is not exclusive; targets still count as under ByTarget
)

// String returns the class in lower case.
func (c Concurrency) String() string { return nameOf(int(c), "exclusive", "by target", "shared") }

// A Tool is one capability offered to a model. Each method is one stage of a
// call. No stage calls another, so a wrapper embeds a Tool and overrides the
// stage it is about, and the executor still takes every call through all the
// others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns what is true of the tool whoever asks.
	Info() Info
	// Declare returns what the model is shown in s. False means that the tool
	// is not offered there.
	Declare(s *Session) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, the same answer for the
	// same input.
	Traits(c *Call) Traits
	// Validate returns what is wrong with the input beyond its schema, worded
	// for the model.
	Validate(ctx context.Context, c *Call) error
	// Permit gives the tool's own opinion of c. The zero Decision has none.
	Permit(ctx context.Context, c *Call) Decision
	// Call does the work. Its error becomes an error result; a result beside
	// it is what was done until then.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface and hands the executor the one decoder of the
	// tool's input.
	input() *inputSpec
}

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is what rules, hooks, logs and calls use. Required; any text
	// without control characters.
	Name string
	// Aliases are former names. They resolve wherever Name does.
	Aliases []string
	// Origin is zero for a built-in; [Registry.Attach] sets it.
	Origin Origin
	// RequiresUser means that only a person may allow a call: no rule, hook
	// or mode does.
	RequiresUser bool
	// Interrupt is what a new message of the user does to a call that runs.
	Interrupt Interrupt
	// Timeout is how long a call may take; 0 means as long as it likes.
	Timeout time.Duration
	// CancelsSiblings stops the calls beside one that fails, if the executor
	// allows it, as for a shell whose commands build on each other.
	CancelsSiblings bool
	// Polls says that equal calls in a row are no sign of a loop.
	Polls bool
	// Strict asks the provider to hold the model to the input schema, where it can.
	// What a provider's strict form cannot say is left to the check of the input here.
	Strict bool
	// Loading says when the model sees the definition; zero leaves that to [Deferral].
	Loading Loading
	// Hint is what a search for tools should know beside name and description: 3 to 10
	// words without a period, best ones that are not in the name. The model does not see it.
	Hint string
	// MaxResult is how many characters of text a result may have before it is stored
	// and a preview takes its place; 0 means [DefaultPerResult], a negative number that
	// it is never stored, as of a tool that reads stored results.
	MaxResult int

	server    string // mcp__source, if the tool is attached
	spelled   string // the exposed name before anything in it was folded or cut
	contested bool   // a rule on its name could be meant for another source
}

// Loading says when the model sees the definition of a tool.
type Loading int

// The ways of loading.
const (
	LoadByPolicy Loading = iota // external tools and those that Deferral lists wait for a search
	LoadAlways                  // it is there from the start
	LoadOnSearch                // it waits for a search
)

// String returns the way of loading in lower case.
func (l Loading) String() string { return nameOf(int(l), "by policy", "always", "on search") }

// exact reports whether the exposed name is the raw pair, letter by letter. Of
// several tools that would have one name, an exact one has it.
func (i Info) exact() bool { return i.Name == i.spelled }

// answersTo reports whether name is the tool's name or an alias. It is the only
// comparison of a tool with a name.
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

// Origin is the identity of an external tool: the source it is attached from,
// and the name that source knows it by.
type Origin struct{ Source, Tool string }

// External reports whether the tool comes from a source, such as an MCP server.
func (o Origin) External() bool { return o.Source != "" }

// constant reports whether the tool declares itself alike in every session. A
// wrapper does not have this method: what it declares is asked in each.
func (t *defined[In, Out]) constant() bool { return t.def.Enabled == nil && t.def.Prompt == nil }

// Traits describe one call. The zero value is the cautious one: alone, writing,
// on something unknown.
type Traits struct {
	Targets     []Target    // none means one Opaque target
	Concurrency Concurrency // zero: Exclusive
	ReadOnly    bool        // changes nothing
	Destructive bool        // cannot be undone
	OpenWorld   bool        // reaches beyond this machine

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout
}

// inputSpec decodes the input of one tool. It is made once, by Build.
type inputSpec struct {
	schema *schema.Schema
	typed  func(raw json.RawMessage, accepted bool) (any, error) // accepted: schema.Accepts is true of raw
}
