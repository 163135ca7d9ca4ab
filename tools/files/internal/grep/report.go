package grep

// A Report is the result of a search of several files. The numbers also count results
// beyond the limits; except for Hidden, they do not count files that Allow refused.
type Report struct {
	Files      []FileResult // in the order of their paths
	NumFiles   int          // files with a match
	NumRows    int          // in the mode Content
	NumMatches int          // in the sense of the mode Count
	Truncated  bool         // the result reached MaxBytes
	Hidden     int          // files with a match that Allow refused
	Searched   int          // files that were searched, with a match or without
	Unreadable int          // files and directories that could not be read
	Binary     int          // files with a match that are not text throughout
}
