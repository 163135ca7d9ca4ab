package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A Question is one question of AskUserQuestion. The model has written all of it.
type Question struct {
	Question    string   `json:"question" jsonschema:"minLength=1" jsonschema_description:"The whole question, ending in a question mark. No two questions of a call have one text"`
	Header      string   `json:"header" jsonschema:"minLength=1,maxLength=12" jsonschema_description:"A word or two for a tab or a tag, at most 12 characters"`
	Options     []Option `json:"options" jsonschema:"minItems=2,maxItems=4" jsonschema_description:"The answers to choose from. Add no option for another answer: the user can always write one"`
	MultiSelect bool     `json:"multiSelect,omitempty" jsonschema_description:"Whether several options may be chosen"`
}

// An Option is an answer to choose.
type Option struct {
	Label       string `json:"label" jsonschema:"minLength=1" jsonschema_description:"The answer in one to five words"`
	Description string `json:"description" jsonschema_description:"What it means to choose it"`
	Preview     string `json:"preview,omitempty" jsonschema_description:"What it would look like, such as code or a sketch in text, to compare it with the others"`
}

// Asked returns the questions that q puts to the user, for the form of a dialog, and whether q
// is about a call of AskUserQuestion. Answer makes the dialog's decision. The texts are the
// model's.
func Asked(q *pegboard.Question) ([]Question, bool) {
	if q == nil || q.Tool == nil || q.Call == nil {
		return nil, false
	}
	if info := q.Tool.Info(); info.Name != askTool || info.Origin.External() {
		return nil, false
	}
	var in askInput
	if json.Unmarshal(q.Call.Input, &in) != nil || checkQuestions(in.Questions) != nil || len(in.Questions) == 0 {
		return nil, false
	}
	return in.Questions, true
}

// checkQuestions returns an error unless each question, and each option of one, has a text of
// its own.
func checkQuestions(questions []Question) error {
	texts := map[string]bool{}
	for i := range questions {
		q := &questions[i]
		switch text := strings.TrimSpace(q.Question); {
		case text == "":
			return fmt.Errorf("question %d has no text", i+1)
		case texts[text]:
			return fmt.Errorf("two questions have one text, %q, so an answer could be to either; make one of it, or word them apart", text)
		default:
			texts[text] = true
		}
		labels := map[string]bool{}
		for _, o := range q.Options {
			label := strings.TrimSpace(o.Label)
			if label == "" || labels[label] {
				return fmt.Errorf("the options of %q need a label each, and no two the same", q.Question)
			}
			labels[label] = true
		}
	}
	return nil
}

// chosen returns the options that an answer names, or false if it is the answerer's own text.
func (q *Question) chosen(answer string) (options []Option, ok bool) {
	rest, left := answer, slices.Clone(q.Options)
	slices.SortStableFunc(left, func(a, b Option) int { return cmp.Compare(len(b.Label), len(a.Label)) }) // a label may hold a comma
	for rest != "" {
		at := slices.IndexFunc(left, func(o Option) bool {
			return rest == o.Label || q.MultiSelect && strings.HasPrefix(rest, o.Label+separator)
		})
		if at < 0 {
			return nil, false
		}
		options = append(options, left[at])
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, left[at].Label), separator)
		left = slices.Delete(left, at, at+1)
	}
	return options, len(options) > 0
}

// separator joins the labels of an answer.
const separator = ", "

// find returns the question of that text, or nil.
func find(questions []Question, text string) *Question {
	at := slices.IndexFunc(questions, func(q Question) bool { return q.Question == text })
	if at < 0 {
		return nil
	}
	return &questions[at]
}

// checkAnswers returns an error unless each answer is to one of the questions and has a text.
func checkAnswers(questions []Question, answers map[string]string) error {
	var wrong []error
	for text, answer := range answers {
		switch {
		case find(questions, text) == nil:
			wrong = append(wrong, fmt.Errorf("there is an answer to a question that was not asked: %q", text))
		case strings.TrimSpace(answer) == "":
			wrong = append(wrong, fmt.Errorf("the answer to %q is empty", text))
		}
	}
	slices.SortFunc(wrong, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(wrong...)
}
