package skills

import "fmt"

// A Visibility says who is shown a skill.
type Visibility int

// The visibilities. The zero value is On.
const (
	On         Visibility = iota // the model is told the name and the description
	NameOnly                     // the model is told the name
	PersonOnly                   // only a person can start the skill
	Off                          // neither can start it
)

// String returns the visibility as settings files spell it.
func (v Visibility) String() string {
	switch v {
	case On:
		return "on"
	case NameOnly:
		return "name-only"
	case PersonOnly:
		return "user-invocable-only"
	case Off:
		return "off"
	}
	return "invalid"
}

// MarshalText returns the result of String.
func (v Visibility) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what String returns.
func (v *Visibility) UnmarshalText(text []byte) error {
	for _, known := range []Visibility{On, NameOnly, PersonOnly, Off} {
		if string(text) == known.String() {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("%q is no visibility; write on, name-only, user-invocable-only or off", text)
}
