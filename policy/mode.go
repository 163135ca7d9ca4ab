package policy

import (
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/enum"
)

// A Mode decides calls that no rule decides. Deny and ask rules hold in every mode. So do
// questions that only the user may answer, such as about the removal of a home directory or a
// write to a file that makes other programs run.
type Mode string

// The modes. The zero value is ModeDefault.
const (
	// ModeDefault allows reads inside the working directories and asks about everything else.
	ModeDefault Mode = "default"
	// ModeAcceptEdits also allows files inside the working directories to be written, moved and
	// removed.
	ModeAcceptEdits Mode = "acceptEdits"
	// ModePlan changes nothing. It denies writes, and asks about calls that neither write nor are
	// known to be read-only. A tool may itself allow a call that changes only the conversation,
	// see [Facts].Own.
	ModePlan Mode = "plan"
	// ModeAuto is ModeAcceptEdits with a classifier that answers in the user's place, in package
	// pegboard. The user is asked if the classifier does not decide. An allow rule does not count
	// if it allows any input of a tool that can run anything.
	ModeAuto Mode = "auto"
	// ModeDontAsk denies the calls that ModeDefault asks about.
	ModeDontAsk Mode = "dontAsk"
	// ModeBypass allows every call that no deny or ask rule and no tool objects to. It asks about
	// a call that its tool could not see through, such as a computed command, if such a rule could
	// match it.
	ModeBypass Mode = "bypassPermissions"
	// ModeAsk asks about every call.
	ModeAsk Mode = "ask"
	// ModeDeny denies every call that neither an allow rule nor the tool itself allows,
	// reads included.
	ModeDeny Mode = "deny"
)

// modesByLaxity are the modes, from strict to lax.
var modesByLaxity = [...]Mode{ModeDeny, ModeDontAsk, ModeAsk, ModePlan, ModeDefault, ModeAcceptEdits, ModeAuto, ModeBypass}

// laxity returns the mode's place in the order from strict to lax, or -1 if it is unknown.
func (m Mode) laxity() int { return slices.Index(modesByLaxity[:], m.orDefault()) }

// Laxer reports whether m allows more than another mode, so that a fork of a session in that mode
// cannot be in m. The empty mode counts as ModeDefault. Laxer also returns true if one of the
// modes is unknown.
func (m Mode) Laxer(than Mode) bool {
	return m.laxity() < 0 || m.laxity() > than.laxity()
}

func (m Mode) orDefault() Mode {
	if m == "" || m == "manual" { // the name that some settings files use
		return ModeDefault
	}
	return m
}

func (m Mode) edits() bool { return m == ModeAcceptEdits || m == ModeAuto }

func (m Mode) asksNobody() bool { return m == ModeDontAsk || m == ModeDeny }

// modes is a set of modes: a bit for the laxity of each.
type modes uint8

// modesOf returns the set of ms, without the unknown ones.
func modesOf(ms ...Mode) (set modes) {
	for _, m := range ms {
		if i := m.laxity(); i >= 0 {
			set |= 1 << i
		}
	}
	return set
}

func (s modes) has(m Mode) bool { return s&modesOf(m) != 0 }

// A Behavior says whether a call may run. A larger behavior is stricter. Undecided is no answer.
type Behavior int

// The behaviors.
const (
	Undecided Behavior = iota
	Allow
	Ask
	Deny
)

// String returns the behavior in lower case.
func (b Behavior) String() string { return enum.Name(b, "undecided", "allow", "ask", "deny") }

// MarshalText returns the result of String.
func (b Behavior) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads allow, ask or deny.
func (b *Behavior) UnmarshalText(text []byte) error {
	for _, known := range []Behavior{Allow, Ask, Deny} {
		if string(text) == known.String() {
			*b = known
			return nil
		}
	}
	return fmt.Errorf("unknown behavior %q; use allow, ask or deny", text)
}
