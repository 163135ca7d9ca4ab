package serve

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// A note is one report of progress.
type note struct {
	text            string
	progress, total *float64 // nil if the tool has not said
}

// newNote reads the numbers of data that have the names of the protocol.
func newNote(e pegboard.Event) note {
	n := note{text: e.Text}
	if e.Data == nil {
		return n
	}
	text, err := json.Marshal(e.Data)
	if err != nil {
		return n
	}
	var numbers struct {
		Progress *float64 `json:"progress"`
		Total    *float64 `json:"total"`
	}
	if json.Unmarshal(text, &numbers) == nil {
		n.progress, n.total = numbers.Progress, numbers.Total
	}
	return n
}

// progress holds the last number that a request was told. The protocol wants numbers that
// rise.
type progress struct {
	told bool
	last float64
}

// send tells the client, if its request wants to know. An error is the connection's.
func (p *progress) send(ctx context.Context, req *mcp.CallToolRequest, n note) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return
	}
	now := math.Floor(p.last) + 1
	if n.progress != nil {
		now = *n.progress
		if p.told && now <= p.last {
			return
		}
	}
	p.told, p.last = true, now
	params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: now, Message: n.text}
	if n.total != nil {
		params.Total = *n.total
	}
	_ = req.Session.NotifyProgress(ctx, params)
}

// traceOf returns the trace of a request that has one in the form of W3C Trace Context, or "".
func traceOf(meta mcp.Meta) string {
	text, _ := meta["traceparent"].(string)
	parts := strings.Split(text, "-")
	if len(parts) < 4 || len(parts[1]) != 32 || strings.ToLower(parts[1]) != parts[1] || strings.Trim(parts[1], "0") == "" {
		return ""
	}
	if _, err := hex.DecodeString(parts[1]); err != nil {
		return ""
	}
	return parts[1]
}
