package worktree

// A Loss is what is lost with a worktree that is removed with its branch.
type Loss struct {
	Files   int    // changed, and new ones that git does not ignore
	Commits int    // that neither another branch has, nor a tag, nor the checkout
	Reason  string // why more may be lost that was not counted, such as changes in a submodule; empty otherwise

	tip string // of the branch, when it was counted; empty if it was removed
}

// Any reports whether anything is lost, or may be.
func (l Loss) Any() bool { return l.Files > 0 || l.Commits > 0 || l.Reason != "" }
