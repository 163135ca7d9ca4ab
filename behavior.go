package pegboard

import "fmt"

// Behavior says whether a call may run. A larger behavior is stricter; Undecided is no
// answer.
type Behavior int

// The behaviors.
const (
	Undecided Behavior = iota
	Allow
	Ask
	Deny
)

// String returns the behavior in lower case.
func (b Behavior) String() string { return nameOf(int(b), "undecided", "allow", "ask", "deny") }

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
