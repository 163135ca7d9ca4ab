package throttle

// Set returns the set that has the group.
func (g *Group) Set() *Set { return g.set }
