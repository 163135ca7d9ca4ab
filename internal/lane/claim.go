package lane

import (
	"slices"
	"strings"
)

// A Key names one thing that a job touches. Names are compared byte by byte and
// trailing slashes are ignored: the caller resolves links, dots and letter case.
type Key struct {
	Name  string // segments divided by slashes; "" and "/" are the root of all names
	Write bool   // false if the job only reads
	Tree  bool   // also names everything below Name, by whole segments
}

// A Claim lists the things a job touches. The zero Claim conflicts with exclusive
// claims only.
type Claim struct {
	Exclusive bool // conflicts with every other claim; Keys are ignored
	Keys      []Key
}

// A Conflict says why jobs with two claims must not run together.
type Conflict struct {
	FirstExclusive, SecondExclusive bool // if either is set, the keys are zero
	First, Second                   Key  // one of each claim: they touch the same thing, and at least one writes it
}

// Conflicts reports whether jobs with these claims must not run together: at least
// one claim is exclusive, or both touch the same thing and at least one writes it.
func (c Claim) Conflicts(d Claim) bool {
	if c.Exclusive || d.Exclusive {
		return true
	}
	_, _, ok := c.clash(d)
	return ok
}

// Conflict is Conflicts that also returns the reason: the first one in the order of the
// keys.
func (c Claim) Conflict(d Claim) (x Conflict, ok bool) {
	if c.Exclusive || d.Exclusive {
		return Conflict{FirstExclusive: c.Exclusive, SecondExclusive: d.Exclusive}, true
	}
	i, j, ok := c.clash(d)
	if ok {
		x.First, x.Second = c.Keys[i], d.Keys[j]
	}
	return x, ok
}

// clash returns the indices of the first two keys that conflict.
func (c Claim) clash(d Claim) (i, j int, ok bool) {
	for i, k := range c.Keys {
		for j, m := range d.Keys {
			if (k.Write || m.Write) && k.overlaps(m) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

func (c Claim) equal(d Claim) bool {
	return c.Exclusive == d.Exclusive && slices.Equal(c.Keys, d.Keys)
}

func (k Key) overlaps(m Key) bool {
	outer, inner := strings.TrimRight(k.Name, "/"), strings.TrimRight(m.Name, "/")
	if outer == inner {
		return true
	}
	tree := k.Tree
	if len(outer) > len(inner) {
		outer, inner, tree = inner, outer, m.Tree
	}
	if !tree || !strings.HasPrefix(inner, outer) {
		return false
	}
	return outer == "" || inner[len(outer)] == '/'
}
