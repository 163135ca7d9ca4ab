package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// An enterInput is the input of EnterWorktree.
type enterInput struct {
	Name string `json:"name,omitempty" jsonschema:"maxLength=64" jsonschema_description:"The name of the new worktree: letters, digits, dots, hyphens and underscores. Default: a name that is free."`
	Path string `json:"path,omitempty" jsonschema_description:"The path of a worktree of this repository that is there already, in place of a new one"`
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
		Description: "Moves this session into a git worktree: a checkout of its own on a new branch, below .claude/worktrees. Use it when the user asks for a worktree, or for work that must not touch the checkout. Relative paths and commands start there afterwards, and nothing can be written in the checkout until you leave with ExitWorktree. " +
			"The branch begins at a commit: changes that are not committed are not there. With path, the session enters a worktree that is there already; the user is asked about one that is not below .claude/worktrees.",
		Inspect: func(in enterInput, c *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Targets: []pegboard.Target{enterTarget(in, c)}}
		},
		Enabled: isOffered,
		Lines: func(in enterInput, _ *pegboard.Call) pegboard.Lines {
			what := strings.TrimRight("a worktree "+pegboard.OneLine(in.Name+in.Path), " ")
			return pegboard.Lines{Before: "Enter " + what, While: "Entering " + what}
		},
		Permit: func(context.Context, enterInput, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "a worktree below .claude/worktrees changes nothing in the checkout"}
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

// enterTarget returns what a call of EnterWorktree touches.
func enterTarget(in enterInput, c *pegboard.Call) pegboard.Target {
	if in.Path == "" {
		return pegboard.Target{Kind: pegboard.TargetResource, Value: "worktree " + in.Name}
	}
	t := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.Path}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir(), path)
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

// take makes a worktree, or takes the one of in.Path into use.
func (w *worktrees) take(ctx context.Context, name string, in enterInput, c *pegboard.Call, all *conversation) (*worktree.Worktree, error) {
	r := worktree.Request{Dir: c.Dir(), Name: name, Base: w.options.BaseRef}
	if in.Path != "" {
		real := c.Targets()[0].Real()
		if top := worktree.Top(real); top != "" {
			_ = all.giveUp(top) // this conversation may have it in use for another agent
		}
		return w.trees.Enter(ctx, r, real)
	}
	_, _ = w.trees.Clean(ctx, r.Dir) // what programs have left that were killed; what is wrong shows next
	r.MayRead = treefence.MayRead(ctx, c.Session())
	tree, err := w.trees.Add(ctx, r)
	if errors.Is(err, worktree.ErrTaken) {
		err = fmt.Errorf("%w; take another name, or enter it by its path", err)
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
