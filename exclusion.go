package pegboard

import "slices"

// An Exclusion is a registered tool that is not in the pool.
type Exclusion struct {
	Name   string // the exposed name
	Origin Origin
	Reason string // the rule, gate, restriction or tool that excludes it

	aliases []string
}

// isCalled reports whether name is the tool's name or an alias.
func (x Exclusion) isCalled(name string) bool {
	return x.Name == name || slices.Contains(x.aliases, name)
}
