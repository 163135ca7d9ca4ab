package gitrepo

// Neutral returns settings of the environment, in the form "NAME=value", for
// a git command that is run without asking. They do not take the place of Check:
// nothing in the environment keeps git from running filters and drivers.
func Neutral() []string {
	return []string{
		// Git status would refresh the index, which is a change, and run the hook
		// post-index-change. Git diff and describe do it all the same: they write
		// no more than the times of files.
		"GIT_OPTIONAL_LOCKS=0",
		// Whatever pager is configured, for this or that command.
		"GIT_PAGER=cat",
		// Nobody is there to answer a question about a password.
		"GIT_TERMINAL_PROMPT=0",
		// Objects that are missing stay missing: no command that only reads the
		// repository uses the network. The first is for newer versions of git,
		// the second allows no protocol at all.
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=",
	}
}
