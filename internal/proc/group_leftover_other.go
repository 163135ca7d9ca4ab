//go:build !linux && !darwin && !windows

package proc

// leftovers returns nothing: these systems have no common way to list a group.
func (g *group) leftovers() []Leftover { return nil }
