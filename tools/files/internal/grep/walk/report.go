package walk

// A Report counts what a walk did not find.
type Report struct {
	Filtered   int // files and directories that Keep refused
	Unreadable int // directories that could not be read, or not to their end
}
