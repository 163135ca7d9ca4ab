package session

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// A conversation is what all agents of a conversation share about worktrees.
type conversation struct {
	home string // directory in which its main session was made
	top  string // of the working tree that home is in, without links; home without one

	trees worktree.Trees

	mu     sync.Mutex
	fences map[string]*treefence.Fence   // by the path of the worktree
	made   map[string]time.Time          // when EnterWorktree has made them, by their paths
	held   map[string]*worktree.Worktree // in use for sessions that the host has moved there, by their paths; nil if not to be taken
}

// conversations are those whose sessions Prepare has prepared.
var conversations = pegboard.NewKey[*conversation]("worktrees")

func newConversation(home string) *conversation {
	c := &conversation{home: home, top: worktree.Top(home), fences: map[string]*treefence.Fence{}, made: map[string]time.Time{}, held: map[string]*worktree.Worktree{}}
	if c.top == "" {
		c.top = realpath.Resolve(home)
	}
	return c
}

// fence returns a fence around a worktree that was made from main. The checkout of the
// conversation is behind it as well, if main is another one.
func (c *conversation) fence(f treefence.Fence) *treefence.Fence {
	f.Owner = ownerName
	if f.Main != c.top && f.Path != c.top {
		f.More = []string{c.top}
	}
	return &f
}

// add puts a fence around a worktree. Made says that EnterWorktree has made it.
func (c *conversation) add(f *treefence.Fence, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fences[f.Path], c.held[f.Path] = f, nil
	if made {
		c.made[f.Path] = time.Now()
	}
}

// forget is called when a worktree was removed.
func (c *conversation) forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fences, path)
	delete(c.made, path)
	delete(c.held, path)
}

// madeAt returns when EnterWorktree has made a worktree, and false if it has not.
func (c *conversation) madeAt(path string) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.made[path]
	return at, ok
}

// around returns the fence around the worktree that a directory is in, or nil if it is in none.
func (c *conversation) around(dir string) *treefence.Fence {
	if dir == c.home {
		return nil
	}
	real := realpath.Resolve(dir)
	if f := c.known(real); f != nil {
		return f
	}
	l, err := worktree.Find(real)
	if err != nil || l.Path == c.top {
		return nil
	}
	f := c.fence(treefence.Fence{Path: l.Path, Dir: real, Main: c.top, Common: l.Common, IsWhole: l.IsWhole})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fences[l.Path] == nil {
		c.fences[l.Path] = f
	}
	return c.fences[l.Path]
}

// repeatRules gives a session that works in dir the deny and ask rules about the checkout for the
// worktree around it, too.
func (c *conversation) repeatRules(s *pegboard.Session, f *treefence.Fence, dir string) error {
	spelled := f.SpelledMain(c.home)
	anchor, ok := f.InTree(realpath.Resolve(c.home))
	if !ok || anchor == realpath.Resolve(dir) {
		anchor = "" // SetDir has seen to it
	}
	// The rules of the parents count as well, which are not among those of a change.
	missing := func() []policy.RuleSet {
		return f.Missing(s.Permissions().Rules(), anchor, s.Home(), spelled)
	}
	if len(missing()) == 0 {
		return nil
	}
	return s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.WithRules(missing()...)
	})
}

// hold takes the worktree into use that the host has moved s to, so that no Clean removes it. It
// is given up when s leaves it or ends. What is in use already stays as it is.
func (c *conversation) hold(ctx context.Context, s *pegboard.Session) {
	dir := s.Dir()
	f := c.around(dir)
	if f == nil || !c.toHold(f.Path) {
		return
	}
	tree, err := c.trees.Enter(ctx, worktree.Request{Dir: c.home}, f.Path)
	if err != nil {
		return // it is no worktree of the checkout, or another agent or program works in it
	}
	c.mu.Lock()
	c.held[tree.Path] = tree
	c.mu.Unlock()
	name := "worktree " + tree.Path
	s.OnChdir(name, func(string, string) {
		if !realpath.Contains(tree.Path, realpath.Resolve(s.Dir())) {
			s.OnChdir(name, nil)
			_ = c.giveUp(tree.Path)
		}
	})
	s.OnClose(name, func(context.Context) error { return c.giveUp(tree.Path) })
	if s.Dir() != dir { // it has left before the func was there
		_ = c.giveUp(tree.Path)
	}
}

// toHold reports whether a worktree is to be taken into use for a session that is in it. It is
// tried once, and not while EnterWorktree has it in use.
func (c *conversation) toHold(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, tried := c.held[path]; tried {
		return false
	}
	c.held[path] = nil
	return true
}

// giveUp ends what hold has begun. It is also called when EnterWorktree no longer has the worktree
// in use: other agents may be there still, and hold it with their next call.
func (c *conversation) giveUp(path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	tree := c.held[path]
	delete(c.held, path)
	if tree == nil {
		return nil
	}
	return tree.Keep()
}

// ownerName is the name of the checkout for a session that has left it.
const ownerName = "the checkout that this session has left"

// known returns the innermost fence that a directory is behind, or nil.
func (c *conversation) known(real string) (found *treefence.Fence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, f := range c.fences {
		if realpath.Contains(path, real) && (found == nil || strings.HasPrefix(path, found.Path)) {
			found = f
		}
	}
	return found
}

// isThere reports whether a directory is there.
func isThere(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
