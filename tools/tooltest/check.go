package tooltest

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// Check reports every way in which t breaks the contract of [pegboard.Tool], given
// inputs that it should accept. The error joins one *[ContractError] for each; nil
// means that Check has found none. Use a [Checker] to choose the session.
//
// Check runs every input through a real registry, pool and executor. It checks these
// rules:
//
//   - The tool can be registered: it is made by Build and has a valid name.
//   - Info is fixed: it returns the same value every time.
//   - The tool is declared, under its name or an alias.
//   - The declaration is stable: each time the same text and schema, byte for byte,
//     and the same schema in a fork of the session.
//   - The schema is of an object: valid JSON with "type": "object".
//   - There is an input. Without one, Check cannot check the rules below.
//   - Inputs are accepted: they pass decoding, validation and permission.
//   - Mutations are refused: truncated JSON, text after the object, an array or null
//     instead of the object, a duplicate key, and a key in another letter case; and,
//     if the declared schema says so directly, a missing required property, an
//     unknown property, and a value of the wrong type. Nested objects are mutated as
//     well. Schemas behind $ref, anyOf and similar keywords are ignored.
//   - Traits are pure: the same for the same input when asked again, by several
//     goroutines, and after other calls. Check cannot see I/O that does not change
//     the answer.
//   - Traits agree with each other: no target of a read-only call is written, and no
//     read-only call is destructive.
//   - Targets are clear: the value of a host is a host name or an address, not a URL or
//     host:port; a path is no URL; no name is empty.
//   - Kinds are true: a call of the kind search, read, list or think is not destructive and
//     writes no path, and one of the kind edit is not read-only.
//   - Own things are named: a call whose Traits have Own is read-only or names a target, and
//     none that it writes is a path, a command, a host or opaque.
//   - Paths and addresses are targets: a property that is one, by its name or its
//     value, is in a target of the call, unless that has an opaque one.
//   - Lines are for a person: the title and what Lines returns are one line each, or
//     empty, without control characters, and the same when asked again; kind and folding
//     are among the constants.
//   - Every stage returns: no panic, no runtime.Goexit, no endless wait.
//   - A cancelled call ends: with a context that is already cancelled, Call returns a
//     result or an error within the grace period.
//   - A view shows nothing that the result does not: if such a cancelled call returns a
//     result, CheckView finds nothing in it. Use [CheckView] for other results.
//
// Also run the test with -race: several goroutines then call the stages of an
// accepted call at the same time, and the race detector reports data races.
//
// Call itself runs only for the last two of these rules and for the race detector: twice
// at the same time for each input, with a cancelled context. It never runs with a
// mutated input. A tool that ignores the cancelled context does its work then, so
// choose inputs that may run.
func Check(t pegboard.Tool, inputs ...string) error { return Checker{}.Check(t, inputs...) }

// A Checker is a [Check] with settings. The zero value is equivalent to Check.
type Checker struct {
	// Session is the session in which the inputs run; it must permit them. Nil means
	// a new session from [NewSession] in the current directory.
	Session *pegboard.Session
	// Grace is how long a stage or a cancelled call may take. 0 means
	// [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [Check].
func (k Checker) Check(t pegboard.Tool, inputs ...string) error {
	x := &exam{tool: t, session: k.Session, verdict: verdict{purposes: rulePurposes, returns: ruleReturns, grace: k.Grace}}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	if x.session == nil {
		s, err := NewSession("")
		if err != nil {
			return err
		}
		x.session = s
		defer func() { _ = closeSession(s) }() // Check does not examine the remains of a cancelled call
	}
	if x.checkInfo() && x.checkDeclaration() {
		x.checkInputs(inputs)
	}
	return x.err()
}
