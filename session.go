package pegboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Role is the kind of agent that tools run for.
type Role int

// The roles.
const (
	Main        Role = iota // the conversation with the user
	SubAgent                // its caller waits for it
	AsyncAgent              // in the background
	Teammate                // an async agent that talks with others
	Coordinator             // a main agent that only directs others
)

// String returns the role as it stands in messages.
func (r Role) String() string {
	return nameOf(int(r), "main", "sub-agent", "async agent", "teammate", "coordinator")
}

// background reports whether nobody waits for an agent of this role.
func (r Role) background() bool { return r == AsyncAgent || r == Teammate }

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

	// Checks are asked first what a person would have to answer, one after the other:
	// what a coordinator or another program knows. One that abstains or fails leaves
	// the question to the next. Those of a fork come after its parent's, and neither
	// allow nor change the permissions.
	Checks []Asker
	// Ask reaches the person. Nil, or NoPrompts: what nobody else settles is denied,
	// with [ErrNoApprover]. A fork asks whom its parent asks.
	Ask       Asker
	NoPrompts bool // for an agent that must not disturb, and all it forks
	// AskAfter is how long the permission hook and the classifier have a question to
	// themselves before the person is asked beside them, and the first decision wins.
	// 0 means [DefaultAskAfter], a negative value at once. Once both abstain, the
	// person is asked in any case.
	AskAfter time.Duration
	// AskTimeout is how long the person may take from the moment that a question is
	// shown; 0 means as long as it takes. Then the call is denied with [ErrExpired]. A
	// fork can only shorten it.
	AskTimeout time.Duration
	// Save is given what answers want remembered, after it has taken effect. It sees
	// to the destinations that outlive the session. Nil saves nothing. It may be
	// called concurrently; the call that was asked about waits for it. ModeBypass is
	// never among the updates. A fork's answers go to the main session's.
	Save func(ctx context.Context, updates []Update) error

	// Classifier answers in ModeAuto what no rule settles; nil means
	// [ClassifyByTargets].
	Classifier Classifier
	Breaker    BreakerLimits
}

// BreakerLimits say how many calls in a row are a sign that the model goes round
// in circles. For each, 0 means 3 and a negative number turns it off. Every agent
// counts for itself, from [Session.NewTurn] on.
type BreakerLimits struct {
	Errors  int // of one tool: its next call is asked about
	Repeats int // of the same call with the same result: it is asked about
	Denials int // of any calls: the turn should end, see Outcome.StopTurn
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
	closing  chan struct{}                    // holds a token while Close runs
	endings  []ending                         // of Close, what it gave up

	lentDirs atomic.Pointer[[]workDir] // of the main session

	updating sync.Mutex // one change of the permissions at a time

	mu       sync.Mutex // guards all below
	perms    *Permissions
	joined   joined
	blocks   blocks
	state    map[any]any
	making   map[any]*sync.Mutex // of Key.Once
	owned    []owned
	running  map[*lease]struct{}
	detached []*detached // of the main session, for all its forks
	closed   bool
}

type workDir struct{ spelled, real string }

// joined is what was last made of a session's own permissions and its parent's.
type joined struct{ own, parent, both *Permissions }

// owned is something Close has to end.
type owned struct {
	name string
	end  func(context.Context) error
	fork *Session // set if it is one
}

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
	s := &Session{cfg: cfg, loops: breaker.New(breaker.Limits(cfg.Breaker)), line: asking.New[*pending, Decision](), closing: make(chan struct{}, 1)}
	if err := s.setDirs(); err != nil {
		return nil, err
	}
	s.perms = cfg.Permissions.in(s)
	return s, nil
}

// Fork returns a session for a sub-agent, which can only be narrower. Rules and
// hooks of s stay in force beneath those of cfg, whose hooks can refuse and ask
// but not allow; an empty field inherits. It is an error if cfg allows what s does not: an allow rule, a
// laxer mode, a directory outside.
func (s *Session) Fork(cfg SessionConfig) (*Session, error) {
	if cfg.Role == Main || cfg.Role == Coordinator {
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
	if cfg.Save != nil {
		return nil, errors.New("a fork's answers are saved by its parent; leave Save empty")
	}
	cfg.Ask, cfg.NoPrompts = s.cfg.Ask, cfg.NoPrompts || s.cfg.NoPrompts
	cfg.AskAfter = cmp.Or(cfg.AskAfter, s.cfg.AskAfter)
	if limit := s.cfg.AskTimeout; cfg.AskTimeout <= 0 || limit > 0 && limit < cfg.AskTimeout {
		cfg.AskTimeout = limit
	}
	cfg.Checks = slices.Concat(s.cfg.Checks, narrowingAll(cfg.Checks))
	cfg.Hooks = JoinHooks(s.cfg.Hooks, cfg.Hooks.narrowing()) // which guards them
	if cfg.Breaker == (BreakerLimits{}) {
		cfg.Breaker = s.cfg.Breaker
	}
	child := &Session{cfg: cfg, parent: s, loops: breaker.New(breaker.Limits(cfg.Breaker)), line: s.line, closing: make(chan struct{}, 1), state: s.stateForFork()}
	if err := child.setDirs(); err != nil {
		return nil, err
	}
	child.perms = cfg.Permissions.in(child)
	for _, d := range child.work {
		if !within(s.work, d.spelled) || !within(s.work, d.real) {
			return nil, fmt.Errorf("directory %s is outside the parent's working directories", d.spelled)
		}
	}
	if err := s.Permissions().admits(cfg.Permissions); err != nil {
		return nil, err
	}
	if err := s.own(owned{"agent " + cfg.AgentID, child.Close, child}); err != nil {
		return nil, err
	}
	return child, nil
}

// locate returns the absolute spelling of a path and the place it leads to.
func (s *Session) locate(name string) (abs, real string) {
	abs = realpath.Abs(s.cfg.Dir, s.home, name)
	return abs, realpath.Resolve(abs)
}

// setDirs resolves the working directories.
func (s *Session) setDirs() error {
	if s.home = s.cfg.Home; s.home == "" {
		s.home, _ = os.UserHomeDir() // without one, "~" stands for itself
	}
	s.platform = s.cfg.Platform.pattern()
	for i, dir := range append([]string{s.cfg.Dir}, s.cfg.MoreDirs...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("working directory %s: %w", dir, err)
		}
		if fi, err := os.Stat(abs); err != nil {
			return fmt.Errorf("working directory: %w", err)
		} else if !fi.IsDir() {
			return fmt.Errorf("working directory %s: not a directory", dir)
		}
		if i == 0 {
			s.cfg.Dir = abs
		}
		s.work = append(s.work, workDir{spelled: abs, real: realpath.Resolve(abs)})
	}
	return nil
}

// bases are the places that the anchors of path rules stand on, under every
// spelling of the working directory.
func (s *Session) bases() []pattern.Base {
	d := s.work[0]
	home := ""
	if s.home != "" {
		home = realpath.Resolve(s.home)
	}
	bs := []pattern.Base{{Dir: d.spelled, Root: d.spelled, Home: s.home, Platform: s.platform}}
	if d.real != d.spelled || home != s.home {
		bs = append(bs, pattern.Base{Dir: d.real, Root: d.real, Home: home, Platform: s.platform})
	}
	return bs
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

// Dirs returns the working directories that the permissions in force name, the
// session's own first.
func (s *Session) Dirs() []string {
	var dirs []string
	for _, d := range s.permissions().work {
		dirs = append(dirs, d.spelled)
	}
	return dirs
}

// Lend lets all agents of the conversation read what lies below dir, an absolute
// path, as if it were inside a working directory: what a tool stored for the model
// to read on. Rules that deny or ask hold there as everywhere.
func (s *Session) Lend(dir string) {
	s = s.main()
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := append(slices.Clone(s.lent()), workDir{spelled: dir, real: realpath.Resolve(dir)})
	s.lentDirs.Store(&dirs)
}

// lent returns the directories that were lent. Nobody writes to it.
func (s *Session) lent() []workDir {
	if dirs := s.main().lentDirs.Load(); dirs != nil {
		return *dirs
	}
	return nil
}

// Home returns what ~ means, or nothing if that is not known.
func (s *Session) Home() string { return s.home }

// Permissions returns the permissions in force: those of the session, cut to
// what its parents permit now.
func (s *Session) Permissions() Permissions { return *s.permissions() }

func (s *Session) permissions() *Permissions {
	if s.parent == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.perms
	}
	parent := s.parent.permissions()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.joined.both == nil || s.joined.own != s.perms || s.joined.parent != parent {
		both := parent.narrowed(*s.perms)
		s.joined = joined{own: s.perms, parent: parent, both: &both}
	}
	return s.joined.both
}

// NewTurn tells the session that the user has spoken: calls before that are in a
// row with none after it.
func (s *Session) NewTurn() { s.loops.NewTurn() }

// OnClose hands the session something to end: a process, a task, a watch. name
// is what Close calls it if it cannot be ended. When the session is closed
// already, end is called at once.
func (s *Session) OnClose(name string, end func(context.Context) error) {
	if s.own(owned{name: name, end: end}) != nil {
		_ = end(context.Background()) // Close has reported already; there is nobody left to tell
	}
}

func (s *Session) own(o owned) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.owned = append(s.owned, o)
	return nil
}

// disown forgets a fork that was closed on its own.
func (s *Session) disown(fork *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owned = slices.DeleteFunc(s.owned, func(o owned) bool { return o.fork == fork })
}

// Close stops the session's running calls, closes its forks and ends all that
// OnClose was given, the newest first. It returns an error that names what did
// not end before ctx did; a second Close waits for that, and for nothing else. A
// closed session runs no more calls. Close must not be called from within a call
// of the session, or by who is asked, which it would wait for.
func (s *Session) Close(ctx context.Context) error {
	select {
	case s.closing <- struct{}{}:
		defer func() { <-s.closing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	s.closed = true
	leases := slices.Collect(maps.Keys(s.running))
	for _, l := range leases {
		if l.ended == nil {
			l.ended = make(chan struct{})
		}
	}
	list := s.owned
	s.owned = nil
	s.mu.Unlock()

	if s.parent != nil {
		s.parent.disown(s)
	}
	for _, l := range leases {
		l.stop(ErrClosed)
	}
	errs := s.end(ctx, list)
	for _, l := range leases {
		select {
		case <-l.ended:
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("calls still running: %w", context.Cause(ctx)))
		}
	}
	if s.parent == nil {
		select {
		case <-lane.Go(s.line.Wait):
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("who was asked and has not returned: %w", context.Cause(ctx)))
		}
		for _, name := range s.Detached() {
			errs = append(errs, fmt.Errorf("%w: %s", ErrDetached, name))
		}
	}
	return errors.Join(errs...)
}

// ending is something that was told to end.
type ending struct {
	name   string
	result <-chan error // how its goroutine ended
	err    *error       // what it returned, once it has
}

// end ends the newest first, and gives up what does not heed ctx. What was given
// up before is waited for first. The lock of Close is held.
func (s *Session) end(ctx context.Context, list []owned) (errs []error) {
	var left []ending
	wait := func(e ending) {
		select {
		case crash := <-e.result:
			if err := errors.Join(*e.err, crash); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
			}
		case <-ctx.Done():
			left = append(left, e)
			errs = append(errs, fmt.Errorf("%s: %w", e.name, context.Cause(ctx)))
		}
	}
	for _, e := range s.endings {
		wait(e)
	}
	for _, o := range slices.Backward(list) {
		var err error
		result := lane.Go(func() { err = o.end(ctx) })
		wait(ending{o.name, result, &err})
	}
	s.endings = left
	return errs
}
