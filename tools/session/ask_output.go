package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// An AskOutput is the Result.Data of AskUserQuestion.
type AskOutput struct {
	Questions    []Question        `json:"questions"`
	Answers      map[string]string `json:"answers"` // by the text of the question
	Response     string            `json:"response,omitempty"`
	Annotations  map[string]any    `json:"annotations,omitempty"`
	AFKTimeoutMs int64             `json:"afkTimeoutMs,omitempty"` // the time without an answer

	by pegboard.Decider
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
	case pegboard.ByPerson:
		who = "The user"
	case pegboard.ByDefault: // it was decided elsewhere
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
