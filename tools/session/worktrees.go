package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// worktrees are the tools EnterWorktree and ExitWorktree of a host.
type worktrees struct {
	options WorktreeOptions
	trees   worktree.Trees
}

// isOffered reports whether the session was prepared.
func isOffered(s *pegboard.Session) bool {
	if s == nil {
		return true
	}
	_, ok := conversations.Get(s)
	return ok
}

// lock returns the state on which a call of the tools works. The caller unlocks the stay.
func lock(c *pegboard.Call) (*pegboard.Session, *conversation, *stay, error) {
	s := c.Session()
	if s == nil {
		return nil, nil, nil, errors.New("worktrees are entered by calls of an executor only")
	}
	all, ok := conversations.Get(s)
	y := stayOf(s)
	y.mu.Lock()
	if !ok || !y.guarded {
		y.mu.Unlock()
		return nil, nil, nil, errors.New("the host has not prepared this session for worktrees, so that nothing would keep calls from the checkout. Work where you are, or tell the user")
	}
	return s, all, y, nil
}

// ask calls a function of the host.
func ask(ctx context.Context, what string, f func() error) error {
	var err error
	done := goroutine.Go(func() { err = f() })
	select {
	case crash := <-done:
		if crash != nil {
			return fmt.Errorf("%s: %w", what, crash)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
}

// An enterInput is the input of EnterWorktree.
type enterInput struct {
	Name string `json:"name,omitempty" jsonschema:"maxLength=64" jsonschema_description:"The name of the new worktree: letters, digits, dots, hyphens and underscores, a letter or digit first. Default: a name that is free."`
	Path string `json:"path,omitempty" jsonschema_description:"The path of a worktree of this repository that is there already, in place of a new one and of name"`
}

// EnteredWorktree is the Result.Data of EnterWorktree.
type EnteredWorktree struct {
	WorktreePath   string `json:"worktreePath"`
	WorktreeBranch string `json:"worktreeBranch,omitempty"` // empty if no branch is checked out, or if WorktreeOptions.Create has made it
	Message        string `json:"message"`
}

func (w *worktrees) enterTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[enterInput, EnteredWorktree]{
		Info: pegboard.Info{Name: enterWorktree, Title: "Enter worktree", Hint: "separate checkout of the git repository on a new branch"},
		Description: fmt.Sprintf("Moves this session into a worktree: %s. Use it when the user asks for a worktree, or for work that must not touch the checkout. Relative paths and commands start there afterwards, and nothing can be written in the checkout until you leave with ExitWorktree. "+
			"With path, the session enters a git worktree that is there already; the user is asked about one that is not below .claude/worktrees.", w.options.made()),
		Inspect: func(in enterInput, c *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Targets: []policy.Target{enterTarget(in, c)}}
		},
		Enabled: isOffered,
		Summary: func(in enterInput, _ *pegboard.Call) pegboard.Summary {
			what := strings.TrimRight("a worktree "+pegboard.OneLine(in.Name+in.Path), " ")
			return pegboard.Summary{Before: "Enter " + what, While: "Entering " + what}
		},
		Permit: func(context.Context, enterInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "a worktree changes nothing in the checkout"}
		},
		Validate: func(_ context.Context, in enterInput, _ *pegboard.Call) error {
			if in.Name != "" && in.Path != "" {
				return errors.New("name is for a new worktree and path for one that is there; give one of them")
			}
			return nil
		},
		Call: w.enter,
		Result: func(out EnteredWorktree) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line = out, "In the worktree "+filepath.Base(out.WorktreePath)
			return r
		},
	})
}

// made says what EnterWorktree makes, for the model.
func (o *WorktreeOptions) made() string {
	switch {
	case o.Create != nil:
		return "a directory that the host makes, apart from the checkout"
	case o.BaseRef == "head":
		return "a checkout of its own on a new branch, below .claude/worktrees. The branch begins at the commit that is checked out: changes that are not committed are not there"
	}
	return "a checkout of its own on a new branch, below .claude/worktrees. The branch begins at the default branch of the remote as it is known here, or without one at the commit that is checked out: other commits, and changes that are not committed, are not there"
}

// enterTarget returns the target of a call of EnterWorktree.
func enterTarget(in enterInput, c *pegboard.Call) policy.Target {
	if in.Path == "" {
		return policy.Target{Kind: policy.Resource, Value: "worktree " + in.Name}
	}
	t := policy.Target{Kind: policy.Path, Access: policy.Read, Value: in.Path}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Cwd(), path)
	}
	folder := filepath.Join(realpath.Resolve(c.Dir()), filepath.FromSlash(worktree.Folder))
	if real := realpath.Resolve(filepath.Clean(path)); real == folder || !realpath.Contains(folder, real) {
		t.AskReason = "the session would go to a worktree that is not below " + worktree.Folder
	}
	return t
}

// enter makes a worktree, or takes one that is there, and moves the session.
func (w *worktrees) enter(ctx context.Context, in enterInput, c *pegboard.Call) (EnteredWorktree, error) {
	s, all, y, err := lock(c)
	if err != nil {
		return EnteredWorktree{}, err
	}
	defer y.mu.Unlock()
	switch {
	case y.path != "":
		return EnteredWorktree{}, fmt.Errorf("the session is in the worktree %s already; leave it with ExitWorktree first", y.path)
	case s.Dir() != c.Dir():
		return EnteredWorktree{}, fmt.Errorf("the session has moved to %s meanwhile; make the call again", s.Dir())
	}
	name := in.Name
	if name == "" {
		name = "session-" + strings.ToLower(rand.Text()[:8])
	}
	if w.options.Create != nil && in.Path == "" {
		return w.enterMade(ctx, name, s, all, y)
	}
	tree, err := w.take(ctx, name, in, c, all)
	if err != nil {
		return EnteredWorktree{}, err
	}
	around := all.fence(treefence.Fence{Path: tree.Path, Dir: tree.Dir, Main: tree.Main, Common: tree.Common, IsWhole: tree.IsWhole})
	all.add(around, in.Path == "")
	err = y.begin(s, all, around, stayFacts{tree: tree, path: tree.Path, dir: tree.Dir, branch: tree.Branch})
	if err != nil {
		if in.Path != "" {
			return EnteredWorktree{}, errors.Join(err, tree.Keep(), all.giveUp(tree.Path))
		}
		all.forget(tree.Path)
		_, finishErr := tree.Finish(context.WithoutCancel(ctx))
		return EnteredWorktree{}, errors.Join(err, finishErr)
	}
	return EnteredWorktree{WorktreePath: tree.Path, WorktreeBranch: tree.Branch, Message: enterMessage(tree, in.Path == "")}, nil
}

// take makes a worktree, or takes the one of in.Path into use. Its error says what to do next.
func (w *worktrees) take(ctx context.Context, name string, in enterInput, c *pegboard.Call, all *conversation) (tree *worktree.Worktree, err error) {
	r := worktree.Request{Dir: c.Dir(), Name: name, Base: w.options.BaseRef}
	if in.Path != "" {
		real := c.Targets()[0].Real()
		if top := worktree.Top(real); top != "" {
			_ = all.giveUp(top) // this conversation may have it in use for another agent
		}
		tree, err = w.trees.Enter(ctx, r, real)
	} else {
		_, _ = w.trees.Clean(ctx, r.Dir) // the remains of killed programs; anything that is wrong shows next
		r.MayRead = treefence.MayRead(ctx, c.Session())
		tree, err = w.trees.Add(ctx, r)
	}
	switch {
	case errors.Is(err, worktree.ErrNoRepository):
		err = fmt.Errorf("%w; no worktree can be made or entered here, so work in %s", err, r.Dir)
	case errors.Is(err, worktree.ErrForeign):
		err = fmt.Errorf("%w; git worktree list names its worktrees", err)
	case errors.Is(err, worktree.ErrTaken) && in.Path != "":
		err = fmt.Errorf("%w; make one of your own, with a name or without", err)
	case errors.Is(err, worktree.ErrTaken):
		path := filepath.Join(realpath.Resolve(r.Dir), filepath.FromSlash(worktree.Folder), name)
		inUse := errors.Is(err, worktree.ErrInUse)
		err = fmt.Errorf("%w; take another name", err)
		if l, notTree := worktree.Find(path); notTree == nil && l.Path == path && !inUse {
			err = fmt.Errorf("%w, or enter it by the path %s", err, path)
		}
	}
	return tree, err
}

// enterMessage tells the model where it is.
func enterMessage(tree *worktree.Worktree, made bool) string {
	text := fmt.Sprintf("The session is in the worktree %s now", tree.Path)
	switch {
	case made:
		text += fmt.Sprintf(", on the new branch %s, which begins at %s", tree.Branch, tree.Base)
	case tree.Branch != "":
		text += ", on the branch " + tree.Branch
	}
	text += fmt.Sprintf(". Relative paths and commands start in %s. Change files there only: nothing is written in %s until you leave with ExitWorktree.", tree.Dir, tree.Main)
	if made {
		text += " What is not committed there is not here."
	}
	if len(tree.Included) > 0 {
		text += fmt.Sprintf(" %d files that git ignores were copied from there, as .worktreeinclude says.", len(tree.Included))
	}
	if len(tree.Skipped) > 0 {
		text += " Not copied: " + strings.Join(tree.Skipped, "; ") + "."
	}
	return text
}

// enterMade moves the session to a directory that the host makes.
func (w *worktrees) enterMade(ctx context.Context, name string, s *pegboard.Session, all *conversation, y *stay) (EnteredWorktree, error) {
	var path string
	if err := worktree.CheckName(name); err != nil {
		return EnteredWorktree{}, err
	}
	err := ask(ctx, "the host could not make the worktree", func() (err error) {
		path, err = w.options.Create(ctx, name)
		return err
	})
	if err != nil {
		return EnteredWorktree{}, err
	}
	if !filepath.IsAbs(path) || !isThere(path) {
		return EnteredWorktree{}, fmt.Errorf("the host has made no worktree: %q is not the absolute path of a directory", path)
	}
	path = realpath.Resolve(filepath.Clean(path))
	if realpath.Contains(path, all.top) {
		return EnteredWorktree{}, fmt.Errorf("the host has made no worktree: %s holds the checkout", path)
	}
	around := all.fence(treefence.Fence{Path: path, Dir: path, Main: all.top, IsWhole: func() bool { return true }})
	if l, err := worktree.Find(path); err == nil && l.Path == path {
		around.Common, around.IsWhole = l.Common, l.IsWhole
	}
	all.add(around, true)
	if err := y.begin(s, all, around, stayFacts{path: path, dir: path}); err != nil {
		return EnteredWorktree{}, err
	}
	return EnteredWorktree{WorktreePath: path, Message: fmt.Sprintf("The session is in the worktree %s now. Relative paths and commands start there. Change files there only: nothing is written in %s until you leave with ExitWorktree.", path, all.top)}, nil
}

// A leaveInput is the input of ExitWorktree.
type leaveInput struct {
	Action  string `json:"action" jsonschema:"enum=keep,enum=remove" jsonschema_description:"keep leaves the worktree and its branch as they are; remove deletes both"`
	Discard bool   `json:"discard_changes,omitempty" jsonschema_description:"With remove: delete changed and new files, and commits that are on no other branch, too. Only when the user has said so."`
}

// ExitedWorktree is the Result.Data of ExitWorktree.
type ExitedWorktree struct {
	Action           string `json:"action"`      // "keep" or "remove"
	OriginalCwd      string `json:"originalCwd"` // where the session is now
	WorktreePath     string `json:"worktreePath"`
	WorktreeBranch   string `json:"worktreeBranch,omitempty"`
	DiscardedFiles   int    `json:"discardedFiles,omitempty"`
	DiscardedCommits int    `json:"discardedCommits,omitempty"`
	Message          string `json:"message"`
}

func (w *worktrees) exitTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[leaveInput, ExitedWorktree]{
		Info: pegboard.Info{Name: exitWorktree, Title: "Exit worktree", Hint: "go back to the checkout, keep or delete the separate one"},
		Description: "Moves this session back to where it was before EnterWorktree. With the action keep, the worktree and its branch stay; with remove, both are deleted. " +
			"Only a worktree that EnterWorktree has made in this conversation can be removed. If files or commits would be lost, the call fails and says how many: commit them, keep the worktree, or ask the user before you set discard_changes.",
		Inspect: func(in leaveInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Destructive: in.Action == "remove", Targets: []policy.Target{{Kind: policy.Resource, Value: "worktree"}}}
		},
		Enabled: isOffered,
		Summary: func(in leaveInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Leave the worktree and " + in.Action + " it", While: "Leaving the worktree"}
		},
		Permit: func(context.Context, leaveInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it removes only what this conversation has made, and loses nothing unless told to"}
		},
		Call: w.exit,
		Result: func(out ExitedWorktree) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line = out, "Back in "+filepath.Base(out.OriginalCwd)
			return r
		},
	})
}

// exit moves the session back.
func (w *worktrees) exit(ctx context.Context, in leaveInput, c *pegboard.Call) (ExitedWorktree, error) {
	s, all, y, err := lock(c)
	if err != nil {
		return ExitedWorktree{}, err
	}
	defer y.mu.Unlock()
	if y.path == "" {
		return w.exitResumed(in, s, all)
	}
	out := ExitedWorktree{Action: in.Action, WorktreePath: y.path, WorktreeBranch: y.branch}
	switch {
	case !isThere(y.dir):
		_ = y.release() // the directory is gone, and git cleans up after it
		if out.OriginalCwd, err = y.end(s); err != nil {
			return ExitedWorktree{}, err
		}
		all.forget(out.WorktreePath)
		out.Message = fmt.Sprintf("The worktree %s is gone already. The session is back in %s.", out.WorktreePath, out.OriginalCwd)
		return out, nil
	case in.Action == "remove":
		return w.exitAndRemove(ctx, in, out, s, all, y)
	}
	tree := y.tree
	if out.OriginalCwd, err = y.end(s); err != nil {
		return ExitedWorktree{}, err
	}
	if tree != nil {
		err = tree.Keep()
	}
	err = errors.Join(err, all.giveUp(out.WorktreePath))
	out.Message = fmt.Sprintf("The session is back in %s. The worktree stays: %s", out.OriginalCwd, out.WorktreePath)
	if out.WorktreeBranch != "" {
		out.Message += ", on the branch " + out.WorktreeBranch
	}
	out.Message += "."
	return out, err
}

// exitResumed moves a session back that the host has moved to a worktree.
func (w *worktrees) exitResumed(in leaveInput, s *pegboard.Session, all *conversation) (ExitedWorktree, error) {
	dir := s.Dir()
	l, err := worktree.Find(dir)
	switch {
	case dir == all.home || err != nil || l.Path == all.top:
		return ExitedWorktree{}, errors.New("the session is in no worktree, so there is nothing to leave")
	case in.Action == "remove":
		return ExitedWorktree{}, fmt.Errorf("EnterWorktree has not made %s in this conversation, so it is not removed; leave it with the action keep", l.Path)
	}
	if err := s.SetDir(all.home); err != nil {
		return ExitedWorktree{}, err
	}
	return ExitedWorktree{Action: in.Action, OriginalCwd: all.home, WorktreePath: l.Path, Message: fmt.Sprintf("The session is back in %s. The worktree stays: %s.", all.home, l.Path)}, nil
}

// exitAndRemove moves the session back and removes the worktree.
func (w *worktrees) exitAndRemove(ctx context.Context, in leaveInput, out ExitedWorktree, s *pegboard.Session, all *conversation, y *stay) (ExitedWorktree, error) {
	since, ok := all.madeAt(y.path)
	if !ok {
		return ExitedWorktree{}, fmt.Errorf("EnterWorktree has not made %s in this conversation, so it is not removed; leave it with the action keep", y.path)
	}
	if running := runningSince(s, since); running != "" {
		return ExitedWorktree{}, fmt.Errorf("%w, since tasks run that began after it was made: %s. Stop them or wait for them first, or leave with the action keep", ErrWouldLose, running)
	}
	tree, loss := y.tree, worktree.Loss{Reason: "the host has made the worktree, and what is in it is not counted"}
	if tree != nil {
		var err error
		if loss, err = tree.Loss(ctx); err != nil {
			return ExitedWorktree{}, fmt.Errorf("%w, since it could not be told what would be lost: %w", ErrWouldLose, err)
		}
		if below, err := tree.Below(ctx); err != nil || below != "" {
			return ExitedWorktree{}, errors.Join(fmt.Errorf("%w, since %s; remove them first, or leave with the action keep", ErrWouldLose, below), err)
		}
	}
	if loss.Any() && !in.Discard {
		return ExitedWorktree{}, fmt.Errorf("%w: %s. Commit what should stay, leave with the action keep, or ask the user whether to set discard_changes", ErrWouldLose, lossText(loss))
	}
	home, err := y.end(s)
	if err != nil {
		return ExitedWorktree{}, err
	}
	if tree != nil {
		err = tree.Discard(ctx, loss)
	} else {
		err = ask(ctx, "the host has failed", func() error { return w.options.Remove(ctx, out.WorktreePath) })
	}
	if err != nil {
		return ExitedWorktree{}, fmt.Errorf("the session is back in %s, but %s was not removed, or only in part: %w", home, out.WorktreePath, err)
	}
	all.forget(out.WorktreePath)
	out.OriginalCwd, out.DiscardedFiles, out.DiscardedCommits = home, loss.Files, loss.Commits
	out.Message = fmt.Sprintf("The session is back in %s. The worktree %s was removed", home, out.WorktreePath)
	if out.WorktreeBranch != "" {
		out.Message += " with its branch"
	}
	if loss.Files+loss.Commits > 0 {
		out.Message += ", and with it " + lossText(worktree.Loss{Files: loss.Files, Commits: loss.Commits})
	}
	out.Message += "."
	return out, nil
}

// lossText describes the loss in words.
func lossText(l worktree.Loss) string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(l.Files, "changed or new file", "changed or new files")
	add(l.Commits, "commit that no other branch has", "commits that no other branch has")
	text := strings.Join(parts, " and ")
	switch {
	case text == "":
		return l.Reason
	case l.Reason != "":
		return text + " would be lost, and " + l.Reason
	}
	return text
}

// runningSince names the tasks that run and began after a time. Those that began while the
// session was elsewhere are among them: an agent of such a task may be in the worktree.
func runningSince(s *pegboard.Session, since time.Time) string {
	var ids []string
	for _, t := range background.Of(s).List() {
		if t.State == background.Running && !t.Started.Before(since) {
			ids = append(ids, t.ID)
		}
	}
	return strings.Join(ids, ", ")
}
