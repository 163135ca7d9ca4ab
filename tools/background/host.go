package background

import (
	"os"
)

// A host is a process that has tasks. The zero host has ended.
type host struct {
	PID int `json:"pid,omitempty"`
	// Start distinguishes the process from a later one with the same id. It is empty
	// on systems where it is not known.
	Start string `json:"start,omitempty"`
}

func thisHost() host {
	start, _ := processStart(os.Getpid())
	return host{PID: os.Getpid(), Start: start}
}

// alive reports whether the process is running, as far as the system can tell.
func (h host) alive() bool {
	if h.PID <= 0 {
		return false
	}
	start, running := processStart(h.PID)
	return running && start == h.Start
}
