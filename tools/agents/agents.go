package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// Agents starts agents. Make it with [New]. Its methods may be called concurrently, and for
// several conversations.
type Agents struct {
	options Options
	rosters *pegboard.Key[*roster]
	entries *pegboard.Key[*entry] // of the agent that a session belongs to
	mails   *pegboard.Key[*mail]
	teams   *pegboard.Key[*teams]
	joined  *pegboard.Key[bool] // whether a main session hands out its messages
	closing *pegboard.Key[chan struct{}]
	leases  *pegboard.Key[*lease]
	trees   worktree.Trees
}

// New returns Agents with these options.
func New(o Options) (*Agents, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Agents{
		options: o,
		rosters: pegboard.NewKey[*roster]("agents"),
		entries: pegboard.NewClonedKey("agent", func(e *entry) *entry { return e }),
		mails:   pegboard.NewKey[*mail]("mail of agents"),
		teams:   pegboard.NewKey[*teams]("teams of agents"),
		joined:  pegboard.NewKey[bool]("mail of the main agent"),
		leases:  pegboard.NewKey[*lease]("directory of agents"),
		closing: pegboard.NewKey[chan struct{}]("end of waiting for a place"),
	}, nil
}

// Tools returns the tools for the registry: Agent and SendMessage; ListAgents, unless agents have
// no background and there are no Peers; and TeamCreate and TeamDelete for Options.Teams.
func (g *Agents) Tools() []pegboard.Tool {
	tools := []pegboard.Tool{g.agentTool(), g.sendTool()}
	if !g.options.NoBackground || g.options.Peers != nil {
		tools = append(tools, g.listTool())
	}
	if g.options.Teams {
		tools = append(tools, g.teamCreateTool(), g.teamDeleteTool())
	}
	return tools
}

// Start starts an agent on behalf of s, as the Agent tool does: for tools that run agents, such
// as skills and workflows. It waits for the agent, unless it runs in the background.
//
// An agent that is waited for ends with ctx, and Start then returns within a second. A
// background agent keeps the values of ctx, but does not end with it. If the agent ended by an
// error after it had written something, the Result has that text and the error is returned
// beside it. Any other error means that nothing was started, or that the agent wrote nothing:
// then the Result has no text.
func (g *Agents) Start(ctx context.Context, s *pegboard.Session, r Request) (Result, error) {
	return g.start(ctx, s, &r)
}

// start is Start without a copy of the request.
func (g *Agents) start(ctx context.Context, s *pegboard.Session, r *Request) (Result, error) {
	k, err := g.prepare(ctx, s, r)
	if err != nil {
		return Result{}, err
	}
	return k.start(ctx)
}

// List returns the agents of the conversation of s: those that are running and the last 256
// that have ended, in the order in which they were started. With Options.Dir older ones are not
// listed, but can still go on; else they are forgotten. Their ids are those of
// [pegboard.Question].AgentPath.
func (g *Agents) List(s *pegboard.Session) []Status { return g.rosterOf(s).list() }

// ToBackground moves the agents that calls of s wait for to the background: the calls answer at
// once, and the end of each agent is reported as that of any background task. A host calls it
// when the user writes meanwhile. It returns how many agents were moved: none if s cannot have
// agents in the background. Agents of [Agents.Start] are not moved.
func (g *Agents) ToBackground(s *pegboard.Session) int {
	if g.noBackground(s) != "" {
		return 0
	}
	moved := 0
	for _, k := range g.rosterOf(s).runs() {
		if k.caller == s && k.request.movable && k.moveToBackground() {
			moved++
		}
	}
	return moved
}

// Stop stops a running agent of the conversation of s, by id or name, on behalf of the user. It
// does not wait until the agent has ended. The error is ErrUnknownAgent or ErrEnded; any other
// says that the stop could not be kept in Options.Dir, and the agent is stopped all the same.
func (g *Agents) Stop(s *pegboard.Session, id string) error {
	roster := g.rosterOf(s)
	e, err := roster.stop(id)
	if err != nil {
		return err
	}
	return roster.recordStop(e)
}

// closingOf returns a channel that is closed when s is.
func (g *Agents) closingOf(s *pegboard.Session) <-chan struct{} {
	return g.closing.GetOrInit(s, func() chan struct{} {
		closing := make(chan struct{})
		s.OnClose("agents that wait for a place", func(context.Context) error {
			close(closing)
			return nil
		})
		return closing
	})
}

// noBackground returns why s cannot have agents in the background, or "".
func (g *Agents) noBackground(s *pegboard.Session) string {
	if g.options.NoBackground {
		return "agents do not run in the background here; leave run_in_background out"
	}
	for e := g.entryOf(s); e != nil; e = e.parent {
		if e.role == pegboard.RoleTeammate {
			return "a teammate starts only agents that it waits for; leave run_in_background out"
		}
	}
	if s.Role() == pegboard.RoleTeammate {
		return "a teammate starts only agents that it waits for; leave run_in_background out"
	}
	return ""
}

// depth returns how many agents there are from the main agent down to that of s. One that goes
// on in a later program is as deep as it was, although the main session is its caller then.
func (g *Agents) depth(s *pegboard.Session) int {
	depth := len(s.AgentPath())
	if e := g.entryOf(s); e != nil {
		depth = max(depth, len(e.parents)+1)
	}
	return depth
}

// checkBudget returns ErrBudget if the agents of the conversation of s may spend nothing more.
func (g *Agents) checkBudget(s *pegboard.Session) error {
	used := g.rosterOf(s).spent()
	if limit := g.options.MaxTokens; limit > 0 && used.Tokens() >= limit {
		return fmt.Errorf("%w: %d of %d tokens", ErrBudget, used.Tokens(), limit)
	}
	if limit := g.options.MaxUSD; limit > 0 && used.USD >= limit {
		return fmt.Errorf("%w: $%.2f of $%.2f", ErrBudget, used.USD, limit)
	}
	if budget, _ := pegboard.KeyBudget.Get(s); budget.Left() <= 0 {
		return fmt.Errorf("%w: $%.2f, and nothing is left for the conversation", ErrBudget, budget.Spent())
	}
	return nil
}

// choosePlace returns where an agent works that s starts. Id is that of the agent.
func (g *Agents) choosePlace(ctx context.Context, s *pegboard.Session, id string, r *Request, d *Definition) (place, error) {
	switch {
	case r.Isolation == "" && !d.Worktree:
		return place{dir: r.Dir}, nil
	case r.Dir != "":
		return place{}, fmt.Errorf("%w: an agent of the type %s has a worktree of its own; leave cwd out", ErrInvalidRequest, d.Name)
	}
	dir := s.Dir() // once, since the host may move the session meanwhile
	left, err := g.trees.Clean(ctx, dir)
	if errors.Is(err, worktree.ErrNoRepository) {
		return place{}, fmt.Errorf("%w: isolation is for git repositories, and %s is in none; leave isolation out", ErrInvalidRequest, dir)
	}
	if err != nil {
		g.options.logger().Warn("worktrees of agents that have ended cannot be removed", "dir", dir, "error", err)
	}
	w, err := g.takeWorktree(ctx, s, dir, id, r.Name)
	if err != nil {
		return place{}, fmt.Errorf("no worktree could be made for the agent, and it was not started: %w", err)
	}
	around := &treefence.Fence{Path: w.Path, Dir: w.Dir, Main: w.Main, Common: w.Common, Owner: "the checkout of the caller", IsWhole: w.IsWhole}
	i := &isolation{tree: w, fence: around, caller: s, dir: dir, logger: g.options.logger(), done: make(chan struct{})}
	for _, e := range left {
		g.options.logger().Warn("a worktree of an agent that was cut off is kept", "path", e.Path, "branch", e.Branch, "reason", e.Reason)
		i.notes = append(i.notes, fmt.Sprintf("A worktree of an agent that was cut off is still there: %s on the branch %s, since %s.", e.Path, e.Branch, e.Reason))
	}
	return i.place(s), nil
}

// takeWorktree makes a worktree that is called after the agent, or takes the one that an
// earlier run of the agent has kept. Dir is the directory of s.
func (g *Agents) takeWorktree(ctx context.Context, s *pegboard.Session, dir, id, name string) (*worktree.Worktree, error) {
	if name != "" {
		name += "-"
	}
	request := worktree.Request{Dir: dir, Name: name + id, Base: g.options.BaseRef, MayRead: treefence.MayRead(ctx, s)}
	w, err := g.trees.Reopen(ctx, request)
	if errors.Is(err, worktree.ErrName) {
		request.Name = id
		w, err = g.trees.Reopen(ctx, request)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return g.trees.Add(ctx, request)
	}
	return w, err
}

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
		done: make(chan struct{}), returned: make(chan struct{}), task: taskState{moved: make(chan struct{})},
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
		if !ready { // prepare has failed, or code of the host has ended this goroutine
			k.roster.withdraw(k.entry)
			k.roster.forget(k.agent.ID)
		}
	}()
	if err := k.prepare(ctx); err != nil {
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
	if _, err := policy.New(d.Mode); err != nil {
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
	k.agent = &Agent{Name: r.Name, Team: r.Team, Type: d.Name, System: d.Prompt, Model: model, Effort: effort, Caller: s, Schema: slices.Clone(r.Schema), Forked: forked, run: k}
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

// prepare makes the session of the agent and finds its tools.
func (k *run) prepare(ctx context.Context) (err error) {
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
	var permissions policy.Permissions
	if mode == have {
		mode = "" // that of the caller, also when it changes
	}
	if mode != "" || len(k.place.rules) > 0 {
		var err error
		if permissions, err = policy.New(mode, k.place.rules...); err != nil {
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

// maxListed is how many names an error lists.
const maxListed = 20

// definitions returns the definitions of all types, each name once. A panic of
// Options.Definitions is logged, and then the list is empty.
func (g *Agents) definitions(s *pegboard.Session) []Definition {
	var all []Definition
	if err := goroutine.Try(func() error { all = slices.Clone(g.options.Definitions(s)); return nil }); err != nil {
		g.options.logger().Error("the definitions of agents cannot be listed", "error", err)
		return nil
	}
	named := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(d Definition) bool {
		again := named[d.Name]
		named[d.Name] = true
		return again
	})
}

// startable returns the definitions of the types that s may start.
func (g *Agents) startable(s *pegboard.Session) []Definition {
	all := g.definitions(s)
	if g.options.Forks && !slices.ContainsFunc(all, func(d Definition) bool { return d.Name == forkType }) {
		all = append(all, Definition{Name: forkType, Description: "Goes on from this conversation, with all that was said in it and the same tools. For a side task that needs the context."})
	}
	if s == nil {
		return all
	}
	only, limited := g.mainTypes(s)
	denials := typeDenials(s)
	return slices.DeleteFunc(all, func(d Definition) bool {
		return limited && !slices.Contains(only, d.Name) || deniedType(denials, d.Name) != "" || g.barred(s, d.Name)
	})
}

// definition returns the definition that r asks for.
func (g *Agents) definition(s *pegboard.Session, r *Request) (Definition, error) {
	if d := r.Definition; d != nil {
		return *d, g.mayStart(s, d.Name)
	}
	name := typeName(r.Type)
	types := g.startable(s)
	if i := slices.IndexFunc(types, func(d Definition) bool { return d.Name == name }); i >= 0 {
		return types[i], nil
	}
	names := make([]string, len(types))
	for i, d := range types {
		names[i] = d.Name
	}
	why := g.mayStart(s, name)
	if !errors.Is(why, pegboard.ErrDenied) {
		why = fmt.Errorf("%w: %q", ErrUnknownType, name)
	}
	return Definition{}, fmt.Errorf("%w; %s", why, choices(name, names))
}

// mayStart returns why s may not start agents of a type, whether or not there is a definition.
func (g *Agents) mayStart(s *pegboard.Session, name string) error {
	if rule := deniedType(typeDenials(s), name); rule != "" {
		return fmt.Errorf("%w: agents of the type %q are denied by the rule %s", pegboard.ErrDenied, name, rule)
	}
	if g.barred(s, name) {
		return fmt.Errorf("%w: %q; it is disallowed for this agent", ErrUnknownType, name)
	}
	return nil
}

// choices lists names for an error.
func choices(want string, names []string) string {
	text := "there are " + strings.Join(names[:min(len(names), maxListed)], ", ")
	if len(names) == 0 {
		return "none may be started here"
	}
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if near := nearest.Names(want, names, 3); len(near) > 0 {
		text = fmt.Sprintf("did you mean %s? ", strings.Join(near, " or ")) + strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// typeName returns the type that a model means.
func typeName(name string) string {
	if name = strings.TrimSpace(name); name == "" {
		return GeneralPurpose
	}
	return name
}

// typeDenials returns the deny rules of s for agents.
func typeDenials(s *pegboard.Session) (denials []policy.Rule) {
	for r := range s.Permissions().AllRules() {
		if r.Behavior != policy.Deny {
			break // deny rules come first
		}
		if r.Tool == toolName || r.Tool == toolAlias {
			denials = append(denials, r)
		}
	}
	return denials
}

// deniedType returns the first of these rules that denies a type of agents, or all, or "".
func deniedType(denials []policy.Rule, name string) string {
	subject := pattern.Subject{Kind: pattern.Text, Write: true, Names: []string{name}}
	for _, r := range denials {
		if r.Pattern == "" {
			return r.String()
		}
		if spec, err := pattern.Parse(r.Tool, r.Pattern); err == nil && spec.Touches(subject) {
			return r.String()
		}
	}
	return ""
}

// mainDefinition returns the definition of the main agent, if s is its session and it has one.
func (g *Agents) mainDefinition(s *pegboard.Session) (d Definition, ok bool) {
	if len(s.AgentPath()) > 0 || s.AgentType() == "" {
		return Definition{}, false
	}
	all := g.definitions(s)
	i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == s.AgentType() })
	if i < 0 {
		return Definition{}, false
	}
	return all[i], true
}

// mainTypes returns the types that the definition of the main agent lets it start, if it
// lists any. The lists of other agents have no meaning.
func (g *Agents) mainTypes(s *pegboard.Session) (types []string, limited bool) {
	d, ok := g.mainDefinition(s)
	if !ok {
		return nil, false
	}
	types = listedTypes(d.Tools)
	return types, types != nil && !slices.ContainsFunc(d.Tools, isAgentTool)
}

// mainBarred returns the types that the definition of the main agent disallows.
func (g *Agents) mainBarred(s *pegboard.Session) []string {
	d, _ := g.mainDefinition(s)
	return listedTypes(d.DisallowedTools)
}

// barred reports whether a definition on the way to s disallows a type.
func (g *Agents) barred(s *pegboard.Session, name string) bool {
	for e := g.entryOf(s); e != nil; e = e.parent {
		if slices.Contains(e.barred, name) {
			return true
		}
	}
	return slices.Contains(g.mainBarred(s), name)
}

// isAgentTool reports whether an entry of a definition names the Agent tool without types.
func isAgentTool(entry string) bool {
	entry = strings.TrimSpace(entry)
	return entry == toolName || entry == toolAlias || entry == "*"
}

// listedTypes returns the types of the entries Agent(a, b) of a definition; nil if it has no
// such entry.
func listedTypes(entries []string) (types []string) {
	for _, entry := range entries {
		tool, list, ok := strings.Cut(strings.TrimSpace(entry), "(")
		list, closed := strings.CutSuffix(list, ")")
		if !ok || !closed || tool != toolName && tool != toolAlias {
			continue
		}
		for name := range strings.SplitSeq(list, ",") {
			types = append(types, strings.TrimSpace(name))
		}
	}
	return types
}

// maxWorkerTools is how many tools of one server WorkerTools names.
const maxWorkerTools = 20

// WorkerTools returns a text for the prompt of a coordinator: the tools that the agents which s
// starts will have. It assembles a pool as for an agent in the background, or for one that is
// waited for if s can have no other, with the deny rules of s and the servers that are connected
// now. A definition that lists tools leaves its agents fewer. It fails if s is closed.
func (g *Agents) WorkerTools(s *pegboard.Session) (string, error) {
	role := pegboard.RoleAsyncAgent
	if g.noBackground(s) != "" {
		role = pegboard.RoleSubAgent
	}
	worker, err := s.Fork(pegboard.SessionConfig{Role: role, AgentID: idPrefix + "worker"})
	if err != nil {
		return "", fmt.Errorf("the tools of workers: %w", err)
	}
	defer worker.Close(context.Background()) //nolint:errcheck // nothing runs in it
	var own []string
	servers := map[string][]string{}
	for t := range g.options.Registry.AssemblePool(worker, g.options.Pool).All() {
		if info := t.Info(); !info.Origin.External() {
			own = append(own, info.Name)
		} else {
			servers[info.Origin.Source] = append(servers[info.Origin.Source], info.Name)
		}
	}
	return wordWorkers(own, servers), nil
}

// wordWorkers words the tools of workers, in the byte order of their names.
func wordWorkers(own []string, servers map[string][]string) string {
	if len(own)+len(servers) == 0 {
		return "Workers have no tools here."
	}
	var b strings.Builder
	b.WriteString("Workers have these tools, unless the description of their type lists fewer.")
	if len(own) > 0 {
		slices.Sort(own)
		b.WriteString("\n- " + strings.Join(own, ", "))
	}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		names := servers[server]
		slices.Sort(names)
		fmt.Fprintf(&b, "\n- from the server %s: %s", pegboard.OneLine(server), strings.Join(names[:min(len(names), maxWorkerTools)], ", "))
		if more := len(names) - maxWorkerTools; more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	return b.String()
}
