package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The kinds of options in the protocol, which are the ids of the first of each kind.
const (
	allowOnce    = "allow_once"
	allowAlways  = "allow_always"
	rejectOnce   = "reject_once"
	rejectAlways = "reject_always"
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
	request := permissionRequest{Session: c.id, Call: c.calls.asked(ctx, q), Options: answers.options, Meta: n.nextKey()}
	var response permissionResponse
	if err := n.request(ctx, methodPermission, request.Meta, request, &response); err != nil {
		return policy.Decision{}, askingError(ctx, err)
	}
	switch option := response.Outcome.Option; {
	case response.Outcome.Outcome == "cancelled":
		c.interrupt(pegboard.ErrUserInterrupt, "")
		return policy.Decision{Behavior: policy.Deny, StopTurn: true, Reason: "the user has cancelled"}, nil
	case response.Outcome.Outcome == "selected" && option != nil:
		return answers.decision(*option)
	}
	return policy.Decision{}, fmt.Errorf("%w: its answer has neither an option nor a cancellation", ErrNotShown)
}

// askingError returns the error of a request to the editor that has no answer.
func askingError(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrDisconnected) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotShown, err)
}

// answers are those that the user may give to a question.
type answers struct {
	options   []permissionOption
	decisions []policy.Decision // of the options
}

func (a *answers) offer(kind, name string, d policy.Decision) {
	same := func(o permissionOption) bool { return o.Kind == kind && o.Name == name }
	if slices.ContainsFunc(a.options, same) {
		return
	}
	id, count := kind, 1
	for slices.ContainsFunc(a.options, func(o permissionOption) bool { return o.ID == id }) {
		count++
		id = kind + "_" + strconv.Itoa(count)
	}
	a.options, a.decisions = append(a.options, permissionOption{ID: id, Name: name, Kind: kind}), append(a.decisions, d)
}

// decision returns the decision of an option.
func (a *answers) decision(id string) (policy.Decision, error) {
	ids := make([]string, len(a.options))
	for i, o := range a.options {
		if ids[i] = o.ID; o.ID == id {
			return a.decisions[i], nil
		}
	}
	return policy.Decision{}, &OptionError{Option: cut(id, maxQuoted), Offered: ids}
}

func answersTo(q *pegboard.Question, to policy.Source) *answers {
	a := new(answers)
	a.offer(allowOnce, "Allow once", policy.Decision{Behavior: policy.Allow})
	suggestions := q.Suggestions(to)
	for _, updates := range suggestions {
		a.offer(allowAlways, "Allow, and from now on: "+wordsOf(updates), policy.Decision{Behavior: policy.Allow, Remember: updates})
	}
	a.offer(rejectOnce, "Reject", policy.Decision{Behavior: policy.Deny})
	for _, updates := range suggestions {
		if denials := denialsFor(q, updates); denials != nil {
			a.offer(rejectAlways, "Reject, and from now on: "+wordsOf(denials), policy.Decision{Behavior: policy.Deny, Remember: denials})
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
	content := append([]toolContent{textToolContent(wordingOf(q))}, preview...)
	s.mu.Lock()
	defer s.mu.Unlock()
	view, shown := q.Call.View(), s.show(q.Call)
	if shown.note = true; len(preview) > 0 {
		shown.preview = preview
	}
	return toolCall{
		ID: shown.id, Title: view.Before, Name: q.Call.ToolName(), Tool: toolKind(view.Kind), Content: &content,
		Locations: locationsOf(q.Call), Input: rawInput(q.Call), Meta: s.metaOf(q.Call),
	}
}

// previewOf returns the changes that the call would make, as far as they are known.
func previewOf(ctx context.Context, q *pegboard.Question) []toolContent {
	diffs, err := q.Preview(ctx)
	switch {
	case errors.Is(err, pegboard.ErrNoPreview):
		return nil
	case err != nil:
		return []toolContent{textToolContent("It would fail: " + pegboard.OneLine(err.Error()))}
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
