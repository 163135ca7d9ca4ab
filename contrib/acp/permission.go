package acp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Ask puts a question about a call to the user: the [pegboard.Asker] of the session. The user
// may allow or reject the call once, allow each of [pegboard.Question.Suggestions] from now on,
// and reject the first of them from now on.
//
// If the editor answers that the prompt was cancelled, the prompt is, and the call is denied.
// An answer that was not offered is an [*OptionError], an editor that cannot be asked
// [ErrNotShown], and one that has left [ErrDisconnected]; none of them allows the call. If ctx
// ends, the question is withdrawn.
func (c *Conversation) Ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	n := c.connection
	answers := answersTo(q, n.agent.o.Remember)
	response, err := request[sdk.RequestPermissionResponse](ctx, n, sdk.ClientMethodSessionRequestPermission, struct {
		Session sdk.SessionId          `json:"sessionId"`
		Call    toolCall               `json:"toolCall"`
		Options []sdk.PermissionOption `json:"options"`
	}{c.id, c.calls.asked(ctx, q), answers.options})
	switch selected, cancelled := response.Outcome.Selected, response.Outcome.Cancelled; {
	case err != nil && (ctx.Err() != nil || n.gone.Err() != nil):
		return policy.Decision{}, err
	case err != nil:
		return policy.Decision{}, fmt.Errorf("%w: %w", ErrNotShown, err)
	case selected != nil && cancelled == nil && selected.OptionId != "":
		return answers.decision(string(selected.OptionId))
	case selected == nil && cancelled != nil && cancelled.Outcome == "cancelled": // the SDK takes what it does not know for one
		c.interrupt(pegboard.ErrUserInterrupt)
		return policy.Decision{Behavior: policy.Deny, StopTurn: true, Reason: "the user has cancelled"}, nil
	}
	return policy.Decision{}, fmt.Errorf("%w: its answer has neither an option nor a cancellation", ErrNotShown)
}

// answers are those that the user may give to a question.
type answers struct {
	options   []sdk.PermissionOption
	decisions []policy.Decision // of the options
}

// offer adds an answer. The first of a kind has the kind as its id.
func (a *answers) offer(kind sdk.PermissionOptionKind, name string, d policy.Decision) {
	count := 1
	for _, o := range a.options {
		if o.Kind != kind {
			continue
		}
		if o.Name == name {
			return
		}
		count++
	}
	id := sdk.PermissionOptionId(kind)
	if count > 1 {
		id += sdk.PermissionOptionId("_" + strconv.Itoa(count))
	}
	a.options, a.decisions = append(a.options, sdk.PermissionOption{OptionId: id, Name: name, Kind: kind}), append(a.decisions, d)
}

// decision returns the decision of an option.
func (a *answers) decision(id string) (policy.Decision, error) {
	ids := make([]string, len(a.options))
	for i, o := range a.options {
		if ids[i] = string(o.OptionId); ids[i] == id {
			return a.decisions[i], nil
		}
	}
	return policy.Decision{}, &OptionError{Option: cut(id), Offered: ids}
}

func answersTo(q *pegboard.Question, to policy.Source) *answers {
	a := new(answers)
	a.offer(sdk.PermissionOptionKindAllowOnce, "Allow once", policy.Decision{Behavior: policy.Allow})
	suggestions := q.Suggestions(to)
	for _, updates := range suggestions {
		a.offer(sdk.PermissionOptionKindAllowAlways, "Allow, and from now on: "+wordsOf(updates), policy.Decision{Behavior: policy.Allow, Remember: updates})
	}
	a.offer(sdk.PermissionOptionKindRejectOnce, "Reject", policy.Decision{Behavior: policy.Deny})
	for _, updates := range suggestions {
		if denials := denialsFor(q, updates); denials != nil {
			a.offer(sdk.PermissionOptionKindRejectAlways, "Reject, and from now on: "+wordsOf(denials), policy.Decision{Behavior: policy.Deny, Remember: denials})
			break
		}
	}
	return a
}

// denialsFor returns deny rules with the text of the allow rules in updates. It returns nil
// unless one of them denies this call.
func denialsFor(q *pegboard.Question, updates []policy.Update) (denials []policy.Update) {
	denies := false
	for _, u := range updates {
		if u.Type != policy.AddRules || u.Behavior != policy.Allow {
			return nil
		}
		for _, r := range u.Rules {
			rule, err := policy.ParseRule(policy.Deny, r.String())
			if err != nil {
				return nil
			}
			rule.Source = u.Destination
			denies = denies || q.Concerns(rule) == policy.ConcernYes
		}
		u.Behavior = policy.Deny
		denials = append(denials, u)
	}
	if !denies {
		return nil
	}
	return denials
}

func wordsOf(updates []policy.Update) string {
	words := make([]string, len(updates))
	for i, u := range updates {
		words[i] = u.String()
	}
	return pegboard.OneLine(strings.Join(words, "; "))
}

// asked returns the call that a question is about, with the grounds for a decision.
func (s *calls) asked(ctx context.Context, q *pegboard.Question) toolCall {
	preview := previewOf(ctx, q)
	content := append([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(wordingOf(q)))}, preview...)
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.show(q.Call)
	if shown.note = true; len(preview) > 0 {
		shown.preview = preview
	}
	asked := s.described(q.Call, shown)
	asked.Content, asked.Locations = &content, locationsOf(q.Call)
	return asked
}

// previewOf returns the changes that the call would make, as far as they are known.
func previewOf(ctx context.Context, q *pegboard.Question) []sdk.ToolCallContent {
	diffs, err := q.Preview(ctx)
	switch {
	case errors.Is(err, pegboard.ErrNoPreview):
		return nil
	case err != nil:
		return []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock("It would fail: " + pegboard.OneLine(err.Error())))}
	}
	return contentOfDiffs(diffs)
}

// wordingOf says why the user is asked, and about what.
func wordingOf(q *pegboard.Question) string {
	var lines []string
	if q.Reason != "" {
		lines = append(lines, "Reason: "+q.Reason)
	}
	if len(q.AgentPath) > 0 {
		lines = append(lines, "Made by the agent "+strings.Join(q.AgentPath, " > "))
	}
	for _, t := range q.Known() {
		lines = append(lines, fmt.Sprintf("- %s: %v", t.Kind, t))
	}
	return strings.Join(lines, "\n")
}
