package tooltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// Check reports every way in which t breaks the contract of [pegboard.Tool], given
// inputs that it should accept. The error joins one *[ContractError] for each; nil
// means that Check has found none. Use a [Checker] to choose the session.
//
// Check runs every input through a real registry, pool and executor. It checks these
// rules:
//
//   - The tool can be registered: it is made by Build and has a valid name.
//   - Info is fixed: it returns the same value every time.
//   - The tool is declared, under its name or an alias.
//   - The declaration is stable: each time the same text and schema, byte for byte,
//     and the same schema in a fork of the session.
//   - The schema is of an object: valid JSON with "type": "object".
//   - There is an input. Without one, Check cannot check the rules below.
//   - Inputs are accepted: they pass decoding, validation and permission.
//   - Mutations are refused: truncated JSON, text after the object, an array or null
//     instead of the object, a duplicate key, and a key in another letter case; and,
//     if the declared schema says so directly, a missing required property, an
//     unknown property, and a value of the wrong type. Nested objects are mutated as
//     well. Schemas behind $ref, anyOf and similar keywords are ignored.
//   - Traits are pure: the same for the same input when asked again, by several
//     goroutines, and after other calls. Check cannot see I/O that does not change
//     the answer.
//   - Traits agree with each other: no target of a read-only call is written, and no
//     read-only call is destructive.
//   - Targets are clear: the value of a host is a host name or an address, not a URL or
//     host:port; a path is no URL; no name is empty.
//   - Kinds are true: a call of the kind search, read, list or think is not destructive and
//     writes no path, and one of the kind edit is not read-only.
//   - Own things are named: a call whose Traits have Own is read-only or names a target, and
//     none that it writes is a path, a command, a host or opaque.
//   - Paths and addresses are targets: a property that is one, by its name or its
//     value, is in a target of the call, unless that has an opaque one.
//   - Lines are for a person: the title and what Lines returns are one line each, or
//     empty, without control characters, and the same when asked again; kind and folding
//     are among the constants.
//   - Every stage returns: no panic, no runtime.Goexit, no endless wait.
//   - A cancelled call ends: with a context that is already cancelled, Call returns a
//     result or an error within the grace period.
//   - A view shows nothing that the result does not: if such a cancelled call returns a
//     result, CheckView finds nothing in it. Use [CheckView] for other results.
//
// Also run the test with -race: several goroutines then call the stages of an
// accepted call at the same time, and the race detector reports data races.
//
// Call itself runs only for the last two of these rules and for the race detector: twice
// at the same time for each input, with a cancelled context. It never runs with a
// mutated input. A tool that ignores the cancelled context does its work then, so
// choose inputs that may run.
func Check(t pegboard.Tool, inputs ...string) error { return Checker{}.Check(t, inputs...) }

// A Checker is a [Check] with settings. The zero value is equivalent to Check.
type Checker struct {
	// Session is the session in which the inputs run; it must permit them. Nil means
	// a new session from [NewSession] in the current directory.
	Session *pegboard.Session
	// Grace is how long a stage or a cancelled call may take. 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [Check].
func (k Checker) Check(t pegboard.Tool, inputs ...string) error {
	x := &exam{tool: t, session: k.Session, verdict: verdict{purposes: rulePurposes, returns: ruleReturns, grace: k.Grace}}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	if x.session == nil {
		s, err := NewSession("")
		if err != nil {
			return err
		}
		x.session = s
		defer func() { _ = closeSession(s) }() // Check does not examine the remains of a cancelled call
	}
	if x.checkInfo() && x.checkDeclaration() {
		x.checkInputs(inputs)
	}
	return x.err()
}

// CheckAsker reports every way in which an asker breaks the contract of [pegboard.Asker].
// User plays the person: it is given a question that the asker was asked, perhaps one that
// is over, and the answer, and does as the person would: it clicks a button of the page,
// writes a line to the terminal, sends a message to the bridge. It returns when that is
// done. A nil user is for an asker that decides by itself. The error joins one
// *[ContractError] for each violation; nil means that CheckAsker has found none. Use an
// [AskerChecker] to choose the grace period.
//
// CheckAsker runs calls through a real executor, in a session that asks about them. It
// checks these rules:
//
//  1. Answers count: if the user allows a call, it runs, and if not, it is denied. That
//     holds for odd questions, too: with a long input, line breaks, terminal escapes, NUL and
//     bidirectional marks, with a hundred targets and with none.
//  2. It returns when its context ends: because the call is cancelled, or the question was
//     answered in another way.
//  3. An end is no answer: an asker whose user has not answered does not return Allow.
//  4. Other questions are not answered: an answer to a question that is over does not
//     become the answer to the next one, and neither do both answers to the first.
//  5. Decisions are known: the behavior is Allow, Deny, or Undecided, which abstains.
//  6. It does not panic: nor does it call runtime.Goexit, whatever the question is.
//
// Without a user the rules 1, 3 and 4 are not checked. CheckAsker stops at the first kind of
// question for which a rule is broken.
func CheckAsker(ask pegboard.Asker, user func(q *pegboard.Question, answer policy.Decision)) error {
	return AskerChecker{}.Check(ask, user)
}

// An AskerChecker is a [CheckAsker] with settings. The zero value is equivalent to
// CheckAsker.
type AskerChecker struct {
	// Grace is how long an asker may take to show a question, to return after an answer,
	// and to return when its context has ended; 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckAsker].
func (k AskerChecker) Check(ask pegboard.Asker, user func(q *pegboard.Question, answer policy.Decision)) error {
	x := &askerExam{
		verdict: verdict{purposes: askerPurposes, returns: ruleAskerPanics, grace: k.Grace},
		ask:     ask, user: user, asked: make(chan *askedQuestion, 1),
	}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: x.observe})
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), x.grace)
		defer cancel()
		_ = s.Close(ctx) // an asker that does not return was reported
	}()
	if x.pool, err = poolOf(askedTool(), s); err != nil {
		return err
	}
	x.check()
	return x.err()
}

// CheckInvoke reports every way in which a func for [pegboard.Executor].Invoke does not
// perform calls as they are performed in this process. Build returns the func, given the
// pool whose calls it performs. The pool has the tools of [InvokeTools]: a func that sends
// calls to another process finds the same tools there if that process registers them. The
// error joins one *[ContractError] for each violation; nil means that CheckInvoke has found
// none. Use an [InvokeChecker] to choose the grace period.
//
// CheckInvoke runs calls through a real executor, with and without the func, and compares
// the outcomes. Each call has an id of its own, by which an engine may know it. CheckInvoke
// checks these rules:
//
//  1. An Invoke is made: build returns no error. Nil is the default.
//  2. Exactly the decided bytes arrive: the tool gets the id, the name and every byte of
//     the input that was decided: white space, the order of keys, numbers of any size, the
//     way in which characters are written. If a hook has changed the input, the changed one.
//  3. Results come back: every part of the result, and whether it is an error. CheckInvoke
//     does not compare Data, Value, Diffs and the funcs of a [pegboard.Result].
//  4. Errors cross: if the tool returns an error, the call fails with the same text, and the
//     parts of a result beside the error are kept.
//  5. Panics cross: if the tool panics, the error of the outcome wraps
//     [pegboard.ErrPanic]. The func panics, too, or returns a *[pegboard.PanicError].
//  6. Cancellation arrives: when the context of the call ends, the context of the tool ends
//     within the grace period, and the func returns.
//  7. A call runs once: it is not repeated after an error, a panic or a cancellation, and is
//     not left out because an earlier call had the same input.
//  8. Calls run beside each other: the func is called for several calls at the same time,
//     and does not wait for one before it begins another.
//  9. Every call returns: no endless wait.
func CheckInvoke(build func(p *pegboard.Pool) (pegboard.Invoke, error)) error {
	return InvokeChecker{}.Check(build)
}

// An InvokeChecker is a [CheckInvoke] with settings. The zero value is equivalent to
// CheckInvoke.
type InvokeChecker struct {
	// Grace is how long a call may take, and how long a cancellation; 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckInvoke].
func (k InvokeChecker) Check(build func(p *pegboard.Pool) (pegboard.Invoke, error)) error {
	x := &invokeExam{verdict: verdict{purposes: invokePurposes, returns: ruleInvokeReturns, grace: k.Grace}}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	s, err := newInvokeSession()
	if err != nil {
		return err
	}
	defer func() { _ = closeSession(s) }() // CheckInvoke does not examine the remains of a cancelled call
	if err := x.prepare(s, build); err != nil {
		return err
	}
	x.check()
	return x.err()
}

// CheckLoop reports every way in which a loop breaks the contract of [agents.Loop]. Build
// returns the loop, which asks the given model in place of its provider's: the code that sends
// a request calls [LoopModel.Reply]. It is called once for each conversation. The error joins
// one *[ContractError] for each violation; nil means that CheckLoop has found none. Use a
// [LoopChecker] to choose the grace period.
//
// CheckLoop runs agents through a real [agents.Agents], executor and registry. It checks these
// rules:
//
//  1. Every call is answered once: each request has the result of every call of the turn
//     before, once, also of calls that fail and of tools that do not exist.
//  2. Next comes before each request: the task is in the first request, and the words that an
//     agent was told meanwhile are in the next one.
//  3. History stays byte for byte: a request begins with the messages of the request before,
//     unchanged, and the first one with those of Agent.History. What was sent was passed to
//     Agent.Append: a loop that is called again finds it in Agent.History.
//  4. It ends when it is stopped: the loop returns within the grace period after its context
//     has ended, while it waits for the model and while it waits for a call.
//  5. It ends on limits: a model that never stops gets as many requests as the definition's
//     MaxTurns and Options.MaxUSD allow, no more and no fewer.
//  6. It ends on StopTurn: after an outcome with StopTurn there is no request, and Reply has
//     StopTurn.
//  7. Costs are told once: those of each request, to the Next that follows or in Reply.
//  8. The last text is the reply: Reply.Text, or the last message that was passed to Append.
//  9. Every run returns: no error of a run in which nothing failed, no panic, no endless wait.
func CheckLoop(build func(m *LoopModel) agents.Loop) error { return LoopChecker{}.Check(build) }

// A LoopChecker is a [CheckLoop] with settings. The zero value is equivalent to CheckLoop.
type LoopChecker struct {
	// Grace is how long a conversation may take, and a loop that was stopped; 0 means
	// [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckLoop].
func (k LoopChecker) Check(build func(m *LoopModel) agents.Loop) error {
	x := &loopExam{verdict: verdict{purposes: loopPurposes, returns: ruleLoopReturns, grace: k.Grace}, build: build}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	if err := x.check(); err != nil {
		return err
	}
	return x.err()
}

// CheckRanker reports every way in which a ranker breaks the contract of
// [pegboard.Ranker]. It searches a pool of its own, of two dozen deferred tools of three
// servers. The error joins one *[ContractError] for each violation; nil means that
// CheckRanker has found none. Use a [RankerChecker] to choose the grace period.
//
// CheckRanker checks these rules:
//
//  1. The named is found: words that are in the name and the description of one tool find
//     it, as one of the first three.
//  2. The limit holds: there are at most limit matches, none for 0, and one for 1.
//  3. The best come first: the scores never rise, and are numbers.
//  4. Matches are deferred tools: each name is that of a deferred tool of the pool, and there
//     only once.
//  5. Accept decides: no match is a name that accept refuses, and a refused name takes no
//     place of the limit. A nil accept accepts all.
//  6. The irrelevant is not found: words that mean nothing find nothing.
//  7. The same words find the same: the same tools in the same order, also from several
//     goroutines at once.
//  8. Odd words are words: none, a megabyte of them, and bytes that are not UTF-8 make no
//     panic; neither does a pool without tools.
//  9. It ends with its context: when that has ended, Rank returns within the grace period,
//     with matches or an error.
func CheckRanker(r pegboard.Ranker) error { return RankerChecker{}.Check(r) }

// A RankerChecker is a [CheckRanker] with settings. The zero value is equivalent to
// CheckRanker.
type RankerChecker struct {
	// Grace is how long one search may take; 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckRanker].
func (k RankerChecker) Check(r pegboard.Ranker) error {
	x := &rankerExam{verdict: verdict{purposes: rankerPurposes, returns: ruleRankerOdd, grace: k.Grace}, ranker: r}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	s, err := NewSession("")
	if err != nil {
		return err
	}
	defer func() { _ = closeSession(s) }() // nothing in it runs
	if err := x.prepare(s); err != nil {
		return err
	}
	x.check()
	return x.err()
}

// CheckRules holds the permission rules of a host against rows that say how calls should be
// decided. The rules and the mode are those of the session of p, and the tools of p say what
// the calls act on; nothing runs, and no one is asked. The error joins one *[ContractError] for
// each violation; nil means that CheckRules has found none. [ParseRuleRows] reads rows from a
// file, or from the log of package audit.
//
// CheckRules checks these rules:
//
//  1. There are rows: at least one is about the mode of the session.
//  2. Rows are about calls: the tool is in the pool, its input is accepted, and the wanted
//     behavior is Allow, Ask or Deny.
//  3. Calls are decided as wanted: as by [pegboard.Pool.Decide]. Got has the steps of the
//     decision, as [pegboard.Pool.ExplainDecision] returns them.
//  4. Rules are about tools of the pool: [pegboard.Pool.RuleProblems] returns nothing.
func CheckRules(p *pegboard.Pool, rows ...RuleRow) error {
	v := verdict{purposes: rulesPurposes}
	mode := p.Session().Permissions().Mode()
	tried := 0
	for _, row := range rows {
		if row.Mode == "" || row.Mode == mode {
			tried++
			checkRow(&v, p, row)
		}
	}
	if tried == 0 {
		v.addViolation(ruleRulesRows, "", "none of %d rows is about the mode %s", len(rows), mode)
	}
	for _, problem := range p.RuleProblems() {
		v.addViolation(ruleRulesTools, "", "%v", problem)
	}
	return v.err()
}

// The rules of CheckRules.
const (
	ruleRulesRows    = "there are rows"
	ruleRulesCalls   = "rows are about calls"
	ruleRulesDecided = "calls are decided as wanted"
	ruleRulesTools   = "rules are about tools of the pool"
)

// rulesPurposes holds the purpose of each rule of CheckRules.
var rulesPurposes = map[string]string{
	ruleRulesRows:    "rules that were compared with nothing were not checked",
	ruleRulesCalls:   "a call that no tool accepts is denied whatever the rules are",
	ruleRulesDecided: "a rule that covers less or more than its author means is found by an example",
	ruleRulesTools:   "a rule with a misspelt name has no effect",
}

// checkRow compares the decision of one row.
func checkRow(v *verdict, p *pegboard.Pool, row RuleRow) {
	c := pegboard.Call{ID: "row", Name: row.Tool, Input: row.Input}
	input := fmt.Sprintf("%s %s", row.Tool, row.Input)
	if _, _, err := p.Rebuild(c); err != nil {
		v.addViolation(ruleRulesCalls, input, "%s%v", row.at(), err)
		return
	}
	if row.Want != policy.Allow && row.Want != policy.Ask && row.Want != policy.Deny {
		v.addViolation(ruleRulesCalls, input, "%sthe wanted behavior is %v", row.at(), row.Want)
		return
	}
	if x := p.ExplainDecision(context.Background(), c); x.Decision.Behavior != row.Want {
		v.addViolation(ruleRulesDecided, input, "%s%v is wanted, and the decision is %v:\n%v", row.at(), row.Want, x.Decision.Behavior, x)
	}
}

// CheckStore reports every way in which a store breaks the contract of
// [pegboard.ResultStore]. Every call of open returns another store over the same place: the
// same directory and session, bucket or table, which should be empty. The error joins one
// *[ContractError] for each violation; nil means that CheckStore has found none. Use a
// [StoreChecker] for a smaller large result, and for a second process.
//
// CheckStore checks these rules:
//
//  1. A store opens: open returns a store and no error, each time.
//  2. Results are kept: Open returns the bytes that Put has read, from either store: no
//     bytes at all, one line, text that is not UTF-8, and zero bytes. Size is their number,
//     and Path, if there is one, is absolute and names a file with the same bytes. Of the
//     large result a store may keep less, namely its first Size bytes. A text may follow
//     them.
//  3. Streams are read to the end: Put reads until io.EOF, even if it keeps less.
//  4. The same has the same name: the same bytes of a call give the same StoredResult,
//     again, in the other store, in another process, and whatever pieces the reader
//     returns.
//  5. Others are apart: other bytes of a call, and bytes of another call, have another Ref
//     unless they are the same bytes. The ids of calls may be any text: empty, long, in
//     other letter case, with slashes, dots, control characters and invalid UTF-8.
//  6. Nothing partial stays: when the reader fails, Put returns an error. When the context
//     ends before Put or while it reads, Put returns an error or keeps all bytes. With the
//     error there is nothing to open, and the same call can be stored afterwards. Nothing
//     is seen of a result that is still being read.
//  7. Unknown refs do not exist: Open of a ref that Put has not returned fails with an
//     error that wraps fs.ErrNotExist: an empty one, a shorter or longer one, and refs that
//     look like paths.
//  8. Refs are no paths: Open returns no file from outside the store. A ref is one line of
//     visible text, is not absolute and has no element "..", whatever the id of the call.
//     With Path it has at most 8 KiB.
//  9. Concurrent calls agree: what several goroutines put into both stores is named and
//     kept as by one, readers of one result do not disturb each other, and Put does not
//     wait for the reader of another Put.
//  10. Stored results never change: after all of this, every result opens as it was put,
//     also in a store that is opened then, and so does a reader that was open meanwhile.
//  11. Every method returns: no panic, no runtime.Goexit, no endless wait.
//
// Rule 4 speaks of all processes. CheckStore sees only its own, so a name that depends on
// the process is found by [StoreChecker].Elsewhere. CheckStore does not examine how a store
// removes old results. It ends by closing the stores that have a method Close() error. It
// does not remove the results.
func CheckStore(open func() (pegboard.ResultStore, error)) error { return StoreChecker{}.Check(open) }

// A StoreChecker is a [CheckStore] with settings. The zero value is equivalent to
// CheckStore.
type StoreChecker struct {
	// Large is the size of the largest result in bytes; 0 means 64 MiB, the default limit
	// of a [pegboard.DirStore].
	Large int64
	// Elsewhere returns the result of [StoreSample] in another process, for a store over
	// the same place: for example, it runs a program that prints it as JSON. Nil means that
	// names are compared within this process only.
	Elsewhere func() ([]pegboard.StoredResult, error)
	// Grace is how long a method may take; 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckStore].
func (k StoreChecker) Check(open func() (pegboard.ResultStore, error)) error {
	x := &storeExam{
		verdict: verdict{purposes: storePurposes, returns: ruleStoreReturns, grace: k.Grace},
		open:    open, large: k.Large, elsewhere: k.Elsewhere,
	}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	if x.large <= 0 {
		x.large = 64 << 20
	}
	defer x.close()
	x.check()
	return x.err()
}

// CheckView compares the fields of a result that a user interface shows, see
// [pegboard.Outcome.View], with the parts that the model gets. Use it with the outcomes of
// [Run]; [Check] sees only what cancelled calls return. The error joins one *[ContractError]
// for each violation; nil means that CheckView has found none. It checks these rules:
//
//  1. A search finds words of the result: each word of Result.SearchText is in the parts of the
//     result.
//  2. A line tells no more: in Result.Line, a number, name or path of more than eight
//     characters, some of which are no letters, is in the parts of the result or in the input
//     of the call. CheckView cannot see whether other words are true.
//  3. Diffs are of the call: a call that did not run has none, and each is of a path that the
//     call says it writes, if it names such paths.
func CheckView(o pegboard.Outcome) error {
	if o.Call == nil || o.Result == nil {
		return nil
	}
	v := verdict{purposes: viewPurposes}
	checkSearchText(&v, o)
	checkLine(&v, o)
	checkDiffs(&v, o)
	return v.err()
}

// The rules of CheckView.
const (
	ruleViewSearch = "a search finds words of the result"
	ruleViewLine   = "a line tells no more"
	ruleViewDiffs  = "diffs are of the call"
)

// viewPurposes holds the purpose of each rule of CheckView.
var viewPurposes = map[string]string{
	ruleViewSearch: "a person who has found a result must find the words in it",
	ruleViewLine:   "a person and the model must know the same of what came of a call",
	ruleViewDiffs:  "a person takes the diffs for the changes that the call has made",
}

// shownText returns all text of a result that the model gets.
func shownText(r *pegboard.Result) string {
	var all []string
	for _, p := range r.Parts {
		all = append(all, p.Text, p.Title, p.Source, p.Tool, p.Ref)
	}
	return strings.Join(all, "\n")
}

func checkSearchText(v *verdict, o pegboard.Outcome) {
	shown := shownText(o.Result)
	for _, word := range strings.Fields(o.Result.SearchText) {
		if !strings.Contains(shown, word) {
			v.addViolation(ruleViewSearch, string(o.Call.Input), "Result.SearchText has %q, and the parts do not", shorten(word))
			return
		}
	}
}

func checkLine(v *verdict, o pegboard.Outcome) {
	known := shownText(o.Result) + "\n" + string(o.Call.Input)
	for _, word := range strings.Fields(o.Result.Line) {
		word = strings.Trim(word, `.,:;!?()[]{}"'…`)
		if len([]rune(word)) > 8 && strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) && !strings.Contains(known, word) {
			v.addViolation(ruleViewLine, string(o.Call.Input), "Result.Line has %q, and neither the parts nor the input do", shorten(word))
			return
		}
	}
}

func checkDiffs(v *verdict, o pegboard.Outcome) {
	diffs := o.Result.Diffs
	if len(diffs) == 0 {
		return
	}
	var failed *pegboard.CallError
	if errors.As(o.Err, &failed) && failed.Stage != pegboard.StageCall && failed.Stage != pegboard.StageResult {
		v.addViolation(ruleViewDiffs, string(o.Call.Input), "the call did not run, and has the diff of %s", diffs[0].Path)
		return
	}
	var written []string
	for _, t := range o.Call.Targets() {
		if t.Kind == policy.Path && t.Access == policy.Write {
			written = append(written, t.Value, t.Real())
		}
	}
	for _, d := range diffs {
		if len(written) > 0 && !within(d.Path, written) {
			v.addViolation(ruleViewDiffs, string(o.Call.Input), "there is a diff of %s, and the call says that it writes %s", d.Path, fmt.Sprint(written))
		}
	}
}

// within reports whether a path is one of those, or below one.
func within(path string, those []string) bool {
	for _, p := range those {
		if path == p || strings.HasPrefix(path, strings.TrimRight(p, `/\`)+"/") || strings.HasSuffix(p, "/"+path) {
			return true
		}
	}
	return false
}
