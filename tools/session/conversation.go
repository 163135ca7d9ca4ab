package session

import (
	"os"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// A conversation is what all agents of a conversation share about worktrees.
type conversation struct {
	home string // directory in which its main session was made
	top  string // of the working tree that home is in, without links; home without one

	mu     sync.Mutex
	fences map[string]*treefence.Fence // by the path of the worktree
	made   map[string]bool             // the paths that EnterWorktree has made
}

// conversations are those whose sessions Prepare has prepared.
var conversations = pegboard.NewKey[*conversation]("worktrees")

func newConversation(home string) *conversation {
	c := &conversation{home: home, top: worktree.Top(home), fences: map[string]*treefence.Fence{}, made: map[string]bool{}}
	if c.top == "" {
		c.top = realpath.Resolve(home)
	}
	return c
}

// add puts a fence around a worktree. Made says that EnterWorktree has made it.
func (c *conversation) add(f *treefence.Fence, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fences[f.Path] = f
	c.made[f.Path] = made || c.made[f.Path]
}

// forget is called when a worktree was removed.
func (c *conversation) forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fences, path)
	delete(c.made, path)
}

func (c *conversation) hasMade(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[path]
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
	f := &treefence.Fence{Path: l.Path, Dir: real, Main: c.top, Common: l.Common, Owner: ownerName, IsWhole: l.IsWhole}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fences[l.Path] == nil {
		c.fences[l.Path] = f
	}
	return c.fences[l.Path]
}

// ownerName is what the checkout is called for a session that has left it.
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
