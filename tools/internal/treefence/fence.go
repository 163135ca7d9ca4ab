// Package treefence keeps calls that work in a git worktree from changing the checkout that the
// worktree was made from.
//
// It judges calls by their targets, and so it is no sandbox: a program that may run can write
// anywhere.
package treefence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Fence stands around a worktree. Its fields must not be changed once it is used; its
// method Refusal may then be called concurrently.
type Fence struct {
	Path   string // of the worktree, absolute, without links
	Dir    string // in the worktree, where work is done
	Main   string // the checkout, absolute, without links
	Common string // folder of the repository, absolute, without links; empty without one
	// More are further checkouts in which nothing is written, absolute, without links, such as
	// that of the conversation if Main is itself a worktree.
	More  []string
	Owner string // the name of the checkout in texts, such as "the checkout of the caller"
	// IsWhole reports whether the file that leads git to the worktree is as it was made.
	IsWhole func() bool
}

// InTree returns the path in the worktree that stands for one in the checkout.
func (f *Fence) InTree(path string) (string, bool) {
	rel, err := filepath.Rel(f.Main, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.Join(f.Path, rel), true
}

// Refusal returns why a call is denied that would change the checkout, or might; or "". It is
// for [pegboard.Hooks.Pre], around which neither rules nor modes reach.
func (f *Fence) Refusal(h *pegboard.HookCall) string {
	targets := h.Call.Targets()
	for n := range targets {
		reason := f.ofTarget(&targets[n])
		if reason == "" && targets[n].Shell.Guess && !isRead(targets, targets[n].Shell.FromCommand) {
			reason = f.ofGuess(&targets[n])
		}
		if reason != "" {
			return reason
		}
	}
	if reason := f.ofGit(targets); reason != "" {
		return reason
	}
	return f.ofInput(h)
}

// isRead reports whether a command is known to change nothing.
func isRead(targets []policy.Target, command string) bool {
	return slices.ContainsFunc(targets, func(t policy.Target) bool {
		return t.Kind == policy.Command && t.Value == command && t.Shell.ReadOnly
	})
}

// ofGuess returns why a program is denied a name in the checkout, or "". It is not known
// whether the program reads the file, writes it, or works in the directory.
func (f *Fence) ofGuess(t *policy.Target) string {
	if t.Kind != policy.Path {
		return ""
	}
	name, ok := f.outsideTree(t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("The command is given %s, which belongs to %s, and may write there. Give it the path in the worktree: %s. To use what the checkout has, copy it into the worktree with cp first.", name, f.Owner, f.standIn(name))
}

// ofGit returns why git, in the worktree, might find the repository of the checkout in its
// place: because the file is not there that leads git to the worktree, or because a command of
// the same line removes it with all that is around it.
func (f *Fence) ofGit(targets []policy.Target) string {
	isGit := func(command string) bool { return strings.HasPrefix(command, "git ") }
	dot, runs, git, removed := filepath.Join(f.Path, ".git"), false, false, false
	for n := range targets {
		t := &targets[n]
		switch t.Kind {
		case policy.Command:
			runs, git = true, git || isGit(t.Value) || slices.ContainsFunc(t.Shell.Nested, isGit)
		case policy.Path:
			removed = removed || t.Access == policy.Write && t.Tree && !isGit(t.Shell.FromCommand) && realpath.Contains(t.Real(), dot)
		}
	}
	switch {
	case runs && !f.IsWhole():
		return fmt.Sprintf("%s is not what git has put there, so that commands of git would change %s. Report what you have, and that the worktree is broken.", dot, f.Main)
	case git && removed:
		return fmt.Sprintf("The line may remove %s and then run git, which would change %s. Make two calls of it, and leave the file alone.", dot, f.Main)
	}
	return ""
}

// ofTarget returns why a call with a target is denied, or "". A shell says by an opaque target
// with a text that it cannot see through a line.
func (f *Fence) ofTarget(t *policy.Target) string {
	switch {
	case t.Kind == policy.Opaque && t.Value != "", t.Kind == policy.Command && !t.Shell.Simple:
		return fmt.Sprintf("What this does cannot be seen before it runs (%s), so it might write in %s. Write plain commands for the worktree %s: no computed names, and no variables or options that lead git or other programs elsewhere.", t.Value, f.Main, f.Dir)
	case t.Kind != policy.Path || t.Access == policy.Read && !t.Shell.Enters:
		return ""
	}
	name, ok := f.outsideTree(t)
	switch {
	case !ok:
		return ""
	case t.Shell.Enters:
		return fmt.Sprintf("Commands do not run in %s, %s. Run them in the worktree: %s.", name, f.Owner, f.standIn(name))
	}
	return fmt.Sprintf("%s belongs to %s, where nothing is written. Write in the worktree: %s.", name, f.Owner, f.standIn(name))
}

// standIn returns the path in the worktree to use in place of one in the
// checkout.
func (f *Fence) standIn(name string) string {
	if at, ok := f.InTree(name); ok && !realpath.Contains(filepath.Dir(f.Path), name) {
		return at
	}
	return f.Dir
}

// outsideTree returns a name of a path that is in the checkout, or in the folder of its
// repository, and not in the worktree, or that has one of them below it. The file with which
// git finds the worktree counts as well, and one with several hard links, since one of them may
// be in the checkout.
func (f *Fence) outsideTree(t *policy.Target) (string, bool) {
	names := append([]string{t.Value, t.Real()}, t.Aliases...)
	for _, name := range names {
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			return name, true // it was not resolved
		}
		name = filepath.Clean(name)
		switch {
		case realpath.Contains(filepath.Join(f.Path, ".git"), name):
			return name, true
		case t.Access == policy.Write && !t.Tree && hasLinks(name):
			return name, true
		case realpath.Contains(f.Path, name):
		case realpath.LeadsThrough(name, f.roots()), t.Tree && slices.ContainsFunc(f.roots(), func(root string) bool { return realpath.Contains(name, root) }):
			return name, true
		}
	}
	return "", false
}

// roots are the directories in which nothing is written.
func (f *Fence) roots() []string {
	roots := slices.Concat([]string{f.Main}, f.More)
	if f.Common != "" {
		roots = append(roots, f.Common)
	}
	return roots
}

// hasLinks reports whether a file is there and has several hard links.
func hasLinks(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && realpath.HasLinks(info)
}
