package reads

// A Knowledge is the extent to which a session knows the current content of a file.
type Knowledge int

// The values, from less to more knowledge.
const (
	Unread    Knowledge = iota // it has seen nothing of the file
	Truncated                  // it has seen only views that a limit truncated
	Stale                      // all bytes that it has seen have changed
	Current                    // some of the bytes that it has seen are unchanged
)
