package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Todo is one line of the list that an agent writes with [TodoWrite].
type Todo struct {
	Content    string `json:"content" jsonschema:"minLength=1" jsonschema_description:"What is to be done, such as: Run the tests"`
	Status     Status `json:"status" jsonschema:"enum=pending,enum=in_progress,enum=completed"`
	ActiveForm string `json:"activeForm" jsonschema_description:"The same as it is shown while it is done, such as: Running the tests"`
}

// A todoList is the list of one agent. Its todos are never written to.
type todoList struct {
	todos []Todo
	asked bool // a verification step was asked for
}

// todoLists holds the list of each session. A fork begins with none.
var todoLists = pegboard.NewClonedKey("todos", func(todoList) todoList { return todoList{} })

// Todos returns the list that the agent of s has written last, or nil. A list whose lines are all
// completed stays until the next one is written.
func Todos(s *pegboard.Session) []Todo {
	list, _ := todoLists.Get(s)
	return slices.Clone(list.todos)
}

// continues reports whether todos are a later state of the list: they share a line that is not
// empty. Any others are a new list.
func (l *todoList) continues(todos []Todo) bool {
	return slices.ContainsFunc(todos, func(t Todo) bool {
		return slices.ContainsFunc(l.todos, func(old Todo) bool { return old.Content == t.Content })
	})
}

// MaxTodos is how many lines a list of [TodoWrite] may have. It is this package's own.
const MaxTodos = 1000

// TodoOptions change [TodoWrite]. The zero value is ready.
type TodoOptions struct {
	// Verification are the words of a line that checks the work of other lines, compared as
	// whole words without regard to letter case. Nil means [VerificationWords]; an empty list
	// that no verification step is asked for.
	Verification []string
}

// todoInput is the input of TodoWrite.
type todoInput struct {
	Todos []Todo `json:"todos" jsonschema_description:"The whole list"`
}

// TodoResult is the Result.Data of [TodoWrite].
type TodoResult struct {
	OldTodos []Todo `json:"oldTodos"`
	NewTodos []Todo `json:"newTodos"`

	advice string
}

// TodoWrite returns the tool with which an agent replaces its list of todos. Each agent has a list
// of its own, see [Todos], and a fork of a session begins without one.
//
// More than one line in progress is no error. When three or more lines are completed and none of
// them verifies the others, the result asks for a step that does, once for each list.
func TodoWrite(o TodoOptions) pegboard.Tool {
	words := slices.Clone(o.Verification)
	if o.Verification == nil {
		words = verificationWords
	}
	return pegboard.Build(pegboard.Definition[todoInput, TodoResult]{
		Info: pegboard.Info{Name: "TodoWrite", Title: "Write todos", Hint: "plan work in steps, track progress, checklist"},
		Description: "Replaces your list of todos; the user sees it. Use it for work of three steps or more, or when the user asks for several things; not for a single or trivial step. " +
			"Send the whole list each time. Have one line in progress while you work: set it before you begin, and to completed as soon as it is done, not later. " +
			"A line that failed or is done in part stays in progress; add a line for what is in its way. Remove lines that have become pointless.",
		Traits: pegboard.Traits{
			Concurrency: pegboard.PerTarget, Own: true,
			Targets: []policy.Target{{Kind: policy.Resource, Value: "list of todos"}},
		},
		Summary: func(in todoInput, _ *pegboard.Call) pegboard.Summary {
			n := fmt.Sprintf(" a list of todos, %d in all", len(in.Todos))
			return pegboard.Summary{Before: "Write" + n, While: "Writing" + n}
		},
		Validate: func(_ context.Context, in todoInput, _ *pegboard.Call) error { return in.check() },
		Permit: func(context.Context, todoInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "the list of todos belongs to the agent"}
		},
		Call: func(ctx context.Context, in todoInput, c *pegboard.Call) (TodoResult, error) {
			if err := context.Cause(ctx); err != nil {
				return TodoResult{}, err
			}
			s := c.Session()
			if s == nil {
				return TodoResult{}, errors.New("todos are written by calls of an executor only")
			}
			old, _ := todoLists.Get(s)
			next := todoList{todos: slices.Clone(in.Todos), asked: old.asked && old.continues(in.Todos)}
			out := TodoResult{OldTodos: append([]Todo{}, old.todos...), NewTodos: append([]Todo{}, in.Todos...)}
			out.advice = next.advise(words)
			todoLists.Set(s, next)
			return out, nil
		},
		Result: func(out TodoResult) *pegboard.Result {
			text := "The list of todos was replaced: " + count(out.NewTodos) + "."
			r := pegboard.TextResult(text + out.advice)
			r.Data, r.Line = out, text
			return r
		},
	})
}

// check returns an error if a list cannot be kept.
func (in *todoInput) check() error {
	if len(in.Todos) > MaxTodos {
		return fmt.Errorf("the list has %d todos, and at most %d are kept; join some", len(in.Todos), MaxTodos)
	}
	for i, t := range in.Todos {
		switch {
		case strings.TrimSpace(t.Content) == "":
			return fmt.Errorf("todos[%d].content is empty", i)
		case max(utf8.RuneCountInString(t.Content), utf8.RuneCountInString(t.ActiveForm)) > MaxText:
			return fmt.Errorf("todos[%d] has more than %d characters; shorten it", i, MaxText)
		}
	}
	return nil
}

// count tells how many lines have each status.
func count(todos []Todo) string {
	var all []string
	for _, status := range []Status{Completed, InProgress, Pending} {
		n := 0
		for _, t := range todos {
			if t.Status == status {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, status.words()))
		}
	}
	if len(all) == 0 {
		return "it is empty"
	}
	return strings.Join(all, ", ")
}

// advise returns advice for the model, and remembers that a verification step was asked for.
func (l *todoList) advise(words []string) (advice string) {
	working, done, verified, open := 0, 0, false, ""
	for i := range l.todos {
		switch t := &l.todos[i]; {
		case t.Status == Completed:
			done++
			verified = verified || t.verifies(words)
		case open == "" && t.verifies(words):
			open = t.Content
		}
		if l.todos[i].Status == InProgress {
			working++
		}
	}
	if working > 1 {
		advice = fmt.Sprintf(" %d are in progress; work on one at a time, unless they really go on together.", working)
	}
	if done < minUnverified || verified || len(words) == 0 || l.asked {
		return advice
	}
	l.asked = true
	if open != "" {
		return advice + fmt.Sprintf(" %d are completed and none of them has verified the work yet: do not leave out the step %q, and do it before you report.", done, untrusted.Escape(shortened(open)))
	}
	return advice + fmt.Sprintf(" %d are completed and none of them verifies the work: add a step that does, such as running the tests or looking at the result, and do it before you report.", done)
}

// minUnverified is how many completed lines ask for a verification step.
const minUnverified = 3

// verificationWords are the words of a line that verifies others, in lower case.
var verificationWords = strings.Fields(`
	verify verifies verified verifying verification
	check checks checked checking recheck
	test tests tested testing retest
	review reviews reviewed reviewing
	validate validates validated validating validation
	inspect inspects inspected inspecting inspection
	confirm confirms confirmed confirming
	audit audits audited auditing
	proofread proofreads proofreading
	lint lints linted linting
	try tries tried trying
	qa`)

// VerificationWords returns the default of [TodoOptions].Verification.
func VerificationWords() []string { return slices.Clone(verificationWords) }

// verifies reports whether a line has one of the words.
func (t *Todo) verifies(words []string) bool {
	isBreak := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.ContainsFunc(strings.FieldsFunc(t.Content+" "+t.ActiveForm, isBreak), func(word string) bool {
		return slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(word, known) })
	})
}
