package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An askerExam is one check of an asker.
type askerExam struct {
	verdict
	ask   pegboard.Asker
	user  func(q *pegboard.Question, answer policy.Decision)
	pool  *pegboard.Pool
	asked chan *askedQuestion
	calls int
}

// An askedQuestion is a question that the asker was asked.
type askedQuestion struct {
	question *pegboard.Question
	returned chan askerReply // gets one value
	input    string
	cancel   context.CancelFunc    // of the call
	ended    chan pegboard.Outcome // gets one value
}

// An askerReply is the return value of an asker.
type askerReply struct {
	decision policy.Decision
	err      error
	crash    error
}

// askedTool is a tool whose calls need an answer. Its input names the targets.
func askedTool() pegboard.Tool {
	return FakeConfig{Name: "AskedTool", Targets: func(input json.RawMessage) (targets []policy.Target) {
		var in struct {
			Commands []string `json:"commands"`
		}
		_ = json.Unmarshal(input, &in) // it is made here
		for _, c := range in.Commands {
			targets = append(targets, policy.Target{Kind: policy.Command, Access: policy.Run, Value: c})
		}
		return targets
	}}.New(Reply{Text: "it ran"})
}

// observe is the Asker of the session. It asks the asker and tells the exam.
func (x *askerExam) observe(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	asked := &askedQuestion{question: q, returned: make(chan askerReply, 1)}
	x.asked <- asked
	var reply askerReply
	reply.crash = <-goroutine.Go(func() { reply.decision, reply.err = x.ask(ctx, q) })
	asked.returned <- reply
	if reply.crash != nil {
		return policy.Decision{}, reply.crash
	}
	return reply.decision, reply.err
}

// check stops after the first step that has found something: an asker whose answers do not
// count, or that panics, cannot be examined further.
func (x *askerExam) check() {
	steps := []func(){x.checkOdd, x.checkCancelled, x.checkElsewhere}
	if x.user != nil {
		steps = []func(){x.checkAnswers, x.checkOdd, x.checkCancelled, x.checkElsewhere, x.checkLate, x.checkTwice}
	}
	for _, step := range steps {
		if len(x.violations) == 0 {
			step()
		}
	}
}

// begin starts a call, and returns when the asker was asked about it.
func (x *askerExam) begin(input string) (*askedQuestion, bool) {
	x.calls++
	x.pool.Session().NewTurn() // so that the repeated calls do not look like a loop
	ctx, cancel := context.WithCancel(context.Background())
	c := pegboard.Call{ID: fmt.Sprint("asked ", x.calls), Name: "AskedTool", Input: json.RawMessage(input)}
	ended := make(chan pegboard.Outcome, 1)
	goroutine.Go(func() {
		e := pegboard.Executor{Logger: slog.New(slog.DiscardHandler)} // of panics
		ended <- e.Run(ctx, x.pool, c)[0]
	})
	var asked *askedQuestion
	if !x.runAll(ruleAskerEnds, "the question before", input, func() { asked = <-x.asked }) {
		cancel()
		return nil, false
	}
	asked.input, asked.cancel, asked.ended = input, cancel, ended
	return asked, true
}

// reply waits until the asker has returned, and examines its answer.
func (x *askerExam) reply(a *askedQuestion, late, when string) (askerReply, bool) {
	var r askerReply
	if !x.runAll(late, "the asker, "+when+",", shorten(a.input), func() { r = <-a.returned }) {
		return r, false
	}
	if r.crash != nil {
		x.addViolation(ruleAskerPanics, a.input, "%v", r.crash)
		return r, false
	}
	if b := r.decision.Behavior; r.err == nil && b != policy.Undecided && b != policy.Allow && b != policy.Deny {
		x.addViolation(ruleAskerKnown, a.input, "it returned the behavior %v", b)
		return r, false
	}
	return r, true
}

// answer lets the user answer a question.
func (x *askerExam) answer(a *askedQuestion, b policy.Behavior) bool {
	d := policy.Decision{Behavior: b}
	if b == policy.Deny {
		d.Reason = "no"
	}
	return x.runStage("the user", a.input, func() { x.user(a.question, d) })
}

// outcome waits for the end of the call of a question.
func (x *askerExam) outcome(a *askedQuestion, late string) (pegboard.Outcome, bool) {
	var out pegboard.Outcome
	if !x.runAll(late, "the call of a question that was answered", shorten(a.input), func() { out = <-a.ended }) {
		return out, false
	}
	return out, true
}

// expect lets the user answer a question, and expects that the answer counts.
func (x *askerExam) expect(a *askedQuestion, b policy.Behavior, rule string) {
	if !x.answer(a, b) {
		return
	}
	if _, ok := x.reply(a, ruleAskerAnswers, "when the user had answered"); !ok {
		return
	}
	out, ok := x.outcome(a, ruleAskerAnswers)
	if !ok {
		return
	}
	if b == policy.Allow && out.Err != nil {
		x.addViolation(rule, a.input, "the user allowed the call, and its error is %v", out.Err)
	}
	if b == policy.Deny && !errors.Is(out.Err, pegboard.ErrDenied) {
		x.addViolation(rule, a.input, "the user denied the call, and its error is %v", out.Err)
	}
}

const plainInput = `{"commands":["make install"]}`

func (x *askerExam) checkAnswers() {
	for _, b := range []policy.Behavior{policy.Allow, policy.Deny, policy.Allow} {
		a, ok := x.begin(plainInput)
		if !ok || x.stuck {
			return
		}
		x.expect(a, b, ruleAskerAnswers)
		a.cancel()
	}
}

// oddQuestions are inputs that a user interface may not expect.
func oddQuestions() []string {
	quoted := func(commands ...string) string {
		text, _ := json.Marshal(map[string][]string{"commands": commands}) // strings
		return string(text)
	}
	return []string{
		`{}`, quoted(""), quoted("echo a\necho b"), quoted("\x1b[2J\x1b]0;title\a", "\x00", "\u202ereversed"),
		quoted(strings.Split(strings.Repeat("echo,", 100), ",")...), quoted(strings.Repeat("x", 1<<20)),
		quoted("{{.}}", "<script>", "%s%d", "$(id)", "[ok](http://x)"),
	}
}

func (x *askerExam) checkOdd() {
	for _, in := range oddQuestions() {
		a, ok := x.begin(in)
		if !ok || x.stuck {
			return
		}
		if x.user != nil {
			x.expect(a, policy.Allow, ruleAskerAnswers)
			a.cancel()
			continue
		}
		if _, ok := x.reply(a, ruleAskerEnds, "which needs no user"); ok {
			x.outcome(a, ruleAskerEnds)
		}
		a.cancel()
	}
}

// checkEnd waits for an asker whose context has ended.
func (x *askerExam) checkEnd(a *askedQuestion, when string) bool {
	r, ok := x.reply(a, ruleAskerEnds, when)
	if ok && x.user != nil && r.err == nil && r.decision.Behavior == policy.Allow {
		x.addViolation(ruleAskerSilence, a.input, "it returned Allow %s", when)
	}
	if ok {
		_, ok = x.outcome(a, ruleAskerEnds)
	}
	return ok
}

func (x *askerExam) checkCancelled() {
	if a, ok := x.begin(plainInput); ok {
		a.cancel()
		x.checkEnd(a, "when the call was cancelled")
	}
}

func (x *askerExam) checkElsewhere() {
	if a, ok := x.begin(plainInput); ok {
		defer a.cancel()
		err := a.question.Answer(policy.Decision{Behavior: policy.Deny, Reason: "answered elsewhere"})
		if err != nil && x.user != nil {
			x.addViolation(ruleAskerSilence, plainInput, "the question was over before it was answered elsewhere: %v", err)
			return
		}
		x.checkEnd(a, "when the question was answered elsewhere")
	}
}

// checkLate answers a question that is over, while the next one is open.
func (x *askerExam) checkLate() {
	first, ok := x.begin(plainInput)
	if !ok {
		return
	}
	first.cancel()
	if !x.checkEnd(first, "when the call was cancelled") {
		return
	}
	x.expectUnanswered(first)
}

// checkTwice answers a question twice, the second time while the next one is open.
func (x *askerExam) checkTwice() {
	first, ok := x.begin(plainInput)
	if !ok {
		return
	}
	defer first.cancel()
	x.expect(first, policy.Allow, ruleAskerAnswers)
	if !x.stuck {
		x.expectUnanswered(first)
	}
}

// expectUnanswered asks a question, allows the one before, which is over, and then denies
// this one.
func (x *askerExam) expectUnanswered(before *askedQuestion) {
	second, ok := x.begin(`{"commands":["rm -r build"]}`)
	if !ok {
		return
	}
	defer second.cancel()
	if !x.answer(before, policy.Allow) {
		return
	}
	select {
	case out := <-second.ended: // the answer to another question may take a moment to arrive
		x.addViolation(ruleAskerOther, second.input, "the user answered the question before, and this one ended with the error %v", out.Err)
		return
	case <-time.After(min(x.grace, 50*time.Millisecond)):
	}
	x.expect(second, policy.Deny, ruleAskerOther)
}
