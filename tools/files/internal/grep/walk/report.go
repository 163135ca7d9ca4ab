package walk

// A Report counts the entries that a walk did not reach.
type Report struct {
	Filtered   int // files and directories that Options.Filter refused
	Unreadable int // directories that could not be read completely
}
