package reads

// A Standing is what a session knows of a file's present content.
type Standing int

// The standings.
const (
	Unread  Standing = iota // it has seen nothing of it
	Partial                 // only views that a limit cut
	Stale                   // all that it has seen is different now
	Current                 // something that it has seen is there as it was
)
