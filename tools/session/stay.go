package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// A stay is the use of a worktree by a session. The zero value says that it is in none.
type stay struct {
	mu sync.Mutex
	stayFacts
	guarded bool // the hook of Prepare has seen a call of the session
	closes  bool // the end of the session ends the stay
}

// The stayFacts are those of one stay.
type stayFacts struct {
	tree   *worktree.Worktree // nil if git has not made it, or if the session is in none
	path   string             // of the worktree; empty if the session is in none
	dir    string             // in the worktree
	branch string
	home   string // where the session came from
	added  string // a working directory that the session has because of the stay
}

// stays are those of the sessions. A fork has one of its own.
var stays = pegboard.NewClonedKey("worktree of a session", func(*stay) *stay { return &stay{} })

func stayOf(s *pegboard.Session) *stay { return stays.GetOrInit(s, func() *stay { return &stay{} }) }

// begin moves a session to a worktree. If it fails, the session is where it was.
func (y *stay) begin(s *pegboard.Session, c *conversation, around *treefence.Fence, f stayFacts) error {
	f.home = s.Dir()
	if err := c.repeatRules(s, around, f.dir); err != nil {
		return err
	}
	err := s.SetDir(f.dir)
	if errors.Is(err, policy.ErrOutside) {
		if err = changeDirectories(s, policy.AddDirectories, f.path); err != nil {
			return err
		}
		if f.added = f.path; s.SetDir(f.dir) == nil {
			err = nil
		} else {
			err = errors.Join(s.SetDir(f.dir), changeDirectories(s, policy.RemoveDirectories, f.path))
		}
	}
	if err != nil {
		return err
	}
	y.stayFacts = f
	if !y.closes {
		y.closes = true
		s.OnClose("worktree", func(context.Context) error {
			y.mu.Lock()
			defer y.mu.Unlock()
			return y.release()
		})
	}
	return nil
}

// release gives the worktree up and leaves it as it is.
func (y *stay) release() error {
	if y.tree == nil {
		return nil
	}
	return y.tree.Keep()
}

// end moves the session back, and forgets the stay. The worktree must be given up by the caller.
func (y *stay) end(s *pegboard.Session) (home string, err error) {
	home = y.home
	if !isThere(home) {
		return "", fmt.Errorf("%s, where the session came from, is gone", home)
	}
	if err := s.SetDir(home); err != nil {
		return "", err
	}
	if y.added != "" {
		err = changeDirectories(s, policy.RemoveDirectories, y.added)
	}
	y.stayFacts = stayFacts{}
	return home, err
}

// changeDirectories adds or removes a further working directory.
func changeDirectories(s *pegboard.Session, change policy.UpdateType, dir string) error {
	return s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.Apply(policy.Update{Type: change, Directories: []string{dir}, Destination: policy.SourceSession})
	})
}
