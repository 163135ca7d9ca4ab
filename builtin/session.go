package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// NewSession returns the main session of the conversation, with what the tools of the set need
// beside cfg: hooks, and with [Options].Settings the directories, the permissions, and the files in which
// answers are saved. MCP servers begin to connect, and are closed with the session. It is called
// once for a set.
//
// With Settings, Permissions of cfg must be the zero value: rules of the program are
// [settings.Files].Flags, which deny rules of the user bind, too.
func (t *Set) NewSession(cfg pegboard.SessionConfig) (_ *pegboard.Session, err error) {
	if t.begun.Swap(true) {
		return nil, errors.New("builtin: a set has one session; make another set for another conversation")
	}
	hooked := []pegboard.Hooks{cfg.Hooks}
	if l := t.options.Settings; l != nil {
		if cfg.Permissions.Digest() != (policy.Permissions{}).Digest() {
			t.begun.Store(false) // nothing was made
			return nil, errors.New("builtin: the permissions are those of Settings; put the program's own rules into Files.Flags")
		}
		if cfg.Permissions, err = l.Permissions(); err != nil {
			return nil, fmt.Errorf("builtin: %w", err)
		}
		cfg.Dir, cfg.Home = cmp.Or(cfg.Dir, t.options.Files.Dir), cmp.Or(cfg.Home, t.options.Files.Home)
		if cfg.OnRemember == nil {
			cfg.OnRemember = t.options.Files.Save
		}
		cfg.Elicit = t.Hooks.Elicit(cfg.Elicit)
		hooked = append(hooked, t.Hooks.Hooks())
	}
	if t.Skills != nil {
		hooked = append(hooked, t.Skills.Hooks())
	}
	if t.has(Code) {
		hooked = append(hooked, code.Diagnostics(code.Options{}))
	}
	cfg.Hooks = pegboard.JoinHooks(hooked...)
	if t.has(Worktrees) {
		cfg = session.Prepare(cfg)
	}
	s, err := pegboard.NewSession(cfg)
	if err != nil {
		return nil, err
	}
	if err := t.begin(s); err != nil {
		return nil, errors.Join(fmt.Errorf("builtin: %w", err), s.Close(context.Background()))
	}
	return s, nil
}

// begin starts what belongs to the session.
func (t *Set) begin(s *pegboard.Session) error {
	if dir := t.state("background"); dir != "" {
		if err := background.Configure(s, background.Options{Dir: dir}); errors.Is(err, background.ErrCorrupt) {
			t.note(err)
		} else if err != nil {
			return err
		}
	}
	search := pegboard.SearchOptions{}
	var tools []pegboard.Tool
	if servers := t.options.Servers; len(servers) > 0 {
		t.Servers = mcp.Start(s, t.Registry, t.options.MCP, servers...)
		search, tools = t.Servers.Search(), t.Servers.Tools()
	}
	return t.Registry.Add(append(tools, pegboard.ToolSearch(search))...)
}

// invoke calls a tool of a server for a hook.
func (t *Set) invoke(ctx context.Context, server, tool string, input json.RawMessage) (*pegboard.Result, error) {
	if t.Servers == nil {
		return nil, fmt.Errorf("there is no MCP server %s", server)
	}
	return t.Servers.Invoke(ctx, server, tool, input)
}

// Pool returns the tools that s may use in its next request, after it has applied what the MCP
// servers have changed.
func (t *Set) Pool(ctx context.Context, s *pegboard.Session) *pegboard.Pool {
	if t.Servers != nil {
		t.Servers.Sync(ctx)
	}
	return t.Registry.AssemblePool(s, t.Config)
}

// told is what the model of one session knows of deferred tools and of skills.
type told struct {
	mu             sync.Mutex
	tools, skilled []string
}

// keyTold is each session's own: another agent has another conversation.
var keyTold = pegboard.NewClonedKey("builtin: told", func(*told) *told { return new(told) })

// News returns what the model that uses p has to read with its next request: the notifications of
// its session, and the deferred tools and skills that it has not been told of.
func (t *Set) News(p *pegboard.Pool) []pegboard.Part {
	s := p.Session()
	parts := s.Notifications()
	k := keyTold.GetOrInit(s, func() *told { return new(told) })
	k.mu.Lock()
	defer k.mu.Unlock()
	var texts [2]string
	texts[0], k.tools = p.Announce(k.tools)
	if t.Skills != nil {
		texts[1], k.skilled = t.Skills.Announce(p, k.skilled)
	}
	for _, text := range texts {
		if text != "" {
			parts = append(parts, pegboard.Part{Text: text})
		}
	}
	return parts
}

// Compacted says that the conversation of s was replaced by a summary: the next [Set.News] tells
// of all tools and skills again, and the model has to read a file before it edits it. It returns
// the texts of the skills in use, which belong behind the summary.
func (t *Set) Compacted(s *pegboard.Session) []pegboard.Part {
	keyTold.Set(s, new(told))
	files.Forget(s)
	if t.Skills == nil {
		return nil
	}
	return t.Skills.Carry(s)
}
