package pegboard

// A Concern says whether a rule is about a call, see [HookCall.Concerns].
type Concern int

// The answers. The zero value is the cautious one.
const (
	ConcernMaybe Concern = iota // part of the call cannot be seen, and the rule may be about that
	ConcernNo                   // a deny rule of this text would not be about the call
	ConcernYes                  // a deny rule of this text would deny the call
)

// String returns the answer in lower case.
func (c Concern) String() string { return nameOf(int(c), "maybe", "no", "yes") }
