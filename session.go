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
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
	"github.com/seed49eaa51d/pegboard/internal/state"
)

// SessionConfig describes a session. The zero value is a main session in the
// current directory with nothing allowed and nobody to ask.
type SessionConfig struct {
	ID          string // for logs and hooks; may be empty
	Role        Role
	AgentID     string   // empty for the main agent
	AgentType   string   // the name of the agent's definition
	CustomAgent bool     // AgentType is the user's own, not one the host ships
	Dir         string   // working directory; empty means the process's, or the parent's
	MoreDirs    []string // further working directories
	Home        string   // what ~ means in paths and rules; empty means the user's, or the parent's
	// Platform is whose spelling of paths holds; zero means the one that the
	// program runs on. Under another's, a path that does not exist here is asked
	// about, since nobody can tell where it leads.
	Platform    Platform
	Permissions Permissions
	Hooks       Hooks

	// Approvers are asked first what a person would have to answer, one after the other:
	// what a coordinator or another program knows. One that abstains or fails leaves
	// the question to the next. Those of a fork come after its parent's, and neither
	// allow nor change the permissions.
	Approvers []Asker
	// Ask reaches the person. Nil, or NoPrompts: what nobody else settles is denied,
	// with [ErrNoApprover]. A fork asks whom its parent asks.
	Ask       Asker
	NoPrompts bool // for an agent that must not disturb, and all it forks
	// PromptDelay is how long the permission hook and the classifier have a question to
	// themselves before the person is asked beside them, and the first decision wins.
	// 0 means [DefaultPromptDelay], a negative value at once. Once both abstain, the
	// person is asked in any case.
	PromptDelay time.Duration
	// AskTimeout is how long the person may take from the moment that a question is
	// shown; 0 means as long as it takes. Then the call is denied with [ErrExpired]. A
	// fork can only shorten it.
	AskTimeout time.Duration
	// OnRemember is given what answers want remembered, after it has taken effect. It sees
	// to the destinations that outlive the session. Nil saves nothing. It may be
	// called concurrently; the call that was asked about waits for it. ModeBypass is
	// never among the updates. A fork's answers go to the main session's.
	OnRemember func(ctx context.Context, updates []PermissionUpdate) error

	// Classifier answers in ModeAuto what no rule settles; nil means
	// [ClassifyByTargets].
	Classifier Classifier
	Breaker    BreakerLimits

	// Results keeps the results that are too long to be shown; nil means a temporary
	// directory that ends with the main session. A fork has its parent's.
	Results ResultStore
	// Limits say how much of results the model is shown. The zero Limits of a fork are
	// its parent's.
	Limits ResultLimits
	// TrimState is what Session.TrimState returned when the conversation was left.
	TrimState json.RawMessage
}

// A Session says on whose behalf calls run. It owns policy and state: the role,
// the directories, the permissions, the hooks, the person to ask, and what the
// host and tools keep in it.
//
// # Concurrency
//
//  1. All methods may be called concurrently.
//  2. SetPermissions takes effect for every decision that begins after it
//     returns, in this session and in its forks.
//  3. Close may be called more than once; calls still running are cancelled.
type Session struct {
	cfg      SessionConfig
	parent   *Session
	loops    *breaker.Breaker
	home     string // of the user; empty if there is none
	platform pattern.Platform
	work     []workDir
	line     *asking.Line[*pending, Decision] // of the main session and all its forks
	values   *state.Scope
	owned    *lifetime.Closers
	item     *lifetime.Closer // what s is to its parent

	detached lane.Abandoned            // of the main session, for all its forks
	readable atomic.Pointer[[]workDir] // of the main session

	updating sync.Mutex // one change of the permissions at a time

	trimming sync.Mutex        // guards trimmed
	trimmed  *resulttrim.State // see Trim

	perms  atomic.Pointer[Permissions] // its own; written with mu held
	blocks blocks

	mu      sync.Mutex // guards all below
	joined  joined
	running []*lease // in no order
	loaded  []string // tools, see Loaded
	seen    []string // those of which the model knows the definition
	closed  bool
}

// joined is what was last made of a session's own permissions and its parent's.
type joined struct{ own, parent, both *Permissions }

// NewSession returns a session. It fails if a directory does not exist. Close
// it when the conversation ends.
func NewSession(cfg SessionConfig) (*Session, error) {
	if cfg.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("working directory: %w", err)
		}
		cfg.Dir = dir
	}
	cfg.Hooks = cfg.Hooks.guarded()
	s := &Session{cfg: cfg, loops: breaker.New(breaker.Limits(cfg.Breaker)), line: asking.NewLine[*pending, Decision](), values: state.New(), owned: lifetime.NewClosers()}
	if err := s.setDirs(); err != nil {
		return nil, err
	}
	s.perms.Store(cfg.Permissions.in(s))
	if err := s.keepResults(nil); err != nil {
		return nil, err
	}
	return s, nil
}

// Fork returns a session for a sub-agent, which can only be narrower. Rules and
// hooks of s stay in force beneath those of cfg, whose hooks can refuse and ask
// but not allow; an empty field inherits. It is an error if cfg allows what s does not: an allow rule, a
// laxer mode, a directory outside.
func (s *Session) Fork(cfg SessionConfig) (*Session, error) {
	if cfg.Role == RoleMain || cfg.Role == RoleCoordinator {
		return nil, fmt.Errorf("a fork cannot take the role %v; use NewSession", cfg.Role)
	}
	switch {
	case cfg.Dir == "":
		cfg.Dir = s.cfg.Dir
	case !filepath.IsAbs(cfg.Dir):
		cfg.Dir = filepath.Join(s.cfg.Dir, cfg.Dir)
	}
	if cfg.MoreDirs == nil {
		cfg.MoreDirs = s.cfg.MoreDirs
	}
	cfg.ID, cfg.Home, cfg.Platform = cmp.Or(cfg.ID, s.cfg.ID), s.home, s.cfg.Platform
	if cfg.Classifier != nil {
		return nil, errors.New("a fork has its parent's classifier; leave Classifier empty")
	}
	cfg.Classifier = s.cfg.Classifier
	if cfg.Ask != nil {
		return nil, errors.New("a fork asks whom its parent asks; leave Ask empty")
	}
	if cfg.OnRemember != nil {
		return nil, errors.New("a fork's answers are saved by its parent; leave Save empty")
	}
	cfg.Ask, cfg.NoPrompts = s.cfg.Ask, cfg.NoPrompts || s.cfg.NoPrompts
	cfg.PromptDelay = cmp.Or(cfg.PromptDelay, s.cfg.PromptDelay)
	if limit := s.cfg.AskTimeout; cfg.AskTimeout <= 0 || limit > 0 && limit < cfg.AskTimeout {
		cfg.AskTimeout = limit
	}
	cfg.Approvers = slices.Concat(s.cfg.Approvers, narrowingAll(cfg.Approvers))
	cfg.Hooks = JoinHooks(s.cfg.Hooks, cfg.Hooks.narrowing()) // which guards them
	if cfg.Breaker == (BreakerLimits{}) {
		cfg.Breaker = s.cfg.Breaker
	}
	child := &Session{cfg: cfg, parent: s, loops: breaker.New(breaker.Limits(cfg.Breaker)), line: s.line, values: s.values.Fork(cfg.Role.background()), owned: lifetime.NewClosers()}
	if err := child.setDirs(); err != nil {
		return nil, err
	}
	child.perms.Store(cfg.Permissions.in(child))
	if err := child.keepResults(s); err != nil {
		return nil, err
	}
	for _, d := range child.work {
		if !within(s.work, d.spelled) || !within(s.work, d.real) {
			return nil, fmt.Errorf("directory %s is outside the parent's working directories", d.spelled)
		}
	}
	if err := s.Permissions().admits(cfg.Permissions); err != nil {
		return nil, err
	}
	child.item = &lifetime.Closer{Name: "agent " + cfg.AgentID, Close: child.Close, Interrupt: child.Interrupt}
	if !s.owned.Add(child.item) {
		return nil, ErrClosed
	}
	return child, nil
}

// ID returns the session's id.
func (s *Session) ID() string { return s.cfg.ID }

// Role returns the session's role.
func (s *Session) Role() Role { return s.cfg.Role }

// AgentID returns the agent's id, which is empty for the main agent.
func (s *Session) AgentID() string { return s.cfg.AgentID }

// AgentType returns the agent's type.
func (s *Session) AgentType() string { return s.cfg.AgentType }

// Dir returns the working directory, absolute.
func (s *Session) Dir() string { return s.cfg.Dir }

// Home returns what ~ means, or nothing if that is not known.
func (s *Session) Home() string { return s.home }

// Permissions returns the permissions in force: those of the session, cut to
// what its parents permit now.
func (s *Session) Permissions() Permissions { return *s.permissions() }

func (s *Session) permissions() *Permissions {
	if s.parent == nil {
		return s.perms.Load()
	}
	parent := s.parent.permissions()
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.perms.Load()
	if s.joined.both == nil || s.joined.own != own || s.joined.parent != parent {
		both := parent.narrowed(*own)
		s.joined = joined{own: own, parent: parent, both: &both}
	}
	return s.joined.both
}

// OnClose hands the session something to end: a process, a task, a watch. name
// is what Close calls it if it cannot be ended. When the session is closed
// already, end is called at once.
func (s *Session) OnClose(name string, end func(context.Context) error) {
	if !s.owned.Add(&lifetime.Closer{Name: name, Close: end}) {
		_ = end(context.Background()) // Close has reported already; there is nobody left to tell
	}
}

// Close stops the session's running calls, closes its forks and ends all that
// OnClose was given, the newest first. It returns an error that names what did
// not end before ctx did; a second Close waits for that, and for nothing else. A
// closed session runs no more calls. Close must not be called from within a call
// of the session, or by who is asked, which it would wait for.
func (s *Session) Close(ctx context.Context) error {
	if err := s.owned.BeginClose(ctx); err != nil {
		return err
	}
	defer s.owned.EndClose()
	leases := s.shut()
	if s.parent != nil {
		s.parent.owned.Remove(s.item)
	}
	errs := s.owned.Close(ctx)
	for _, l := range leases {
		errs = append(errs, l.wait(ctx))
	}
	if s.parent == nil {
		select {
		case <-goroutine.Go(s.line.Wait):
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("who was asked and has not returned: %w", context.Cause(ctx)))
		}
		for _, name := range s.Detached() {
			errs = append(errs, fmt.Errorf("%w: %s", ErrDetached, name))
		}
	}
	return errors.Join(errs...)
}

// main returns the session that s was forked from in the end, or s.
func (s *Session) main() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}
