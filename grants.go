package pegboard

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// grants hold the permissions of a session. In a fork the permissions in force are its
// own, narrowed to those of its parents at that moment.
type grants struct {
	parent     *grants // nil in the main session
	dirs       *workdirs
	onChange   func()
	onRemember func(ctx context.Context, updates []PermissionUpdate) error // nil saves nothing

	updating lock.Mutex // held for a whole change, so that changes do not overlap

	mu     lock.Mutex                  // guards joined, and every write of own
	own    atomic.Pointer[Permissions] // as they hold in the session
	joined joinedPermissions
}

// joinedPermissions cache the permissions in force, with the two that they were made of.
type joinedPermissions struct{ own, parent, both *Permissions }

// inForce returns the permissions in force. The caller must not write to them.
func (g *grants) inForce() *Permissions {
	if g.parent == nil {
		return g.own.Load()
	}
	parent := g.parent.inForce()
	g.mu.Lock()
	defer g.mu.Unlock()
	own := g.own.Load()
	if g.joined.both == nil || g.joined.own != own || g.joined.parent != parent {
		both := parent.narrowed(*own)
		g.joined = joinedPermissions{own: own, parent: parent, both: &both}
	}
	return g.joined.both
}

// update replaces the session's own permissions by change's result. No other change
// happens in between.
func (g *grants) update(change func(Permissions) (Permissions, error)) error {
	g.updating.Lock()
	defer g.updating.Unlock()
	own := *g.own.Load()
	if g.parent != nil {
		own = own.inheriting(g.parent.inForce())
	}
	p, err := change(own)
	if err != nil {
		return err
	}
	if g.parent != nil {
		if err := g.parent.inForce().checkFork(p); err != nil {
			return err
		}
	}
	g.set(p)
	return nil
}

// set replaces the session's own permissions. The caller holds updating.
func (g *grants) set(p Permissions) {
	if g.parent != nil {
		p = p.withoutTurn(Allow) // the parent's may be among them, and they end without the fork
	}
	g.mu.Lock()
	g.own.Store(p.in(g.dirs))
	g.mu.Unlock()
	g.onChange()
}

// newTurn ends the session's own rules of the turn.
func (g *grants) newTurn() {
	g.updating.Lock()
	defer g.updating.Unlock()
	if own := g.own.Load(); own.hasTurn() {
		g.set(own.withoutTurn(Allow, Ask, Deny))
	}
}

// remember applies the updates of an answer to the whole conversation: all of them, or
// none and an error.
func (g *grants) remember(updates []PermissionUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	err := g.main().update(func(p Permissions) (Permissions, error) { return p.Apply(updates...) })
	if err == nil {
		g.addDirectories(onlyAddDirectories(updates))
	}
	return err
}

// save lets the host save remembered updates. ModeBypass is for one session and is left
// out, and so is what is for one turn.
func (g *grants) save(updates []PermissionUpdate) error {
	g = g.main()
	updates = slices.DeleteFunc(slices.Clone(updates), func(u PermissionUpdate) bool { return u.Mode == ModeBypass || u.Destination == SourceTurn })
	if g.onRemember == nil || len(updates) == 0 {
		return nil
	}
	if err := goroutine.Try(func() error { return g.onRemember(context.Background(), updates) }); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// after returns the permissions that would be in force after remember(updates).
func (g *grants) after(updates []PermissionUpdate) (*Permissions, error) {
	own := *g.own.Load()
	if g.parent == nil {
		p, err := own.Apply(updates...)
		return p.in(g.dirs), err
	}
	parent, err := g.parent.after(updates)
	if err != nil {
		return nil, err
	}
	p, err := own.Apply(onlyAddDirectories(updates)...)
	both := parent.narrowed(*p.in(g.dirs))
	return &both, err
}

// addDirectories adds the main session's new directories to a fork and the forks above
// it, since a fork has only directories that its parent has, too.
func (g *grants) addDirectories(updates []PermissionUpdate) {
	if g.parent == nil || len(updates) == 0 {
		return
	}
	g.parent.addDirectories(updates)
	g.updating.Lock()
	defer g.updating.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, err := g.own.Load().Apply(updates...); err == nil { // the main session has applied them
		g.own.Store(p.in(g.dirs))
	}
}

// main returns the grants of the main session.
func (g *grants) main() *grants {
	for g.parent != nil {
		g = g.parent
	}
	return g
}

// onlyAddDirectories returns the updates that a fork needs, too.
func onlyAddDirectories(updates []PermissionUpdate) []PermissionUpdate {
	return slices.DeleteFunc(slices.Clone(updates), func(u PermissionUpdate) bool { return u.Type != UpdateAddDirectories })
}
