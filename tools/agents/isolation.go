package agents

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// An isolation keeps an agent that has a worktree of its own from the checkout of its caller.
type isolation struct {
	tree   *worktree.Worktree
	fence  *treefence.Fence
	caller *pegboard.Session
	dir    string                           // working directory of the caller, as it is spelled
	own    atomic.Pointer[pegboard.Session] // of the agent; nil before its first call
	told   atomic.Pointer[[]policy.Rule]    // rules of the caller that the agent's session has for the worktree
	notes  []string
	logger *slog.Logger
	done   chan struct{} // closed when the worktree was given up
}

// finishWait is how long it may take to see whether a worktree has changed, and to remove it.
// When the agent was stopped, only the Close of the caller's session waits for it.
const finishWait = time.Minute

// place returns where the agent works.
func (i *isolation) place(s *pegboard.Session) place {
	i.waitAtClose(s)
	rules := s.Permissions().Rules()
	i.told.Store(&rules)
	return place{
		dir: i.tree.Dir, moreDirs: i.moreDirs(s), rules: i.rules(s, rules), words: i.words(), release: i.release,
		hooks: pegboard.Hooks{Pre: i.decide, OnFailure: pegboard.FailBlock},
	}
}

// waitAtClose makes Close of the caller's session wait until the worktree is given up.
func (i *isolation) waitAtClose(s *pegboard.Session) {
	var registered atomic.Bool
	s.OnClose("worktree "+i.tree.Path, func(ctx context.Context) error {
		if !registered.Load() {
			return nil // s is closed already, and no agent will be started
		}
		select {
		case <-i.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	registered.Store(true)
}

// words tell the agent where it is.
func (i *isolation) words() string {
	text := fmt.Sprintf("You work in a git worktree of your own: %s, on the branch %s, which begins at %s. Change files there only. %s is the checkout of your caller; nothing is written there. Commit what should be kept.", i.tree.Dir, i.tree.Branch, i.tree.Base, i.tree.Main)
	if len(i.tree.Included) > 0 {
		text += fmt.Sprintf(" %d files that git ignores were copied from there, as .worktreeinclude says.", len(i.tree.Included))
	}
	if len(i.tree.Skipped) > 0 {
		text += " Not copied: " + strings.Join(i.tree.Skipped, "; ") + "."
	}
	return text
}

// moreDirs returns the further working directories of the caller: those in the checkout as
// they are in the worktree.
func (i *isolation) moreDirs(s *pegboard.Session) []string {
	dirs := []string{}
	for _, dir := range s.Dirs()[1:] {
		real := realpath.Resolve(dir)
		switch at, ok := i.fence.InTree(real); {
		case !ok && !realpath.Contains(real, i.tree.Main):
			dirs = append(dirs, dir)
		case ok && realpath.Resolve(at) == at && realpath.MayExist(at) && !slices.Contains(dirs, at):
			dirs = append(dirs, at)
		}
	}
	return dirs
}

// rules returns those of rules that deny and ask once more. A fork anchors its own rules
// at its own directory, so these are about the worktree; those of the caller stay in force as
// they are.
func (i *isolation) rules(s *pegboard.Session, rules []policy.Rule) []policy.RuleSet {
	return i.fence.Rules(rules, s.Home(), i.fence.SpelledMain(i.dir))
}

// follow gives the agent's session the rules that the caller got since.
func (i *isolation) follow(s *pegboard.Session) error {
	if len(s.AgentPath()) == len(i.caller.AgentPath())+1 {
		i.own.Store(s)
	}
	own, told, rules := i.own.Load(), *i.told.Load(), i.caller.Permissions().Rules()
	if own == nil || slices.EqualFunc(told, rules, treefence.SameText) {
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(rules), func(r policy.Rule) bool {
		return slices.ContainsFunc(told, func(old policy.Rule) bool { return treefence.SameText(old, r) })
	})
	if sets := i.rules(i.caller, added); len(sets) > 0 {
		err := own.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithRules(sets...) })
		if err != nil {
			return err
		}
	}
	i.told.Store(&rules)
	return nil
}

// decide is the hook that denies calls which would change the checkout, or might. The agent's
// own allow rules, and a mode that allows everything, do not reach around it.
func (i *isolation) decide(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
	if err := i.follow(h.Call.Session()); err != nil {
		return policy.Decision{}, err
	}
	if reason := i.fence.Refusal(h); reason != "" {
		return policy.Decision{Behavior: policy.Deny, Reason: reason}, nil
	}
	return policy.Decision{}, nil
}

// release gives the worktree up when the agent has ended.
func (i *isolation) release(ctx context.Context, r *Result) {
	defer close(i.done)
	ctx, cancel := context.WithTimeout(ctx, finishWait)
	defer cancel()
	e, err := i.tree.Finish(ctx)
	if err != nil {
		i.logger.Warn("the worktree of an agent was not removed", "path", e.Path, "error", err)
	}
	r.Notes = append(r.Notes, i.notes...)
	if e.Kept {
		r.WorktreePath, r.WorktreeBranch = e.Path, e.Branch
		r.Notes = append(r.Notes, fmt.Sprintf("Its worktree was kept, since %s: %s on the branch %s.", e.Reason, e.Path, e.Branch))
	}
}

// A place is where an agent works.
type place struct {
	dir      string           // as SessionConfig.Dir of the fork
	moreDirs []string         // as SessionConfig.MoreDirs of the fork; nil means the caller's
	rules    []policy.RuleSet // deny and ask rules in addition to those of the parents
	hooks    pegboard.Hooks   // in addition to those of the parents
	words    string           // that the agent reads before its task; empty means none
	// release gives the place up when the agent's session is closed, and may write to the
	// result. Nil means that there is nothing to give up. It returns soon after ctx has ended.
	release func(ctx context.Context, r *Result)
}
