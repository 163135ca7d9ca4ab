package tooltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Check reports every way in which t breaks the contract of [pegboard.Tool],
// given inputs that it should accept. The error joins a *[ContractError] for each;
// nil means that none was found. See [Checker] for a session of your own.
//
// It takes every input through a real registry, pool and executor, and looks at
// these rules:
//
//   - The tool can be registered: it is made by Build and has a valid name.
//   - Info is fixed: it says the same every time.
//   - The tool is declared, under its name or an alias.
//   - The declaration is stable: each time the same text and schema, byte for
//     byte, and the same schema in a fork of the session.
//   - The schema is of an object: valid JSON with "type": "object".
//   - There is an input. Without one nothing below can be checked.
//   - Inputs are accepted: decoding, validation and permission let them through.
//   - Mutations are refused: truncated JSON, something after the object, an array
//     or null in its place, a key twice, and a key in another letter case; where
//     the declared schema speaks of it plainly, a required property left out, a
//     property it does not have, and a value of the wrong type. Nested objects
//     count as well; what stands behind $ref, anyOf and their like is not looked
//     at.
//   - Traits are pure: the same for the same input when asked again, by several
//     goroutines, and after other calls. I/O that does not change the answer
//     cannot be seen from outside.
//   - Traits agree with each other: nothing is read-only and written, or
//     read-only and destructive.
//   - Every stage returns: no panic, no runtime.Goexit, no end of waiting.
//   - A cancelled call ends: with a context that is cancelled already, Call
//     returns a result or an error within the time of grace.
//
// Run the test with -race, too: the stages of an admitted call are then called
// by several goroutines at once, which shows data races.
//
// Call itself runs only for the last of these rules and for the race detector:
// twice at the same time for each input, with a cancelled context. It never
// runs with a mutated input. A tool that does its work in spite of a cancelled
// context does it then, so choose inputs that may run.
func Check(t pegboard.Tool, inputs ...string) error { return Checker{}.Check(t, inputs...) }

// A Checker is a [Check] with settings. The zero value is that of Check.
type Checker struct {
	// Session is where the inputs are tried; it must permit them. Nil stands
	// for one of [NewSession] in the current directory.
	Session *pegboard.Session
	// Grace is how long a stage may take, and a cancelled call. 0 means
	// [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [Check].
func (k Checker) Check(t pegboard.Tool, inputs ...string) error {
	x := &exam{tool: t, session: k.Session, grace: k.Grace}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	if x.session == nil {
		s, err := NewSession("")
		if err != nil {
			return err
		}
		x.session = s
		defer func() { _ = closeSoon(s) }() // what a cancelled call left behind is not what is examined
	}
	if x.identity() && x.declaration() {
		x.inputs(inputs)
	}
	return errors.Join(x.found...)
}

// exam is one check of one tool.
type exam struct {
	tool    pegboard.Tool
	session *pegboard.Session
	grace   time.Duration
	info    pegboard.Info
	schema  json.RawMessage // as declared
	found   []error
}

func (x *exam) violated(rule, input, format string, args ...any) {
	x.found = append(x.found, &ContractError{Rule: rule, Why: whys[rule], Input: input, Got: fmt.Sprintf(format, args...)})
}

// repeats is how often a stage is asked for the same thing: often enough for
// the order of a map with two keys to show.
const repeats = 16

// try runs foreign code on a goroutine of its own. It reports whether f returned;
// if it did not, the violation is noted, and what f was to set is not read.
func (x *exam) try(stage, input string, f func()) bool {
	select {
	case err := <-goroutine.Go(f):
		if err != nil {
			x.violated(ruleReturns, input, "%s: %v", stage, err)
		}
		return err == nil
	case <-time.After(x.grace):
		x.violated(ruleReturns, input, "%s did not return within %v", stage, x.grace)
		return false
	}
}

// identity checks what must hold before anything else makes sense.
func (x *exam) identity() bool {
	var refused error
	var r pegboard.Registry
	if !x.try("Info", "", func() { refused = r.Add(x.tool) }) {
		return false
	}
	if refused != nil {
		x.violated(ruleRegisters, "", "%v", refused)
		return false
	}
	var infos []pegboard.Info
	if !x.try("Info", "", func() { infos = times(repeats, x.tool.Info) }) {
		return false
	}
	x.info = infos[0]
	for _, i := range infos {
		if !reflect.DeepEqual(i, x.info) {
			x.violated(ruleInfo, "", "it was %+v, then %+v", x.info, i)
			return false
		}
	}
	return true
}

// offer is an answer of Declare.
type offer struct {
	pegboard.Declaration
	on bool
}

// declaration reports whether calls can be tried.
func (x *exam) declaration() bool {
	offers, ok := x.offers(x.session)
	if !ok {
		return false
	}
	first := offers[0]
	if !first.on {
		x.violated(ruleDeclared, "", "Declare does not offer it in the session; give a Checker one in which it does")
		return false
	}
	if first.Name != x.info.Name && !slices.Contains(x.info.Aliases, first.Name) {
		x.violated(ruleDeclared, "", "it is declared as %q, which is neither its name %q nor an alias", first.Name, x.info.Name)
	}
	for _, o := range offers {
		if o.on != first.on || o.Name != first.Name || o.Description != first.Description || !bytes.Equal(o.InputSchema, first.InputSchema) {
			x.violated(ruleStable, "", "it was %s, then %s", first, o)
			if !o.on {
				return false // the inputs would only find it missing
			}
			break
		}
	}
	x.elsewhere(first)
	x.schema = first.InputSchema
	return x.ofObject()
}

func (o offer) String() string {
	if !o.on {
		return "not offered"
	}
	return fmt.Sprintf("%q (%q) %s", o.Name, shorten(o.Description), shorten(string(o.InputSchema)))
}

// elsewhere compares the schema with that in a fork.
func (x *exam) elsewhere(first offer) {
	fork, err := x.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "tooltest"})
	if err != nil {
		return // the session is closed or its directories are gone; the inputs will tell
	}
	defer func() { _ = closeSoon(fork) }()
	offers, ok := x.offers(fork)
	if ok && offers[0].on && !bytes.Equal(offers[0].InputSchema, first.InputSchema) {
		x.violated(ruleStable, "", "in a fork of the session the schema is %s, not %s", offers[0].InputSchema, first.InputSchema)
	}
}

func (x *exam) offers(s *pegboard.Session) (offers []offer, ok bool) {
	var got []offer
	ok = x.try("Declare", "", func() {
		got = times(repeats, func() offer {
			d, on := x.tool.Declare(s)
			return offer{d, on}
		})
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) ofObject() bool {
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(x.schema, &top); err != nil {
		x.violated(ruleSchema, "", "it is %s: %v", shorten(string(x.schema)), err)
		return false
	}
	if string(top.Type) != `"object"` {
		x.violated(ruleSchema, "", `it is %s, without "type": "object"`, shorten(string(x.schema)))
		return false
	}
	return true
}

func times[T any](n int, f func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f()
	}
	return all
}
