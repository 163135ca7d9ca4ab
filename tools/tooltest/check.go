package tooltest

import (
	"errors"
	"time"

	"github.com/seed49eaa51d/pegboard"
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
		defer func() { _ = closeSession(s) }() // what a cancelled call left behind is not what is examined
	}
	if x.checkInfo() && x.checkDeclaration() {
		x.checkInputs(inputs)
	}
	return errors.Join(x.violations...)
}
