package grep

// A Report is what was found in several files. The numbers count all that was
// found, also what is beyond the limits, but nothing of what may not be told of.
type Report struct {
	Files      []FileResult // in the order of their paths
	NumFiles   int          // with a match
	NumRows    int          // in the mode Content
	NumMatches int          // as Count counts them
	Truncated  bool         // MaxBytes were reached
	Hidden     int          // files with a match that Allow refused
	Unreadable int          // files and directories
	Binary     int          // files with a match that cease to be text
}
