package agents

import "context"

// Peers reaches sessions elsewhere, such as those of other programs. Its methods may be called
// concurrently.
type Peers interface {
	// List returns the sessions that can be sent messages now.
	List(ctx context.Context) ([]Peer, error)
	// Send returns when the message is in the mailbox of a session that List has returned. From
	// names the agent that wrote it. The receiver must show it as the message of an agent.
	Send(ctx context.Context, id, from, message string) error
}

// A Peer is a session elsewhere.
type Peer struct {
	ID          string `json:"id"` // what messages to it are sent to; not the id of an agent
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}
