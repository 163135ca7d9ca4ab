package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// ListResult is the Result.Data of ListAgents.
type ListResult struct {
	Agents []Status `json:"agents"`
	Peers  []Peer   `json:"peers,omitempty"`

	asker string // the id of the agent that asks
	err   error  // why the peers are not known
}

// listTool returns the ListAgents tool.
func (g *Agents) listTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, ListResult]{
		Info:        pegboard.Info{Name: "ListAgents", Title: "List agents", Aliases: []string{"ListPeers"}, Hint: "which agents there are and how they stand"},
		Description: "Lists the agents of this conversation, with their ids, names and states, and the sessions elsewhere that can be sent messages. You are told when an agent ends, so do not ask again and again.",
		Traits: pegboard.Traits{
			ReadOnly: true, Kind: pegboard.KindList, Concurrency: pegboard.Shared, Own: true,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "list of agents"}},
		},
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "List the agents", While: "Listing the agents"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only shows the agents of the conversation"}
		},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (ListResult, error) {
			s := c.Session()
			if s == nil {
				return ListResult{}, errors.New("agents are listed by calls of an executor only")
			}
			out := ListResult{Agents: g.List(s), asker: s.AgentID()}
			if g.options.Peers != nil {
				out.Peers, out.err = g.options.Peers.List(ctx)
			}
			return out, nil
		},
		Result: func(out ListResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, fmt.Sprintf("%d agents", len(out.Agents))
			return r
		},
	})
}

// text words the list for the model.
func (out *ListResult) text() string {
	var b strings.Builder
	b.WriteString(MainName + ": the main agent")
	if out.asker == "" {
		b.WriteString(" (you)")
	}
	for _, s := range out.Agents {
		fmt.Fprintf(&b, "\n%s: %s", s.label(), s.sentence())
		if s.ID == out.asker {
			b.WriteString(" (you)")
		}
	}
	for _, p := range out.Peers {
		line := "session " + p.ID
		if p.Name != "" {
			line += " " + p.Name
		}
		if p.Description != "" {
			line += ": " + p.Description
		}
		b.WriteString("\n" + escapeMarks(pegboard.OneLine(line)))
	}
	if out.err != nil {
		fmt.Fprintf(&b, "\n(The sessions elsewhere cannot be listed: %v.)", out.err)
	}
	return b.String()
}

// sentence says how the agent stands.
func (s *Status) sentence() string {
	text := "of the type " + s.Type
	if s.Description != "" {
		text += ", " + s.Description
	}
	text += ", " + string(s.State)
	if s.State == Lost {
		return text + " when the program ended"
	}
	if s.State == Running {
		return text + " for " + time.Since(s.Started).Round(100*time.Millisecond).String()
	}
	return text + " after " + s.Ended.Sub(s.Started).Round(100*time.Millisecond).String()
}

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
