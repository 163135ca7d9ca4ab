package inspect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

const (
	maxQuestions   = 50 // that are shown at once, in line order
	previewTimeout = 2 * time.Second
)

// questionsView is the section of open questions.
type questionsView struct {
	Questions []questionView
	More      int // that are not shown
	Answers   bool
	Contents  bool
}

// A questionView is one open question.
type questionView struct {
	ID          string
	Call        int64 // its number, or 0
	Agent       string
	Title, Tool string
	Reason      string
	Targets     []string
	Since       string
	Input       string
	Diffs       []diffView
	NoPreview   string
	Besides     string
	Suggestions []suggestionView
	Answers     bool
}

// A suggestionView is an answer that is remembered.
type suggestionView struct{ Value, Text string }

// A diffView is the change of one file.
type diffView struct {
	Path  string
	Lines []diffLine
}

// A diffLine is one line of a diff in the unified format.
type diffLine struct{ Class, Text string }

func newDiffView(d pegboard.Diff) diffView {
	v := diffView{Path: line(d.Path)}
	for text := range strings.Lines(block(d.Unified(), maxBlock)) {
		class := "same"
		switch text[0] {
		case '+':
			class = "added"
		case '-':
			class = "removed"
		}
		v.Lines = append(v.Lines, diffLine{class, text})
	}
	return v
}

func (p *Page) questions(r *http.Request) (any, error) {
	open := p.o.Session.Questions()
	v := questionsView{Answers: p.o.Answers, Contents: p.o.Contents}
	for i, q := range open {
		if i == maxQuestions {
			v.More = len(open) - i
			break
		}
		v.Questions = append(v.Questions, p.question(r.Context(), q))
	}
	return v, nil
}

// question returns the view of an open question.
func (p *Page) question(ctx context.Context, q *pegboard.Question) questionView {
	d := p.ring.describer
	info := q.Tool.Info()
	v := questionView{
		ID: q.ID, Agent: d.agentName(q.Call.Session()), Title: line(info.Title), Tool: line(d.name(q.Call.ToolName())),
		Reason: d.text(q.Reason), Targets: d.targets(q.Known()), Answers: p.o.Answers,
	}
	for i, by := range q.Besides {
		if i > 0 {
			v.Besides += " and "
		}
		v.Besides += "the " + by.String()
	}
	if at, number, ok := p.ring.asking(q); ok {
		v.Call, v.Since = number, clock(at)
	}
	if !p.o.Contents {
		return v
	}
	v.Title = q.Call.View().Before
	v.Input = block(indented(q.Call.Input), maxBlock)
	v.Diffs, v.NoPreview = previewOf(ctx, q)
	if p.o.Answers {
		for _, updates := range q.Suggestions(policy.SourceSession) {
			v.Suggestions = append(v.Suggestions, suggestionView{suggestionKey(updates), suggestionText(updates)})
		}
	}
	return v
}

// previewOf returns the changes that the call of a question would make, or why they are not known.
func previewOf(ctx context.Context, q *pegboard.Question) (views []diffView, why string) {
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	var diffs []pegboard.Diff
	var err error
	select {
	case crash := <-goroutine.Go(func() { diffs, err = q.Preview(ctx) }):
		if crash != nil {
			return nil, line(crash.Error())
		}
	case <-ctx.Done():
		return nil, "the tool has not said in time what the call would change"
	}
	switch {
	case errors.Is(err, pegboard.ErrNoPreview):
		return nil, ""
	case err != nil:
		return nil, line(err.Error())
	}
	for _, d := range diffs[:min(len(diffs), maxNames)] {
		views = append(views, newDiffView(d))
	}
	if more := len(diffs) - len(views); more > 0 {
		why = fmt.Sprintf("%d more files", more)
	}
	return views, why
}

// suggestionKey identifies updates in a form.
func suggestionKey(updates []policy.Update) string {
	text, _ := json.Marshal(updates) // they always have a JSON form
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func suggestionText(updates []policy.Update) string {
	var words []string
	for _, u := range updates {
		words = append(words, block(u.String(), maxScan))
	}
	return strings.Join(words, "; ")
}

// The answers of a form.
const (
	answerOnce     = "once"
	answerDeny     = "deny"
	answerStop     = "stop"
	answerRemember = "remember-" // and the key of a suggestion
)

// serveAnswer answers a question.
func (p *Page) serveAnswer(w http.ResponseWriter, r *http.Request) error {
	if !p.o.Answers {
		return &pageError{http.StatusForbidden, "questions are not answered on this page"}
	}
	if err := parseForm(r); err != nil {
		return err
	}
	id := r.PostForm.Get("id")
	open := p.o.Session.Questions()
	i := slices.IndexFunc(open, func(q *pegboard.Question) bool { return q.ID == id })
	if i < 0 {
		return p.notOpen(id)
	}
	d, err := p.decisionOf(open[i], r.PostForm.Get("answer"), r.PostForm.Get("reason"))
	if err != nil {
		return err
	}
	switch err := p.o.Session.Answer(id, d); {
	case errors.Is(err, pegboard.ErrQuestionClosed):
		return p.notOpen(id)
	case errors.Is(err, pegboard.ErrNotSaved):
		return &pageError{http.StatusOK, "The answer counts, but it could not be saved: " + err.Error()}
	case err != nil:
		return &pageError{http.StatusConflict, "The question is still open, the answer cannot be applied: " + err.Error()}
	}
	redirect(w, "", "")
	return nil
}

// parseForm reads the form in the body of a request.
func parseForm(r *http.Request) error {
	err := r.ParseForm()
	if tooLong := (*http.MaxBytesError)(nil); err == nil || errors.As(err, &tooLong) {
		return err
	}
	return &pageError{http.StatusBadRequest, "The form cannot be read."}
}

// notOpen says that a question cannot be answered.
func (p *Page) notOpen(id string) error {
	if id != "" && p.ring.wasAsked(id) {
		return &pageError{http.StatusConflict, "The question is not open any more: it was answered elsewhere, or its call has ended."}
	}
	return &pageError{http.StatusNotFound, "There is no such question."}
}

// decisionOf returns the decision that a form asks for.
func (p *Page) decisionOf(q *pegboard.Question, answer, reason string) (policy.Decision, error) {
	key, remembers := strings.CutPrefix(answer, answerRemember)
	switch {
	case answer == answerOnce:
		return policy.Decision{Behavior: policy.Allow}, nil
	case answer == answerDeny || answer == answerStop:
		return policy.Decision{Behavior: policy.Deny, Reason: reason, StopTurn: answer == answerStop}, nil
	case !remembers:
		return policy.Decision{}, &pageError{http.StatusBadRequest, "The form has no answer."}
	case p.o.Contents: // without contents the page does not show the rules
		for _, updates := range q.Suggestions(policy.SourceSession) {
			if suggestionKey(updates) == key {
				return policy.Decision{Behavior: policy.Allow, Remember: updates}, nil
			}
		}
	}
	return policy.Decision{}, &pageError{http.StatusConflict, "This is no longer one of the suggestions. The question is still open."}
}
