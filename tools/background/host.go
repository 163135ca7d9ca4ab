package background

import (
	"os"
)

// A host is a process that keeps tasks. The zero host has ended.
type host struct {
	PID int `json:"pid,omitempty"`
	// Start tells it from a later process of the same id; empty where that is
	// not known.
	Start string `json:"start,omitempty"`
}

func thisHost() host {
	start, _ := processStart(os.Getpid())
	return host{PID: os.Getpid(), Start: start}
}

// alive reports whether the process runs still, as far as can be known.
func (h host) alive() bool {
	if h.PID <= 0 {
		return false
	}
	start, running := processStart(h.PID)
	return running && start == h.Start
}
