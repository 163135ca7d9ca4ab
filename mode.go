package pegboard

import (
	"slices"
)

// A Mode is the part of a decision that rules leave open. Deny and ask rules hold
// in every mode, as does what needs a person: the removal of a home directory, a
// write to a file that makes other programs run.
type Mode string

// The modes. The zero value is ModeDefault.
const (
	// ModeDefault lets reads inside the working directories run and asks
	// about everything else.
	ModeDefault Mode = "default"
	// ModeAcceptEdits also lets files inside the working directories be written,
	// moved and removed.
	ModeAcceptEdits Mode = "acceptEdits"
	// ModePlan lets nothing change: writes are denied, and what is neither a
	// write nor known to be read-only is asked about.
	ModePlan Mode = "plan"
	// ModeAuto is ModeAcceptEdits with a [Classifier] in the place of the person,
	// who is asked when that has doubts. Allow rules that would let anything run
	// do not count in it.
	ModeAuto Mode = "auto"
	// ModeDontAsk denies what ModeDefault would ask about.
	ModeDontAsk Mode = "dontAsk"
	// ModeBypass allows whatever no deny or ask rule and no tool objects to. What a
	// tool looked at and could not see through, as a computed command, is asked
	// about while such a rule could be about it.
	ModeBypass Mode = "bypassPermissions"
	// ModeAsk asks about every call.
	ModeAsk Mode = "ask"
	// ModeDeny denies what neither an allow rule covers nor the tool itself
	// allows, reads as well.
	ModeDeny Mode = "deny"
)

// modes stand in the order of what they let run; a child may not be laxer than
// its parent.
func (m Mode) laxity() int {
	return slices.Index([]Mode{ModeDeny, ModeDontAsk, ModeAsk, ModePlan, ModeDefault, ModeAcceptEdits, ModeAuto, ModeBypass}, m.orDefault())
}

func (m Mode) orDefault() Mode {
	if m == "" || m == "manual" { // the name that some settings files use
		return ModeDefault
	}
	return m
}

func (m Mode) edits() bool { return m == ModeAcceptEdits || m == ModeAuto }

func (m Mode) asksNobody() bool { return m == ModeDontAsk || m == ModeDeny }
