package gitrepo

// Neutral returns environment variables, in the form "NAME=value", for a git command that
// is run without asking the user. They do not replace Check: no variable keeps git from
// running filters and drivers.
func Neutral() []string {
	return []string{
		// Without it, git status refreshes the index, which is a change, and runs the hook
		// post-index-change. Git diff and describe refresh it all the same, but write
		// only the times of files.
		"GIT_OPTIONAL_LOCKS=0",
		// It overrides every configured pager.
		"GIT_PAGER=cat",
		// Git fails instead of waiting for a password.
		"GIT_TERMINAL_PROMPT=0",
		// Git does not fetch missing objects over the network. The first is for newer
		// versions of git; the second forbids all protocols.
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=",
	}
}
