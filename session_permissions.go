package pegboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// grants hold the permissions of a session. In a fork the permissions in force are its
// own, narrowed to those of its parents at that moment.
type grants struct {
	parent     *grants // nil in the main session
	onChange   func()
	onRemember func(ctx context.Context, updates []policy.Update) error // nil saves nothing

	updating lock.Mutex // held for a whole change, so that changes do not overlap

	mu     lock.Mutex                         // guards joined and left, and every write of own
	own    atomic.Pointer[policy.Permissions] // as they hold in the session
	joined joinedPermissions
	left   leftPermissions
}

// joinedPermissions cache the permissions in force, with the two that they were made of.
type joinedPermissions struct{ own, parent, both *policy.Permissions }

// leftPermissions cache the permissions in force at a place that the session has left, with
// the two that they were made of.
type leftPermissions struct{ own, parent, then *policy.Permissions }

// place returns the session's place.
func (g *grants) place() *policy.Place { return g.own.Load().Place() }

// inForce returns the permissions in force. The caller must not write to them.
func (g *grants) inForce() *policy.Permissions {
	if g.parent == nil {
		return g.own.Load()
	}
	parent := g.parent.inForce()
	g.mu.Lock()
	defer g.mu.Unlock()
	own := g.own.Load()
	if g.joined.both == nil || g.joined.own != own || g.joined.parent != parent {
		both := parent.Narrow(*own)
		g.joined = joinedPermissions{own: own, parent: parent, both: &both}
	}
	return g.joined.both
}

// inForceAt returns the permissions in force as they hold at a place of the session, which it
// may have left. The caller must not write to them.
func (g *grants) inForceAt(at *policy.Place) *policy.Permissions {
	if now := g.inForce(); now.Place() == at {
		return now
	}
	own, parent := g.own.Load(), (*policy.Permissions)(nil)
	if g.parent != nil {
		parent = g.parent.inForce()
	}
	g.mu.Lock()
	left := g.left
	g.mu.Unlock()
	if left.then != nil && left.own == own && left.parent == parent && left.then.Place() == at {
		return left.then
	}
	then := own.OnlyIn(at)
	if parent != nil {
		then = parent.Narrow(then)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = leftPermissions{own, parent, &then}
	return &then
}

// update replaces the session's own permissions by change's result. No other change
// happens in between.
func (g *grants) update(change func(policy.Permissions) (policy.Permissions, error)) error {
	return g.updateAt(nil, change)
}

// updateAt is update for a change that refers to a place of the session. Nil means the present
// one.
func (g *grants) updateAt(added *policy.Place, change func(policy.Permissions) (policy.Permissions, error)) error {
	g.updating.Lock()
	defer g.updating.Unlock()
	own := *g.own.Load()
	if g.parent != nil {
		own = own.Inherit(*g.parent.inForce())
	}
	p, err := change(own)
	if err != nil {
		return err
	}
	if g.parent != nil {
		if err := g.parent.inForce().CheckChild(p); err != nil {
			return err
		}
	}
	g.set(p, cmp.Or(added, g.place()))
	return nil
}

// set replaces the session's own permissions. What is new in them refers to the place where it
// was added. The caller holds updating.
func (g *grants) set(p policy.Permissions, added *policy.Place) {
	if g.parent != nil {
		p, _ = p.WithoutTurn(policy.Allow) // the parent's may be among them, and they end without the fork
	}
	before := g.own.Load()
	g.store(p.AddedAt(added, *before).In(before.Place()))
}

// store makes p, which holds in the session, its own permissions.
func (g *grants) store(p policy.Permissions) {
	g.mu.Lock()
	g.own.Store(&p)
	g.mu.Unlock()
	g.onChange()
}

// move implements [Session.SetDir]. It returns the directories before and after.
func (g *grants) move(dir string) (last, now string, err error) {
	g.updating.Lock()
	defer g.updating.Unlock()
	own, parent := g.own.Load(), (*policy.Permissions)(nil)
	if g.parent != nil {
		parent = g.parent.inForce()
	}
	next, err := g.inForce().Move(dir, parent)
	if err != nil {
		return "", "", err
	}
	g.store(own.In(next))
	return own.Place().Cwd(), next.Cwd(), nil
}

// chdir implements [Session.Chdir]. It returns the directories before and after.
func (g *grants) chdir(dir string) (last, now string, err error) {
	g.updating.Lock()
	defer g.updating.Unlock()
	own := g.own.Load()
	next, err := g.inForce().Chdir(dir)
	if err != nil {
		return "", "", err
	}
	g.store(own.In(next))
	return own.Place().Cwd(), next.Cwd(), nil
}

// newTurn ends the session's own rules of the turn.
func (g *grants) newTurn() {
	g.updating.Lock()
	defer g.updating.Unlock()
	if own, ended := g.own.Load().WithoutTurn(policy.Allow, policy.Ask, policy.Deny); ended {
		g.set(own, own.Place())
	}
}

// remember applies the updates of an answer to the whole conversation: all of them, or
// none and an error. They refer to the place that the main session had when it was asked.
func (g *grants) remember(updates []policy.Update, asked *policy.Place) error {
	if len(updates) == 0 {
		return nil
	}
	err := g.main().updateAt(asked, func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(updates...) })
	if err == nil {
		g.addDirectories(onlyAddDirectories(updates))
	}
	return err
}

// save lets the host save remembered updates. ModeBypass, which is for one session, is left
// out, and so are the updates for one turn.
func (g *grants) save(updates []policy.Update) error {
	g = g.main()
	updates = slices.DeleteFunc(slices.Clone(updates), func(u policy.Update) bool { return u.Mode == policy.ModeBypass || u.Destination == policy.SourceTurn })
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
func (g *grants) after(updates []policy.Update, at, asked *policy.Place) (policy.Permissions, error) {
	own := g.own.Load()
	if g.parent == nil {
		p, err := own.Apply(updates...)
		return p.AddedAt(asked, *own).OnlyIn(at), err
	}
	parent, err := g.parent.after(updates, g.parent.place(), asked)
	if err != nil {
		return policy.Permissions{}, err
	}
	p, err := own.Apply(onlyAddDirectories(updates)...)
	return parent.Narrow(p.OnlyIn(at)), err
}

// addDirectories adds the main session's new directories to a fork and the forks above
// it, since a fork has only directories that its parent has, too.
func (g *grants) addDirectories(updates []policy.Update) {
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
		p = p.In(own.Place())
		g.own.Store(&p)
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
func onlyAddDirectories(updates []policy.Update) []policy.Update {
	return slices.DeleteFunc(slices.Clone(updates), func(u policy.Update) bool { return u.Type != policy.AddDirectories })
}
