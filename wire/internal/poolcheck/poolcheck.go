// Package poolcheck checks the pools that the exported functions of the wires are given.
package poolcheck

import "github.com/seed49eaa51d/pegboard"

// MustExist panics if p is nil or was not assembled. The caller is the exported function
// that was given p.
func MustExist(p *pegboard.Pool, caller string) {
	if p.Session() == nil {
		panic(caller + " with a nil or zero Pool; make one with Registry.AssemblePool")
	}
}
