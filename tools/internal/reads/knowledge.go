package reads

// A Knowledge is what a session knows of a file's present content.
type Knowledge int

// The standings.
const (
	Unread    Knowledge = iota // it has seen nothing of it
	Truncated                  // only views that a limit cut
	Stale                      // all that it has seen is different now
	Current                    // something that it has seen is there as it was
)
