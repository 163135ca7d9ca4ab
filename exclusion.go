package pegboard

// An Exclusion is a registered tool that is not in the pool.
type Exclusion struct {
	Name   string // the exposed name
	Origin Origin
	Reason string // the rule, gate, restriction or tool that excludes it

	aliases []string
}
