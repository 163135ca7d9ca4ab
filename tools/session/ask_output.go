package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An AskOutput is the Result.Data of AskUserQuestion.
type AskOutput struct {
	Questions    []Question        `json:"questions"`
	Answers      map[string]string `json:"answers"` // by the text of the question
	Response     string            `json:"response,omitempty"`
	Annotations  map[string]any    `json:"annotations,omitempty"`
	AFKTimeoutMs int64             `json:"afkTimeoutMs,omitempty"` // the time without an answer

	by policy.Decider
}

// line sums up the reply in one line.
func (out *AskOutput) line() string {
	switch {
	case len(out.Answers) > 0:
		return fmt.Sprintf("%d of %d answered", len(out.Answers), len(out.Questions))
	case out.Response != "":
		return "Answered in other words"
	}
	return "Nobody has answered"
}

// text words the answers for the model.
func (out *AskOutput) text() string {
	who := "A program that answers in the user's place"
	switch out.by {
	case policy.ByPerson:
		who = "The user"
	case policy.ByDefault: // it was decided elsewhere
		who = "The user, or a program in the user's place,"
	}
	var parts []string
	if len(out.Answers) > 0 {
		parts = append(parts, who+" has answered:"+out.list())
	}
	if out.Response != "" {
		parts = append(parts, who+" writes about the questions: "+out.Response)
	}
	if len(parts) == 0 {
		away := time.Duration(out.AFKTimeoutMs) * time.Millisecond
		parts = append(parts, fmt.Sprintf("Nobody has answered for %v. Go on by your own judgment, and say what you have assumed. You may ask again later.", away))
	}
	return strings.Join(parts, "\n\n")
}

// list returns a line for each question.
func (out *AskOutput) list() string {
	var b strings.Builder
	for i := range out.Questions {
		q := &out.Questions[i]
		answer, ok := out.Answers[q.Question]
		if !ok {
			fmt.Fprintf(&b, "\n%q: no answer", q.Question)
		} else if _, listed := q.chosen(answer); listed {
			fmt.Fprintf(&b, "\n%q: %s", q.Question, answer)
		} else {
			fmt.Fprintf(&b, "\n%q, in other words than the options: %s", q.Question, answer)
		}
	}
	return b.String()
}

const askTool = "AskUserQuestion"

type askInput struct {
	Questions    []Question        `json:"questions" jsonschema:"minItems=1,maxItems=4" jsonschema_description:"The questions, which the user sees together"`
	Answers      map[string]string `json:"answers,omitempty"`
	Response     string            `json:"response,omitempty"`
	AFKTimeoutMs int64             `json:"afkTimeoutMs,omitempty" jsonschema:"minimum=0"`
	Annotations  map[string]any    `json:"annotations,omitempty"`
	Metadata     map[string]any    `json:"metadata,omitempty"`
}

// answerKeys are the properties that hold an answer, and foreignKeys all that the model may not
// set.
var (
	answerKeys  = []string{"answers", "response", "afkTimeoutMs"}
	foreignKeys = append(slices.Clone(answerKeys), "annotations", "metadata")
)

// AskUserQuestion returns the tool with which a model has the user choose: one to four questions
// with two to four options each.
//
// Only the user answers, or a hook or an approver that brings an answer in the user's place,
// see Info.RequiresUser. A dialog uses [Asked] and [Answer]. Answers that the model writes itself
// are refused, by [pegboard.Call.Sent]. So are two questions with one text and an answer to a
// question that was not asked. A call that is allowed without an answer fails with
// [ErrNoAnswer].
//
// Result.Data is an [AskOutput].
func AskUserQuestion() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[askInput, AskOutput]{
		Info:        pegboard.Info{Name: askTool, Title: "Ask the user", Hint: "let the user choose between options", RequiresUser: true, Polls: true},
		Description: "Puts one to four questions to the user, with two to four options each, and returns the answers.",
		Undeclared:  foreignKeys,
		Prompt: func(pegboard.Scope) string {
			return "Puts one to four questions to the user, with two to four options each, and returns the answers. " +
				"Use it when you are stuck after looking: when the code, the files and the conversation do not say which way to go, and the choice matters. " +
				"Do not use it as a first step, nor for what you can find out or decide yourself. " +
				"Put the option that you would choose first. The user may also answer in other words, or refuse. Never write an answer yourself."
		},
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared, Own: true,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "answers of the user"}},
		},
		Summary: func(in askInput, _ *pegboard.Call) pegboard.Summary {
			var headers []string
			for _, q := range in.Questions {
				headers = append(headers, q.Header)
			}
			about := strings.Join(headers, separator)
			return pegboard.Summary{Before: "Ask: " + about, While: "Asking: " + about}
		},
		Validate: validateAsk,
		Permit: func(context.Context, askInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it asks the user"}
		},
		ClassifierInput: func(askInput, *pegboard.Call) string { return "asks the user" },
		Call:            callAsk,
		Result: func(out AskOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, out.line()
			return r
		},
	})
}

// validateAsk refuses answers of the model, and answers to other questions.
func validateAsk(_ context.Context, in askInput, c *pegboard.Call) error {
	sent, err := jsonobject.Parse(c.Sent())
	if err != nil {
		return fmt.Errorf("the input cannot be read: %w", err)
	}
	for _, key := range foreignKeys {
		if sent.Get(key) != nil {
			return fmt.Errorf("you have written %s, which only the user gives; call it again without %s", key, key)
		}
	}
	if err := checkQuestions(in.Questions); err != nil {
		return err
	}
	return checkAnswers(in.Questions, in.Answers)
}

// callAsk returns the answers, which the input holds by now.
func callAsk(_ context.Context, in askInput, c *pegboard.Call) (AskOutput, error) {
	if len(in.Answers) == 0 && strings.TrimSpace(in.Response) == "" && in.AFKTimeoutMs <= 0 {
		return AskOutput{}, ErrNoAnswer
	}
	return AskOutput{
		Questions: in.Questions, Answers: in.Answers, Response: in.Response, Annotations: in.Annotations,
		AFKTimeoutMs: in.AFKTimeoutMs, by: c.Decision().By,
	}, nil
}
