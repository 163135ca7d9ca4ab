package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// prepare makes everything that a run needs, so that nothing is started if something is wrong.
func (g *Agents) prepare(ctx context.Context, s *pegboard.Session, r *Request) (*run, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	g.join(s)
	if err := g.rosterOf(s).storeErr; err != nil {
		return nil, err
	}
	d, err := g.definition(s, r)
	if err != nil {
		return nil, err
	}
	k := &run{
		g: g, caller: s, definition: d, request: *r, roster: g.rosterOf(s), started: time.Now(),
		done: make(chan struct{}), returned: make(chan struct{}), moved: make(chan struct{}),
	}
	if err := k.choose(); err != nil {
		return nil, err
	}
	if err := k.takePlace(ctx); err != nil {
		return nil, err
	}
	if err := k.roster.enter(k.entry); err != nil {
		return nil, err
	}
	ready := false
	defer func() {
		if !ready { // settle has failed, or code of the host has ended this goroutine
			k.roster.withdraw(k.entry)
			k.roster.forget(k.agent.ID)
		}
	}()
	if err := k.settle(ctx); err != nil {
		return nil, err
	}
	k.roster.setRun(k.entry, k)
	ready = true
	return k, nil
}

// takePlace gives the run a place among the agents of its conversation. What may have changed
// while it waited for one is checked anew.
func (k *run) takePlace(ctx context.Context) error {
	limit := k.g.options.maxRunning()
	if !k.request.Wait {
		return k.roster.takePlace(ctx, nil, limit)
	}
	if err := k.roster.takePlace(ctx, k.g.closingOf(k.caller), limit); err != nil {
		return err
	}
	k.started = time.Now()
	if err := k.g.checkBudget(k.caller); err != nil {
		k.roster.returnPlace()
		return err
	}
	return nil
}

// choose decides everything that follows from the request, the definition and the caller alone.
func (k *run) choose() error {
	g, s, r, d := k.g, k.caller, &k.request, &k.definition
	parent := g.entryOf(s)
	if g.depth(s) >= g.options.maxDepth() {
		return fmt.Errorf("%w: there are at most %d layers; do the work yourself", ErrTooDeep, g.options.maxDepth())
	}
	if r.Model != "" && len(g.options.Models) > 0 && !slices.Contains(g.options.Models, r.Model) {
		return fmt.Errorf("%w: there is no model %q; %s", ErrInvalidRequest, r.Model, choices(r.Model, g.options.Models))
	}
	forked := g.options.Forks && r.Definition == nil && d.Name == forkType && d.Prompt == ""
	for e := parent; e != nil && forked; e = e.parent {
		if e.forked {
			return fmt.Errorf("%w: an agent of the type %s starts no further one; do the work yourself", ErrInvalidRequest, forkType)
		}
	}
	if _, err := pegboard.NewPermissions(d.Mode); err != nil {
		return fmt.Errorf("%w: the definition of the type %s: %w", ErrInvalidRequest, d.Name, err)
	}
	if err := g.checkBudget(s); err != nil {
		return err
	}
	if err := k.chooseBackground(); err != nil {
		return err
	}
	model, effort := k.chooseModel(parent)
	role := pegboard.RoleSubAgent
	switch {
	case k.background && r.Name != "" && r.Team != "":
		role = pegboard.RoleTeammate
	case k.background && !forked:
		role = pegboard.RoleAsyncAgent
	}
	if forked {
		var err error
		if r.only, err = k.callerTools(); err != nil {
			return err
		}
	}
	barred := listedTypes(d.DisallowedTools)
	if parent == nil {
		barred = append(barred, g.mainBarred(s)...)
	}
	parents := s.AgentPath()
	if parent != nil && len(parent.parents) >= len(parents) {
		parents = append(slices.Clone(parent.parents), parent.status.ID)
	}
	k.entry = &entry{
		parent: parent, parents: parents, caller: s, request: k.request, definition: *d, barred: barred, forked: forked, effort: effort, role: role,
		status: Status{Name: r.Name, Type: d.Name, Description: escapeMarks(pegboard.OneLine(r.Description)), ParentID: s.AgentID(), Model: model},
	}
	k.entry.request.pool = nil // it belongs to this call
	k.agent = &Agent{Name: r.Name, Type: d.Name, System: d.Prompt, Model: model, Effort: effort, Caller: s, Schema: slices.Clone(r.Schema), Forked: forked, run: k}
	return nil
}

// chooseModel returns the model and the effort: those of the request, of the definition or else of
// the caller.
func (k *run) chooseModel(parent *entry) (model, effort string) {
	model, _ = pegboard.KeyModel.Get(k.caller)
	if k.definition.Model == "inherit" {
		k.definition.Model = ""
	}
	effort = cmp.Or(k.request.Effort, k.definition.Effort)
	if effort == "" && parent != nil {
		effort = parent.effort
	}
	return cmp.Or(k.request.Model, k.definition.Model, model), effort
}

// callerTools returns the names of the tools that the caller has.
func (k *run) callerTools() (names []string, err error) {
	p := k.request.pool
	switch above := k.g.runOf(k.caller); {
	case p != nil:
	case above != nil:
		found, err := above.resolve()
		if err != nil {
			return nil, err
		}
		p = found.Pool
	default:
		p = k.g.options.Registry.AssemblePool(k.caller, k.g.options.Pool)
	}
	for t := range p.All() {
		names = append(names, t.Info().Name)
	}
	return names, nil
}

// chooseBackground decides whether the caller waits for the agent.
func (k *run) chooseBackground() error {
	o, r := &k.g.options, &k.request
	cannot := k.g.noBackground(k.caller)
	switch {
	case r.Background && cannot != "":
		return fmt.Errorf("%w: %s", ErrInvalidRequest, cannot)
	case r.Team != "":
		k.background = true
		return k.g.checkTeam(r, cannot)
	case cannot != "":
	case k.definition.Background && (r.movable || !r.Foreground): // tools that wait for a report get it
		k.background = true
	default:
		k.background = r.Background || !r.Foreground && (o.Background || k.caller.Role() == pegboard.RoleCoordinator)
	}
	return nil
}

// settle makes the session of the agent and finds its tools.
func (k *run) settle(ctx context.Context) (err error) {
	k.agent.ID = k.entry.status.ID
	if k.place, err = k.g.choosePlace(ctx, k.caller, k.agent.ID, &k.request, &k.definition); err != nil {
		return err
	}
	ready := false
	defer func() {
		if !ready {
			k.giveUp(ctx)
		}
	}()
	if err := k.fork(ctx); err != nil {
		return err
	}
	found, err := k.resolve()
	if err != nil {
		return fmt.Errorf("%w: the definition of the type %s leaves no tool: %w", ErrInvalidRequest, k.definition.Name, err)
	}
	if len(found.Unknown) > 0 && !k.definition.looks {
		k.g.options.logger().Warn("the definition of an agent names tools that are not there", "type", k.definition.Name, "origin", k.definition.Origin, "entries", found.Unknown)
		k.note(fmt.Sprintf("Its definition names tools that it cannot have here: %s.", strings.Join(found.Unknown, ", ")))
	}
	_, k.canSend = found.Pool.Lookup(sendName)
	if err := k.joinTeam(); err != nil {
		return err
	}
	if err := k.keepOnDisk(); err != nil {
		return err
	}
	if k.background {
		if err := k.addTask(); err != nil {
			return err
		}
	}
	ready = true
	return nil
}

// fork makes the session of the agent, and the context of the run.
func (k *run) fork(ctx context.Context) error {
	s, d := k.caller, &k.definition
	have := s.Permissions().Mode()
	mode, note := narrowMode(have, d.Mode)
	k.note(note)
	mode, note = narrowMode(mode, k.request.Mode)
	k.note(note)
	mode, _ = narrowMode(mode, k.roster.modeOf(k.entry))
	var permissions pegboard.Permissions
	if mode == have {
		mode = "" // that of the caller, also when it changes
	}
	if mode != "" || len(k.place.rules) > 0 {
		var err error
		if permissions, err = pegboard.NewPermissions(mode, k.place.rules...); err != nil {
			return fmt.Errorf("%w: its definition: %w", ErrInvalidRequest, err)
		}
	}
	child, err := s.Fork(pegboard.SessionConfig{
		Role: k.entry.role, AgentID: k.agent.ID, AgentType: d.Name, CustomAgent: d.Custom, Dir: k.place.dir, MoreDirs: k.place.moreDirs,
		Permissions: permissions.WithDirectories(s.Permissions().Directories()...),
		Hooks:       pegboard.JoinHooks(k.hooks(), k.place.hooks), TrimState: k.entry.trim,
	})
	if err != nil {
		return errors.Join(ErrInvalidRequest, err)
	}
	k.agent.Session = child
	if !k.request.movable { // no call of the tool waits for it: it ends with the context of Start alone
		child.MoveToBackground()
	}
	k.mail().attach(k.agent.ID, child)
	k.roster.setPlace(k.entry, child)
	child.SetLoaded(k.entry.loaded...)
	k.g.entries.Set(child, k.entry)
	pegboard.KeyModel.Set(child, k.agent.Model)
	if !k.agent.Forked {
		pegboard.KeySystemPrompt.Set(child, pegboard.SystemPrompt{Custom: d.Prompt})
	}
	k.setContext(ctx)
	var registered atomic.Bool
	child.OnClose("agent "+k.agent.ID, func(ctx context.Context) error {
		if !k.closing.Load() { // else the run itself closes the session, which is no stop
			k.cancel(pegboard.ErrClosed)
		}
		if !registered.Load() {
			return nil // nothing is started: see below
		}
		return k.waitLoop(ctx)
	})
	registered.Store(true)
	return context.Cause(k.ctx) // the session is closed already
}
