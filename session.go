package pegboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// SessionConfig describes a session. The zero value is a main session in the current
// directory, without rules and without a way to ask the user.
type SessionConfig struct {
	ID          string   // for logs and hooks; may be empty
	Role        Role     // zero means the main agent, in a fork a sub-agent
	AgentID     string   // empty for the main agent
	AgentType   string   // the name of the agent's definition
	CustomAgent bool     // AgentType was defined by the user, not by the host
	Dir         string   // working directory; empty means the process's, or the parent's
	MoreDirs    []string // further working directories
	Cwd         string   // where relative paths start, see Session.Chdir; empty means Dir
	Home        string   // what ~ means in paths and rules; empty means the user's, or the parent's
	// Platform says how paths are spelled; zero means as on the platform that the program
	// runs on. On another platform, the user is asked about a path that does not exist
	// here, since its links cannot be followed.
	Platform    policy.Platform
	Permissions policy.Permissions
	Hooks       Hooks

	// Guard has the host's own word about each call that would run, see there. Nil means
	// none. That of a fork is called after its parent's.
	Guard Guard

	// Approvers are asked before the user, one after the other: programs that can answer
	// in the user's place, such as a coordinator. If one returns Undecided or an error,
	// the next is asked. Those of a fork are asked after its parent's; they can deny, but
	// neither allow nor change the permissions.
	Approvers []Asker
	// Ask asks the user. If it is nil, or NoPrompts is set, a call that only the user
	// could allow is denied with [ErrNoApprover]. A fork uses its parent's.
	Ask       Asker
	NoPrompts bool // for an agent that must not disturb the user, and all its forks
	// Elicit shows an [Elicitation] to the user. It must return when its context ends; the next
	// question is not shown before. The context carries the session, see [SessionFrom]. If
	// Elicit is nil, forms are declined. A fork uses its parent's.
	Elicit func(ctx context.Context, f *Elicitation) (ElicitResult, error)
	// PromptDelay is how long the permission hook and the classifier have before the user
	// is asked as well; the first decision wins. 0 means 2 seconds, a negative
	// value no delay. If both return without a decision, the user is asked at once.
	PromptDelay time.Duration
	// AskTimeout is how long the user may take once a question is shown; 0 means no
	// limit. Then the call is denied with [ErrExpired], or the form is cancelled. A fork can
	// only shorten it.
	AskTimeout time.Duration
	// OnRemember is called with the updates of an answer after they have taken effect,
	// so that the host can save those that outlive the session. Nil saves nothing. It
	// may be called concurrently; the call that was asked about waits for it. ModeBypass
	// is never among the updates, nor is what ends with the turn. A fork uses the main
	// session's.
	OnRemember func(ctx context.Context, updates []policy.Update) error

	// Suspend, if set, has a main session suspend a call whose question is not answered at
	// once, instead of asking the user and waiting: see [Session.Suspension]. Approvers, the
	// permission hook and the classifier are asked as ever. Questions that cannot be put off,
	// those of forks, of running calls and of calls inside a call, go to Ask. Nil never
	// suspends. A fork does not inherit it.
	Suspend *Suspending

	// Classifier decides in ModeAuto what no rule decides; nil means
	// [ClassifyByTargets].
	Classifier Classifier
	Breaker    BreakerLimits

	// Results keeps results that are too long for the model; nil means a temporary
	// directory that is removed with the main session. A fork uses its parent's.
	Results ResultStore
	// Limits say how much of results the model is shown. In a fork, zero means its
	// parent's.
	Limits ResultLimits
	// Budgets limit what calls may spend. A fork has its parents' budgets and shares them:
	// its own calls count there, too. A fork's own Budgets come in addition.
	Budgets []CallBudget
	// Groups limit how many calls run at once, and how many start in a second, in all
	// agents of the conversation together. The key is the name of a group, see Info.Group,
	// or names tools as a deny rule does: a name, an alias, or a source such as mcp__github.
	// A call is in each group that its tool is in. A fork uses the main session's.
	Groups map[string]GroupLimit
	// TrimState is what Session.TrimState returned when the conversation was left.
	TrimState json.RawMessage
	// Init, if set, is called with the new session before anyone else has it, for example to
	// set the values of keys. A fork does not inherit it.
	Init func(s *Session)
}

// A Session says on whose behalf calls run. It owns policy and state: the role, the
// directories, the permissions, the hooks, the way to the user, and the values that
// the host and tools keep in it.
//
// Most hosts need [NewSession], then for each message of the user [Session.NewTurn], for each
// request [Session.Notifications], and in the end [Session.Close]. Everything else is for one need:
//
// # What calls may do
//
// [Session.Permissions], [Session.SetPermissions], [Session.UpdatePermissions], [Session.AllowReads]
//
// # Questions to the user
//
// [Session.Questions], [Session.Answer], [Session.Elicit]
//
// # Place and identity
//
// [Session.Dir], [Session.Dirs], [Session.SetDir], [Session.Cwd], [Session.Chdir],
// [Session.OnChdir], [Session.Home], [Session.ShortPath]; [Session.ID], [Session.Role], [Session.AgentID], [Session.AgentType],
// [Session.AgentPath]
//
// # Agents
//
// [Session.Fork], [Session.MoveToBackground], [Session.Notify], [Session.Notified],
// [Session.OnNotifications], [Session.AnnounceNotifications]
//
// # Calls that go on
//
// [Session.Interrupt], [Session.Detached], [Session.Detach], [Session.Forget], [Session.OnClose],
// [Session.OnMainClose]
//
// # Calls that others execute, and other processes
//
// [Session.ExternalCalls], [Session.SubmitResult], [Session.Suspension]
//
// # Results and budgets
//
// [Session.TrimResults], [Session.Trimmed], [Session.TrimmedResults], [Session.TrimState],
// [Session.ResultStore], [Session.ReadMoreHint]; [Session.SpendTokens],
// [Session.Spent]; [Session.Loaded], [Session.SetLoaded]
//
// # Concurrency
//
//  1. All methods may be called concurrently.
//  2. SetPermissions takes effect for every decision that begins after it
//     returns, in this session and in its forks.
//  3. Close may be called more than once; calls still running are cancelled.
type Session struct {
	cfg    SessionConfig
	parent *Session // nil for a main session

	grants        grants
	dirListeners  dirListeners
	batches       runningBatches
	gatherings    gatherings
	discovery     discovery
	notifications notifications
	results       sessionResults
	values        *values
	loops         *breaker.Breaker
	ledger        *ledger // nil without budgets
	groups        *groups // shared by all agents of a conversation; nil without limits
	classifier    classifierRefusals
	closers       *lifetime.Closers
	closer        *lifetime.Closer                        // the session's entry in its parent's closers
	line          *asking.Line[*pending, policy.Decision] // of questions; shared by all agents of a conversation
	awaited       *externalCalls                          // calls that the host executes; shared likewise
	abandoned     *lane.Abandoned                         // the names of abandoned calls; shared likewise
	detached      *detachedCalls                          // those that hold keys; shared likewise
	alone         lane.Abandoned                          // exclusive calls of this agent
	holds         *policy.Holds                           // of what goes on in the background; shared likewise
	apart         atomic.Bool                             // it runs in the background, see MoveToBackground
}

// NewSession returns a session. It fails if a directory does not exist. Close it when
// the conversation ends.
func NewSession(cfg SessionConfig) (*Session, error) {
	if cfg.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("working directory: %w", err)
		}
		cfg.Dir = dir
	}
	if err := cfg.Suspend.check(&cfg); err != nil {
		return nil, err
	}
	cfg.Hooks = cfg.Hooks.guarded()
	s := &Session{
		values: newValues(), line: asking.NewLine[*pending, policy.Decision](), awaited: asking.NewLine[*pendingResult, submitted](), abandoned: new(lane.Abandoned), detached: new(detachedCalls), holds: new(policy.Holds),
	}
	if err := s.init(cfg, nil); err != nil {
		return nil, err
	}
	s.OnClose("stored results", s.results.temporary.close) // the first closer runs last
	if cfg.Init != nil {
		cfg.Init(s)
	}
	return s, nil
}

// Fork returns a session for a sub-agent, which can only be narrower. The rules and
// hooks of s stay in force in addition to those of cfg, whose hooks can deny and ask but
// not allow; an empty field means as in s, and the zero Role a sub-agent. It is an error
// if cfg allows more than s: by an allow rule, a laxer mode or a directory outside those
// that s has now, added ones included. A directory that s loses later, its forks lose too.
// An agent of a teammate cannot run in the background.
func (s *Session) Fork(cfg SessionConfig) (*Session, error) {
	s.mustExist("Fork")
	if cfg.Role == RoleCoordinator {
		return nil, fmt.Errorf("a fork cannot take the role %v; use NewSession", cfg.Role)
	}
	if cfg.Role == RoleMain {
		cfg.Role = RoleSubAgent
	}
	if cfg.Role.background() && s.isOfTeammate() {
		return nil, fmt.Errorf("a teammate starts only agents that it waits for, and no %v", cfg.Role)
	}
	within := s.grants.inForce()
	if err := cfg.inherit(s, within.Place().Dir()); err != nil {
		return nil, err
	}
	child := &Session{
		parent: s, values: s.values.fork(cfg.Role.background()), line: s.line, awaited: s.awaited, abandoned: s.abandoned, detached: s.detached, holds: s.holds,
	}
	if err := child.init(cfg, within); err != nil {
		return nil, err
	}
	if err := s.Permissions().CheckChild(cfg.Permissions); err != nil {
		return nil, err
	}
	child.apart.Store(cfg.Role.background())
	child.closer = &lifetime.Closer{Name: "agent " + cfg.AgentID, Close: child.Close, Interrupt: child.interruptWithParent}
	if !s.closers.Add(child.closer) {
		return nil, ErrClosed
	}
	if cfg.Init != nil {
		cfg.Init(child)
	}
	return child, nil
}

// inherit fills the empty fields of a fork's configuration from its parent, which is in dir.
func (cfg *SessionConfig) inherit(s *Session, dir string) error {
	switch {
	case cfg.Classifier != nil:
		return errors.New("a fork has its parent's classifier; leave Classifier empty")
	case cfg.Ask != nil:
		return errors.New("a fork asks whom its parent asks; leave Ask empty")
	case cfg.Elicit != nil:
		return errors.New("a fork asks whom its parent asks; leave Elicit empty")
	case cfg.OnRemember != nil:
		return errors.New("a fork's answers are saved by its parent; leave OnRemember empty")
	case cfg.Suspend != nil:
		return errors.New("only a main session suspends calls; leave Suspend empty")
	case cfg.Groups != nil:
		return errors.New("a fork has its main session's groups; leave Groups empty")
	case cfg.Dir == "":
		cfg.Dir = dir
	case !filepath.IsAbs(cfg.Dir):
		cfg.Dir = filepath.Join(dir, cfg.Dir)
	}
	if cfg.MoreDirs == nil {
		cfg.MoreDirs = s.cfg.MoreDirs
	}
	cfg.ID, cfg.Home, cfg.Platform = cmp.Or(cfg.ID, s.cfg.ID), s.Home(), s.cfg.Platform
	cfg.Elicit = s.cfg.Elicit
	cfg.Classifier, cfg.Ask, cfg.NoPrompts = s.cfg.Classifier, s.cfg.Ask, cfg.NoPrompts || s.cfg.NoPrompts
	cfg.PromptDelay = cmp.Or(cfg.PromptDelay, s.cfg.PromptDelay)
	if limit := s.cfg.AskTimeout; cfg.AskTimeout <= 0 || limit > 0 && limit < cfg.AskTimeout {
		cfg.AskTimeout = limit
	}
	cfg.Guard = joinGuards(s.cfg.Guard, cfg.Guard)
	cfg.Approvers = slices.Concat(s.cfg.Approvers, narrowingAll(cfg.Approvers))
	selects := cfg.Hooks.Select
	cfg.Hooks = JoinHooks(s.cfg.Hooks, cfg.Hooks.narrowing()) // JoinHooks guards them
	cfg.Hooks.Select = selects                                // AssemblePool calls those of the parents
	if cfg.Breaker == (BreakerLimits{}) {
		cfg.Breaker = s.cfg.Breaker
	}
	return nil
}

// init makes the parts of a session. Within are its parent's permissions, and nil for a main session.
func (s *Session) init(cfg SessionConfig, within *policy.Permissions) error {
	dirs, place, parent := policy.Dirs{Dir: cfg.Dir, More: cfg.MoreDirs, Home: cfg.Home, Platform: cfg.Platform}, policy.Dirs.Place, s.parent
	if parent != nil {
		place = within.Fork
	}
	at, err := place(dirs)
	if err != nil {
		return err
	}
	s.cfg, s.loops, s.closers = cfg, breaker.New(breaker.Limits(cfg.Breaker)), lifetime.NewClosers()
	s.grants.onChange, s.grants.onRemember = s.line.NotifyChange, cfg.OnRemember
	own := cfg.Permissions
	if parent != nil {
		own, _ = own.WithoutTurn(policy.Allow)
	}
	own = own.In(at)
	if cfg.Cwd != "" {
		if at, err = own.Chdir(cfg.Cwd); err != nil {
			return err
		}
		own = own.In(at)
	}
	s.grants.own.Store(&own)
	if parent == nil {
		if s.ledger, err = newLedger(cfg.Budgets, cfg.AgentID, nil); err != nil {
			return err
		}
		if s.groups, err = newGroups(cfg.Groups); err != nil {
			return err
		}
		return s.results.init(&cfg, nil, at)
	}
	if s.ledger, err = newLedger(cfg.Budgets, cfg.AgentID, parent.ledger); err != nil {
		return err
	}
	s.groups = parent.groups
	s.grants.parent = &parent.grants
	return s.results.init(&cfg, &parent.results, at)
}

// mustExist panics if s is nil or was not made by NewSession or Fork. The caller is the
// exported function that was given s.
func (s *Session) mustExist(caller string) {
	if s == nil || s.closers == nil {
		panic("pegboard: " + caller + " of a nil or zero Session; make one with NewSession or Session.Fork")
	}
}

// ID returns the session's id.
func (s *Session) ID() string { return s.cfg.ID }

// Role returns the session's role.
func (s *Session) Role() Role { return s.cfg.Role }

// ShortPath returns path as a person reads it: relative to [Session.Cwd] if it is
// absolute and lies there, and unchanged otherwise. In a nil session every path is
// unchanged.
func (s *Session) ShortPath(path string) string {
	if s == nil {
		return path
	}
	return s.grants.place().Short(path)
}

// AgentID returns the agent's id, which is empty for the main agent.
func (s *Session) AgentID() string { return s.cfg.AgentID }

// AgentType returns the agent's type.
func (s *Session) AgentType() string { return s.cfg.AgentType }

// AgentPath returns the ids of the agents that led to s, outermost first; its last one is
// that of s. It is empty for the main agent, so its length says how deep s is. [Session.ID]
// is the same for all of them, unless a fork was given another.
func (s *Session) AgentPath() (path []string) {
	for ; s.parent != nil; s = s.parent {
		path = append(path, s.cfg.AgentID)
	}
	slices.Reverse(path)
	return path
}

// main returns the main session of the conversation.
func (s *Session) main() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// isOfTeammate reports whether s or one of its parents is a teammate's.
func (s *Session) isOfTeammate() bool {
	for ; s != nil; s = s.parent {
		if s.cfg.Role == RoleTeammate {
			return true
		}
	}
	return false
}

// Dir returns the directory that s works in, absolute. Rules refer to it. A call that runs uses
// [Call.Dir], since the session may move meanwhile, see [Session.SetDir].
func (s *Session) Dir() string { return s.grants.place().Dir() }

// Cwd returns the directory in which the relative paths of calls start, and the commands of the
// shell, absolute. It is Dir unless [Session.Chdir] has left that. It is the working directory that
// a system prompt names; results tell the model of changes. A call that runs uses [Call.Cwd].
func (s *Session) Cwd() string { return s.grants.place().Cwd() }

// Home returns the directory that ~ stands for, or "" if it is not known.
func (s *Session) Home() string { return s.grants.place().Home() }

// Dirs returns the working directories of the permissions in force, the session's own
// first.
func (s *Session) Dirs() []string {
	return s.grants.inForce().WorkDirs()
}

// AllowReads lets all agents of the conversation read files below dir, an absolute path,
// as if it were a working directory: for files that a tool stored for the model. Deny
// and ask rules still apply there. It does nothing if dir is not absolute.
func (s *Session) AllowReads(dir string) {
	if filepath.IsAbs(dir) {
		s.grants.place().AddReadable(dir)
	}
}

// Permissions returns the permissions in force: the session's own, narrowed to those of
// its parents.
func (s *Session) Permissions() policy.Permissions {
	s.mustExist("Permissions")
	return *s.grants.inForce()
}

// SetPermissions replaces the session's own permissions. In a fork it is an error if
// they allow more than the parent's.
func (s *Session) SetPermissions(p policy.Permissions) error {
	s.mustExist("SetPermissions")
	return s.grants.update(func(policy.Permissions) (policy.Permissions, error) { return p, nil })
}

// UpdatePermissions replaces the session's own permissions by change's result. No other
// change happens in between. If change returns an error, nothing changes.
func (s *Session) UpdatePermissions(change func(policy.Permissions) (policy.Permissions, error)) error {
	s.mustExist("UpdatePermissions")
	return s.grants.update(change)
}

// Questions returns the questions that the user has not answered yet, of a main session
// and all its agents, in the order in which they are shown. A fork has none: its owner
// may be an agent, which must not answer for the user.
func (s *Session) Questions() []*Question {
	var qs []*Question
	if s.parent != nil {
		return nil
	}
	for _, p := range s.line.Open() {
		if p.question != nil {
			qs = append(qs, p.question.copied())
		}
	}
	return qs
}

// Answer answers an open question of a main session or any of its agents, whether or
// not it has been shown, as its [Asker] would. It may be called from anywhere but
// OnRemember of [SessionConfig].
//
// The error is [ErrQuestionClosed] if the question is not open: it was answered, its
// call has ended, or s is a fork. An Undecided answer, an input that the tool cannot
// read and an update that cannot be applied are errors, too, and the question stays
// open. Only an error that wraps [ErrNotSaved] means that the answer counts.
func (s *Session) Answer(id string, d policy.Decision) error {
	if s.parent != nil {
		return ErrQuestionClosed
	}
	var answered *pending
	var remembered []policy.Update
	if err := s.line.Answer(id, func(p *pending) (policy.Decision, error) {
		if p.question == nil {
			return policy.Decision{}, ErrQuestionClosed
		}
		answered = p
		accepted, err := p.accept(d)
		remembered = accepted.Remember
		return accepted, err
	}); err != nil {
		return err
	}
	defer close(answered.saved)
	return s.grants.save(remembered)
}

// NewTurn says that the user has sent a message. A loop calls it for every one: the loop
// breaker does not count calls before it together with calls after it, see
// [BreakerLimits], the session's own budgets that last a turn begin anew, and its own rules of
// [policy.SourceTurn] end. NewTurn of a fork does not begin its parents' budgets anew, nor end their
// rules.
func (s *Session) NewTurn() {
	s.mustExist("NewTurn")
	s.loops.NewTurn()
	s.grants.newTurn()
	if s.ledger != nil {
		s.ledger.newTurn()
	}
}

// SpendTokens counts tokens that were spent elsewhere, such as those of the model's messages, in
// the budgets of every tool, of s and its parents. It does nothing if tokens is not
// positive.
func (s *Session) SpendTokens(tokens int) {
	s.mustExist("SpendTokens")
	if s.ledger != nil && tokens > 0 {
		s.ledger.spend(tokens)
	}
}

// Spent returns the use of each budget that s has: first of its parents' budgets, beginning
// with the outermost session's, then of its own, each in the order of Budgets. The time of
// running calls is included.
func (s *Session) Spent() []BudgetUse {
	s.mustExist("Spent")
	if s.ledger == nil {
		return nil
	}
	return s.ledger.uses()
}

// Loaded returns the tools that the conversation has mentioned, each once: for every
// message those that the model called, then those that ToolSearch found. A wire's Loaded
// returns the same for a history. If the pool has no search, nothing is recorded.
func (s *Session) Loaded() []string { return s.discovery.tools() }

// SetLoaded replaces the result of Loaded by that of a wire's Loaded for a history: when
// a conversation is resumed or rewound, or when a fork continues one.
func (s *Session) SetLoaded(tools ...string) { s.discovery.reset(tools) }

// ResultStore returns the store of the session's results: that of its SessionConfig, or
// a temporary directory that is removed with the main session.
func (s *Session) ResultStore() ResultStore { return s.results.resultStore() }

// ReadMoreHint returns the text that tells the model how to read more of a stored
// result, see [ResultLimits].
func (s *Session) ReadMoreHint() string { return s.results.limits.ReadMoreHint }

// TrimResults decides which results of a conversation are sent whole. It is for wires:
// see Trim there. Results are all results of the history, in order; the history itself
// is not changed. For each result it returns the text that replaces it, or "".
//
// If the results that answer one message are too long together, the largest are replaced
// by previews before they are first sent. Old results are masked, many at a time, since
// each time invalidates the provider's prompt cache. A decision is final, byte for byte,
// also in a fork: a result that was sent whole is only ever masked, and a replaced result
// stays replaced. Given the same history as it grew, the same limits and a store that
// lost nothing, another process decides the same; otherwise it needs [Session.TrimState].
//
// A replaced result is stored under its call's id, unless it can be read again. Results
// of ResultLimits.PinnedTools, results that made tools known, and short results are left
// alone.
func (s *Session) TrimResults(ctx context.Context, results []HistoryResult) []string {
	return s.results.trimmer.trim(ctx, results)
}

// Trimmed reports whether the model no longer has the result of the call with that id, as
// far as [Session.TrimResults] knows: the result was replaced, or was in an earlier history
// and is not in the last one. It is false for a call that TrimResults has not met.
func (s *Session) Trimmed(callID string) bool { return s.results.trimmer.trimmed(callID) }

// TrimmedResults returns the results that TrimResults has replaced, in the order in which it did:
// for a user interface that shows them. A fork begins with those of its parent. Those of a
// former process, see SessionConfig.TrimState, are not among them. A result that was replaced
// twice, as a preview and later as an old one, is there twice.
func (s *Session) TrimmedResults() []TrimmedResult { return s.results.trimmer.putAway() }

// TrimState returns the decisions of TrimResults as JSON, for SessionConfig.TrimState.
func (s *Session) TrimState() json.RawMessage { return s.results.trimmer.saved() }

// Detached returns the names of the calls that were abandoned and have not returned, and those
// of [Session.Detach], of all agents of the conversation.
func (s *Session) Detached() []string { return s.abandoned.Names() }

// Detach adds name to the result of Detached until returned is called: for a tool that started
// something beside its calls, such as the loop of an agent, which was told to end and has not.
// Unlike a call that was abandoned, it holds back no other call. Returned may be called more
// than once.
func (s *Session) Detach(name string) (returned func()) {
	s.mustExist("Detach")
	return s.abandoned.AddFree(name).Release
}

// Forget releases the keys of the calls with that id that were abandoned and have not returned, so
// that other calls of the conversation may touch the same targets. It is for a host that knows the
// effects of these calls, or has asked the user. [Session.Detached] goes on to name them. Forget
// reports whether any such call held keys.
func (s *Session) Forget(callID string) bool {
	s.mustExist("Forget")
	return s.detached.forget(callID)
}

// Interrupt stops the running calls of s and its forks, as cancelling their contexts
// would, but whatever their tools' Interrupt says. It does not reach forks in the
// background, see [Session.MoveToBackground], nor theirs. It returns at once. A nil cause
// means [ErrUserInterrupt].
func (s *Session) Interrupt(cause error) {
	if cause == nil {
		cause = ErrUserInterrupt
	}
	s.batches.interrupt(cause)
	s.closers.Interrupt(cause)
}

// interruptWithParent is Interrupt for a fork whose parent was interrupted.
func (s *Session) interruptWithParent(cause error) {
	if !s.apart.Load() {
		s.Interrupt(cause)
	}
}

// MoveToBackground says that nothing waits for the agent of s any more: from then on an
// Interrupt of a session above s stops no call of s or its forks. Close and an Interrupt of
// s itself still do. A fork with the role [RoleAsyncAgent] or [RoleTeammate] is in the
// background from the beginning. For a main session it has no effect.
func (s *Session) MoveToBackground() {
	s.mustExist("MoveToBackground")
	s.apart.Store(true)
}

// OnClose registers a function that ends something when the session closes: a process, a
// task, a watch. Close uses name if it cannot be ended. If the session is closed already,
// end is called at once.
func (s *Session) OnClose(name string, end func(context.Context) error) {
	s.mustExist("OnClose")
	if !s.closers.Add(&lifetime.Closer{Name: name, Close: end}) {
		_ = end(context.Background()) // Close has returned: there is no one to report to
	}
}

// OnMainClose is [Session.OnClose] for the main session of the conversation, for what all its
// agents share and one of them has started. End is called after the forks are closed and after
// the functions that were registered before.
func (s *Session) OnMainClose(name string, end func(context.Context) error) {
	s.mustExist("OnMainClose")
	if !s.main().closers.AddFirst(&lifetime.Closer{Name: name, Close: end}) {
		_ = end(context.Background()) // Close has returned: there is no one to report to
	}
}

// Close stops the running calls, closes the forks and calls the OnClose functions, the
// newest first. If ctx ends before all have ended, the error names those that have not;
// a later Close waits for those and nothing else. What does not heed its end is given the
// executor's Grace, an Asker [DefaultGrace], and is named, too. A closed session runs no calls. Do not
// call Close from a tool or an Asker: it waits for both and would deadlock.
func (s *Session) Close(ctx context.Context) error {
	s.mustExist("Close")
	mustHaveContext("Close", ctx)
	if err := s.closers.BeginClose(ctx); err != nil {
		return err
	}
	defer s.closers.EndClose()
	defer s.notifications.end(s.mainNotifications()) // last, so that it has what ended just now
	running := s.batches.close()
	if s.parent != nil {
		s.parent.closers.Remove(s.closer)
	}
	errs := s.closers.Close(ctx)
	for _, b := range running {
		errs = append(errs, b.wait(ctx))
	}
	if s.parent == nil {
		asked, stop := context.WithTimeoutCause(ctx, DefaultGrace, ErrDetached)
		select {
		case <-goroutine.Go(s.line.Wait):
		case <-asked.Done():
			if s.line.Idle() {
				break
			}
			errs = append(errs, fmt.Errorf("an Asker that has not returned: %w", context.Cause(asked)))
		}
		stop()
		for _, name := range s.Detached() {
			errs = append(errs, fmt.Errorf("%w: %s", ErrDetached, name))
		}
	}
	return errors.Join(errs...)
}

// defaultSuspensionExpiry is how long the questions of a [Suspension] may be answered when
// [Suspending].Expiry is zero: a week.
const defaultSuspensionExpiry = 7 * 24 * time.Hour

// minSuspendKey is how many bytes a key has at least: as many as the hash.
//
// source: RFC 2104, section 3: shorter keys decrease the strength of HMAC.
const minSuspendKey = 32

// Suspending has a main session suspend calls instead of waiting for the user, and keep a
// journal of its calls. Key and Journal are required.
type Suspending struct {
	// Key signs each [Suspension] and each [JournalEntry]. It has at least 32 bytes from a
	// cryptographic source, and is the same in all processes that resume. It must not be
	// changed. A program that knows it can make approvals.
	Key []byte
	// Journal keeps the steps of each call, see [Journal].
	Journal Journal
	// Expiry is how long a question may be answered after it was asked first; 0 means
	// a week.
	Expiry time.Duration
	// Suggest is the destination of [SuspendedQuestion].Suggestions; empty means
	// [policy.SourceSession].
	Suggest policy.Source
}

// check returns why a session with the configuration cannot suspend calls, or nil.
func (s *Suspending) check(cfg *SessionConfig) error {
	switch {
	case s == nil:
		return nil
	case len(s.Key) < minSuspendKey:
		return fmt.Errorf("Suspend.Key has %d bytes; use %d or more from crypto/rand", len(s.Key), minSuspendKey)
	case s.Journal == nil:
		return errors.New("Suspend.Journal is nil; use NewFileJournal or a Journal of your own")
	case s.Expiry < 0:
		return fmt.Errorf("Suspend.Expiry is %v; use 0 for the default", s.Expiry)
	case cfg.ID == "":
		return errors.New("a session that suspends calls needs an ID, which its values and journal are bound to")
	}
	return nil
}

// expiry returns how long a question may be answered.
func (s *Suspending) expiry() time.Duration { return cmp.Or(s.Expiry, defaultSuspensionExpiry) }

// SetDir moves s to the directory dir, for calls whose decision begins after it returns. A
// call that is being decided or runs keeps its [Call.Dir], with all that it was decided by.
//
// Dir lies inside the working directories in force, with and without symbolic links, or is
// the directory that s was made in. Otherwise the error is [policy.ErrOutside]; it wraps
// [io/fs.ErrNotExist] if there is no such directory. A relative dir starts in the present one.
// After an error, nothing has changed.
//
//   - Dir takes the place of the session's own directory among the working directories. The
//     further ones stay. So a session that has moved may not go up again, except to where it
//     was made.
//   - Rules keep the anchors that they have where they were added, which is the former directory
//     for most. Deny and ask rules, those of the parents included, also hold as if they were
//     anchored on dir. Allow rules do not. A rule that is added from now on is anchored on dir.
//   - Forks made later begin in dir. Those that are there stay where they are, and keep their
//     directories.
//   - Cwd is dir, too.
//
// In a fork, dir also lies inside the directories of its parent, and the parent stays.
func (s *Session) SetDir(dir string) error {
	s.mustExist("SetDir")
	if dir == "" {
		return errors.New("working directory: the name is empty")
	}
	last, now, err := s.grants.move(dir)
	if err == nil {
		s.dirListeners.tell(last, now)
	}
	return err
}

// Chdir makes dir the [Session.Cwd], for calls whose decision begins after it returns. Rules and
// working directories stay as they are, and so does Dir: it is what a cd of the shell does, and a
// host that resumes a conversation. Dir lies inside the working directories in force, with and
// without symbolic links, otherwise the error is [policy.ErrOutside]; it wraps [io/fs.ErrNotExist]
// if there is no such directory. A relative dir starts in the present Cwd. A fork begins in its
// Dir, wherever its parent is.
func (s *Session) Chdir(dir string) error {
	s.mustExist("Chdir")
	last, now, err := s.grants.chdir(dir)
	if err == nil && last != now {
		s.dirListeners.tell(last, now)
	}
	return err
}

// OnChdir makes each Chdir and SetDir of s call f when Cwd has changed, with the directories
// before and after, on the goroutine of the change and before that returns. Several are called in
// the order of their first OnChdir. A second OnChdir of a name replaces the func of the
// first, and a nil func removes it. F may use the session, and may be called concurrently. A
// panic of f is one of the change, after the session has moved. A fork has its own funcs only.
func (s *Session) OnChdir(name string, f func(from, to string)) {
	s.mustExist("OnChdir")
	s.dirListeners.set(name, f)
}

// dirListeners are the funcs of OnChdir. The zero value is ready to use.
type dirListeners struct {
	mu   lock.Mutex
	list []dirListener // in the order of their first OnChdir; never written to
}

type dirListener struct {
	name  string
	moved func(from, to string)
}

// set adds or replaces a func. A nil func removes it.
func (l *dirListeners) set(name string, f func(from, to string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list) // tell may be reading the old ones
	at := slices.IndexFunc(list, func(d dirListener) bool { return d.name == name })
	switch {
	case f == nil && at >= 0:
		list = slices.Delete(list, at, at+1)
	case f == nil:
	case at >= 0:
		list[at].moved = f
	default:
		list = append(list, dirListener{name, f})
	}
	l.list = list
}

// tell calls the funcs. It holds no lock meanwhile.
func (l *dirListeners) tell(from, to string) {
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, d := range list {
		d.moved(from, to)
	}
}

type sessionKey struct{}

// mustHaveContext panics if ctx is nil. The caller is the exported function that was
// given ctx.
func mustHaveContext(caller string, ctx context.Context) { //nolint:revive // the context is what is checked
	if ctx == nil {
		panic("pegboard: " + caller + " with a nil context; use context.Background() if nothing cancels it")
	}
}

// WithSession returns a context that carries s, as the context of a tool does.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session that ctx carries.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok && s != nil
}
