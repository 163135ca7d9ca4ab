package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The answers to a question. A client shows them as they are.
const (
	allowOnce      = "Allow once"
	denyCall       = "Deny"
	allowFromNowOn = "Allow, and from now on: "
)

// answers are those that a client may give to a question.
type answers struct {
	texts    []string          // shown to the client
	remember [][]policy.Update // of each text
}

func answersTo(q *pegboard.Question) *answers {
	s := &answers{texts: []string{allowOnce, denyCall}, remember: make([][]policy.Update, 2)}
	for _, updates := range q.Suggestions(policy.SourceSession) {
		words := make([]string, len(updates))
		for i, u := range updates {
			words[i] = u.String()
		}
		if text := allowFromNowOn + strings.Join(words, "; "); !slices.Contains(s.texts, text) {
			s.texts, s.remember = append(s.texts, text), append(s.remember, updates)
		}
	}
	return s
}

// schema returns the form that asks for one of the answers.
func (s *answers) schema() json.RawMessage {
	text, _ := json.Marshal(map[string]any{ // texts have no error
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Answer", "enum": s.texts},
			"reason": map[string]any{"type": "string", "title": "Reason", "description": "With \"" + denyCall + "\": what the model is told."},
		},
		"required": []string{"answer"},
	})
	return text
}

// accepts takes one of the answers, and nothing else, for consent.
func (s *answers) accepts(r *mcp.ElicitResult) (reply, bool) {
	switch r.Action {
	case "decline":
		return reply{decision: policy.Decision{Behavior: policy.Deny, Reason: "the user declined"}}, true
	case "cancel":
		return reply{nobody: true}, true
	case "accept":
	default:
		return reply{}, false
	}
	text, _ := r.Content["answer"].(string)
	switch i := slices.Index(s.texts, text); i {
	case -1:
		return reply{}, false
	case 1:
		reason, _ := r.Content["reason"].(string)
		return reply{decision: policy.Decision{Behavior: policy.Deny, Reason: reason}}, true
	default:
		return reply{decision: policy.Decision{Behavior: policy.Allow, Remember: s.remember[i]}}, true
	}
}

// wordingOf words a question for a person.
func wordingOf(q *pegboard.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow this call?\n%s", q.Call.View().Before)
	if len(q.AgentPath) > 0 {
		fmt.Fprintf(&b, "\nMade by the agent %s.", strings.Join(q.AgentPath, " > "))
	}
	for _, t := range q.Known() {
		fmt.Fprintf(&b, "\n- %s: %v", t.Kind, t)
	}
	if q.Reason != "" {
		fmt.Fprintf(&b, "\nReason: %s", q.Reason)
	}
	return b.String()
}
