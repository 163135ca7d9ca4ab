package pegboard

import (
	"cmp"
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
	onChange   func()
	onRemember func(ctx context.Context, updates []PermissionUpdate) error // nil saves nothing

	updating lock.Mutex // held for a whole change, so that changes do not overlap

	mu     lock.Mutex                  // guards joined and left, and every write of own
	own    atomic.Pointer[Permissions] // as they hold in the session
	joined joinedPermissions
	left   leftPermissions
}

// joinedPermissions cache the permissions in force, with the two that they were made of.
type joinedPermissions struct{ own, parent, both *Permissions }

// leftPermissions cache the permissions in force at a place that the session has left, with
// the two that they were made of.
type leftPermissions struct{ own, parent, then *Permissions }

// place returns the session's place.
func (g *grants) place() *place { return g.own.Load().place }

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

// inForceAt returns the permissions in force as they hold at a place of the session, which it
// may have left. The caller must not write to them.
func (g *grants) inForceAt(at *place) *Permissions {
	if now := g.inForce(); now.place == at {
		return now
	}
	own, parent := g.own.Load(), (*Permissions)(nil)
	if g.parent != nil {
		parent = g.parent.inForce()
	}
	g.mu.Lock()
	left := g.left
	g.mu.Unlock()
	if left.then != nil && left.own == own && left.parent == parent && left.then.place == at {
		return left.then
	}
	then := own.whereAdded().in(at, at, own)
	if parent != nil {
		both := parent.narrowed(*then)
		then = &both
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = leftPermissions{own, parent, then}
	return then
}

// update replaces the session's own permissions by change's result. No other change
// happens in between.
func (g *grants) update(change func(Permissions) (Permissions, error)) error {
	return g.updateAt(nil, change)
}

// updateAt is update for a change that refers to a place of the session. Nil means the present
// one.
func (g *grants) updateAt(added *place, change func(Permissions) (Permissions, error)) error {
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
	g.set(p, cmp.Or(added, g.place()))
	return nil
}

// set replaces the session's own permissions. What is new in them refers to the place where it
// was added. The caller holds updating.
func (g *grants) set(p Permissions, added *place) {
	if g.parent != nil {
		p = p.withoutTurn(Allow) // the parent's may be among them, and they end without the fork
	}
	before := g.own.Load()
	g.store(p.in(before.place, added, before))
}

// store makes p, which holds in the session, its own permissions.
func (g *grants) store(p *Permissions) {
	g.mu.Lock()
	g.own.Store(p)
	g.mu.Unlock()
	g.onChange()
}

// move takes the session to the place that to returns. It is given the working directories in
// force, and those of the parent, among which the directory that a fork was made in must still
// be; nil in a main session.
func (g *grants) move(to func(from *place, work, outer []workDir) (*place, error)) error {
	g.updating.Lock()
	defer g.updating.Unlock()
	own, work, outer := g.own.Load(), g.inForce().work, []workDir(nil)
	if g.parent != nil {
		parent := g.parent.inForce()
		outer = slices.Concat(parent.work, parent.place.left)
	}
	next, err := to(own.place, work, outer)
	if err != nil {
		return err
	}
	g.store(own.in(next, next, own))
	return nil
}

// newTurn ends the session's own rules of the turn.
func (g *grants) newTurn() {
	g.updating.Lock()
	defer g.updating.Unlock()
	if own := g.own.Load(); own.hasTurn() {
		g.set(own.withoutTurn(Allow, Ask, Deny), own.place)
	}
}

// remember applies the updates of an answer to the whole conversation: all of them, or
// none and an error. They refer to the place that the main session had when it was asked.
func (g *grants) remember(updates []PermissionUpdate, asked *place) error {
	if len(updates) == 0 {
		return nil
	}
	err := g.main().updateAt(asked, func(p Permissions) (Permissions, error) { return p.Apply(updates...) })
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

// after returns the permissions that would be in force at a place of the session after
// remember(updates, asked).
func (g *grants) after(updates []PermissionUpdate, at, asked *place) (*Permissions, error) {
	own := g.own.Load()
	if g.parent == nil {
		p, err := own.Apply(updates...)
		return p.whereAdded().in(at, asked, own), err
	}
	parent, err := g.parent.after(updates, g.parent.place(), asked)
	if err != nil {
		return nil, err
	}
	p, err := own.Apply(onlyAddDirectories(updates)...)
	both := parent.narrowed(*p.whereAdded().in(at, at, own))
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
	own := g.own.Load()
	if p, err := own.Apply(updates...); err == nil { // the main session has applied them
		g.own.Store(p.in(own.place, own.place, own))
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
