package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// asked starts calls that a person is asked about, and returns when that many questions are
// open. Ended delivers the outcomes.
func (b *bench) asked(t *testing.T, open int, calls ...pegboard.Call) (ended <-chan []pegboard.Outcome) {
	t.Helper()
	line := make(chan struct{}, 100)
	b.executor = &pegboard.Executor{OnEvent: func(e pegboard.Event) {
		b.page.Record(e)
		if e.Kind == pegboard.EventAsked {
			line <- struct{}{}
		}
	}}
	outs := make(chan []pegboard.Outcome, 1)
	pool := b.pool()
	go func() { outs <- b.executor.Run(context.Background(), pool, calls...) }()
	for range open {
		<-line
	}
	return outs
}

// button returns the value of the button with that text.
func button(t *testing.T, page, text string) string {
	t.Helper()
	for _, m := range regexp.MustCompile(`<button name="answer" value="([^"]*)">([^<]*)</button>`).FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[2], text) {
			return m[1]
		}
	}
	require.Failf(t, "no such button", "%s in %s", text, page)
	return ""
}

func TestQuestionIsShownAndAnswered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, button, reason string
		allowed, stops       bool
		rule                 string // that is remembered
		told                 string // to the model
	}{
		{name: "once", button: "Allow once", allowed: true},
		{name: "always", button: "Always: allow Edit(/b) in session", allowed: true, rule: "Edit(/b)"},
		{name: "denied", button: "Deny", reason: "not <b>now</b>", told: "not <b>now</b>"},
		{name: "denied, and the turn ends", button: "Deny and stop the turn", reason: "enough", stops: true, told: "enough"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, nil, writer("Write"))
			ended := b.asked(t, 1, call("1", "Write", `{"path":"b","note":"k4nary"}`))
			page := b.see(t, "/")
			require.Contains(t, page, "<title>(1) Questions")
			require.Contains(t, page, "k4nary")
			require.Contains(t, page, "write ")
			require.Contains(t, page, "main agent")
			id := b.session.Questions()[0].ID
			w := b.post(t, "/answer", url.Values{"id": {id}, "answer": {button(t, page, tc.button)}, "reason": {tc.reason}})
			require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
			out := (<-ended)[0]
			require.Equal(t, tc.allowed, out.Err == nil)
			require.Equal(t, tc.stops, out.StopTurn)
			require.Contains(t, out.Result.Text(), tc.told)
			var rules []string
			for _, r := range b.session.Permissions().Rules() {
				rules = append(rules, r.String())
			}
			if tc.rule != "" {
				require.Equal(t, []string{tc.rule}, rules)
			} else {
				require.Empty(t, rules)
			}
			require.Contains(t, b.see(t, "/"), "No question is open.")
			require.Contains(t, b.see(t, "/timeline"), "by person")
		})
	}
}

func TestAnswersThatCannotBe(t *testing.T) { //nolint:tparallel // the cases share one page
	t.Parallel()
	tests := []struct {
		name string
		form func(id string) url.Values
		want int
		says string
	}{
		{name: "an id that is none", form: func(string) url.Values { return url.Values{"id": {"1"}, "answer": {"once"}} }, want: http.StatusNotFound, says: "no such question"},
		{name: "no id", form: func(string) url.Values { return url.Values{"answer": {"once"}} }, want: http.StatusNotFound, says: "no such question"},
		{name: "no answer", form: func(id string) url.Values { return url.Values{"id": {id}} }, want: http.StatusBadRequest, says: "no answer"},
		{name: "an answer that is none", form: func(id string) url.Values { return url.Values{"id": {id}, "answer": {"yes"}} }, want: http.StatusBadRequest, says: "no answer"},
		{name: "a suggestion that is none", form: func(id string) url.Values { return url.Values{"id": {id}, "answer": {"remember-0"}} }, want: http.StatusConflict, says: "no longer one of the suggestions"},
		{name: "64 KiB and more", form: func(id string) url.Values {
			return url.Values{"id": {id}, "answer": {"deny"}, "reason": {strings.Repeat("a", 64<<10)}}
		}, want: http.StatusRequestEntityTooLarge, says: "65536 bytes"},
	}
	b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, nil, writer("Write"))
	ended := b.asked(t, 1, call("1", "Write", `{"path":"b"}`))
	id := b.session.Questions()[0].ID
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := b.post(t, "/answer", tc.form(id))
			require.Equal(t, tc.want, w.Code)
			require.Contains(t, w.Body.String(), tc.says)
			require.Contains(t, w.Body.String(), `href="style.css"`, "it is a page")
			require.Len(t, b.session.Questions(), 1)
		})
	}
	require.NoError(t, b.session.Answer(id, policy.Decision{Behavior: policy.Deny}))
	<-ended
	w := b.post(t, "/answer", url.Values{"id": {id}, "answer": {"once"}})
	require.Equal(t, http.StatusConflict, w.Code)
	require.Contains(t, w.Body.String(), "answered elsewhere")
}

// TestAnswersAreOff: without the option, questions are shown and not answered.
func TestAnswersAreOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, func(o *inspect.Options) { o.Answers = false }, writer("Write"))
	ended := b.asked(t, 1, call("1", "Write", `{"path":"b"}`))
	require.NotContains(t, b.see(t, "/"), "<button name")
	id := b.session.Questions()[0].ID
	require.Equal(t, http.StatusForbidden, b.post(t, "/answer", url.Values{"id": {id}, "answer": {"once"}}).Code)
	require.NoError(t, b.session.Answer(id, policy.Decision{Behavior: policy.Deny}))
	<-ended
}

// TestQuestionWithoutContents shows the kinds of its targets, and offers no rule that nobody
// can read.
func TestQuestionWithoutContents(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, func(o *inspect.Options) { o.Contents = false }, writer("Write"))
	ended := b.asked(t, 1, call("1", "Write", `{"path":"k4nary","note":"k4nary"}`))
	page := b.see(t, "/")
	require.Contains(t, page, "path:write")
	require.NotContains(t, page, "k4nary")
	require.NotContains(t, page, "Always")
	id := b.session.Questions()[0].ID
	require.Equal(t, http.StatusConflict, b.post(t, "/answer", url.Values{"id": {id}, "answer": {"remember-0"}}).Code)
	require.Equal(t, http.StatusSeeOther, b.post(t, "/answer", url.Values{"id": {id}, "answer": {"once"}}).Code)
	require.NoError(t, (<-ended)[0].Err)
	require.NotContains(t, b.see(t, "/timeline"), "k4nary")
}

// TestQuestionShowsWhatWouldChange, who is asked besides, and since when.
func TestQuestionShowsWhatWouldChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n<two>\n"), 0o600))
	hook := func(ctx context.Context, _ *pegboard.Question) (policy.Decision, error) {
		<-ctx.Done()
		return policy.Decision{}, ctx.Err()
	}
	b := newBench(t, pegboard.SessionConfig{Dir: dir, Ask: pegboard.AskLater, Hooks: pegboard.Hooks{Permission: hook}, PromptDelay: -1}, nil, files.Write(files.WriteOptions{}))
	input, err := json.Marshal(map[string]string{"file_path": filepath.Join(dir, "b.txt"), "content": "one\n<three>\n"})
	require.NoError(t, err)
	ended := b.asked(t, 1, call("1", "Write", string(input)))
	page := b.see(t, "/")
	require.Contains(t, page, "<figcaption>")
	require.Contains(t, page, "&#43;&lt;three&gt;")
	require.Contains(t, page, "<dt>Asked besides</dt><dd>the hook</dd>")
	require.Regexp(t, `<a href="call\?n=1">call 1</a>, since \d\d:\d\d:\d\d`, page)
	require.NoFileExists(t, filepath.Join(dir, "b.txt"))
	require.NoError(t, b.session.Questions()[0].Answer(policy.Decision{Behavior: policy.Deny}))
	<-ended
}

// TestManyQuestionsAreCut, and those that are shown can be answered.
func TestManyQuestionsAreCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Ask: pegboard.AskLater}, nil, writer("Write"))
	var calls []pegboard.Call
	for i := range 60 {
		calls = append(calls, call("", "Write", fmt.Sprintf(`{"path":"%d"}`, i)))
	}
	ended := b.asked(t, 60, calls...)
	page := b.see(t, "/")
	require.Contains(t, page, "<title>(60) Questions")
	require.Contains(t, page, "10 more questions are open.")
	require.Equal(t, 50, strings.Count(page, `class="question"`))
	require.Less(t, strings.Index(page, "Write 0<"), strings.Index(page, "Write 49<"), "in line order")
	b.denies(t, ended)
}

// TestPageOfAClosedSessionShowsWhatItHas, in every section.
func TestPageOfAClosedSessionShowsWhatItHas(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Allow: []string{"Edit"}})}, nil, writer("Write"))
	b.run(t, call("1", "Write", `{"path":"a"}`))
	require.NoError(t, b.session.Close(t.Context()))
	for _, ref := range references(t, b.see(t, "/")) {
		require.Equal(t, http.StatusOK, b.get(t, "/"+strings.TrimPrefix(ref, "./")).Code, ref)
	}
	require.Contains(t, b.see(t, "/timeline"), "Write a")
	require.Contains(t, b.see(t, "/call?n=1"), "As it would be decided now")
	require.Contains(t, b.post(t, "/decide", url.Values{"tool": {"Write"}, "input": {`{"path":"a"}`}}).Body.String(), "<h2>Decision</h2>")
}
