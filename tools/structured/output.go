package structured

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Name is the name of the tool.
const Name = "StructuredOutput"

// MaxTries is how often a model may fail to give the document. The value is pegboard's own.
const MaxTries = 5

// ErrNoOutput is wrapped by the error of [Output.Next] if the model has failed to give the
// document [MaxTries] times.
var ErrNoOutput = errors.New("no structured output")

// errNoCall is why a message without calls is no answer.
var errNoCall = errors.New("the message ended without a call of " + Name)

// An Output is the document that one run of a model is to end with. Its methods may be called
// concurrently.
type Output struct {
	tool pegboard.Tool

	mu    sync.Mutex
	value json.RawMessage // nil until there is one
	tries int             // that have failed
	err   error           // of Next, once the tries are used up
}

// New returns the Output that a JSON Schema describes, under the limits of
// [pegboard.BuildRaw]. The input of a tool is an object, so a schema that allows none is an
// error. To get anything else, make it a property of an object.
func New(schema json.RawMessage) (*Output, error) {
	if err := checkRoot(schema); err != nil {
		return nil, fmt.Errorf("structured output: %w", err)
	}
	tool, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{
			Name:    Name,
			Title:   "Answer",
			Hint:    "final answer JSON",
			Strict:  true, // a wire leaves it out where the provider cannot enforce the schema
			Loading: pegboard.LoadAlways,
		},
		Description: "Gives the final answer, as an object of this schema. Call it once, when you have the whole answer: this is the only part of your work that is read.",
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "answer"}},
		},
		Permit: func(context.Context, json.RawMessage, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only gives the answer"}
		},
		Summary: func(json.RawMessage, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Give the answer", While: "Giving the answer"}
		},
		ClassifierInput: func(json.RawMessage, *pegboard.Call) string { return "gives the final answer" },
		Call: func(_ context.Context, _ json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
			if c.Parent() != nil {
				return nil, errors.New("a script cannot give the answer: call " + Name + " yourself")
			}
			result := pegboard.TextResult("The answer is taken.")
			result.Line = "Gave the answer"
			return result, nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("structured output: %w", err)
	}
	return &Output{tool: tool}, nil
}

// Tool returns the tool StructuredOutput, whose input is the document. It keeps nothing: a
// call counts when its outcome is passed to [Output.Next].
func (o *Output) Tool() pegboard.Tool { return o.tool }

// Next is told of each message of the model: the outcomes of its calls, as the model is sent
// them, or nothing if it had no calls. Outcomes that the model is not sent, as those of a stream
// that was abandoned, do not belong here. What is returned is said to the model beside the
// outcomes, or as the user's message.
//
// The document is that of the last call that has succeeded. A message without calls, and each
// call of the tool that was refused or failed, is a try that failed, until there is a document.
// After [MaxTries] of them the error wraps [ErrNoOutput] and the reason of the last one, and the
// run should end. A call that is answered later (ErrDeferred) is no
// try.
func (o *Output) Next(outcomes ...pegboard.Outcome) (say []pegboard.Part, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var failed []error
	if len(outcomes) == 0 {
		failed = append(failed, errNoCall)
	}
	for i := range outcomes {
		out := &outcomes[i]
		if out.Call == nil || out.Call.ToolName() != Name || errors.Is(out.Err, pegboard.ErrDeferred) {
			continue
		}
		if err := failure(out); err != nil {
			failed = append(failed, err)
			continue
		}
		o.value, o.err = document(out.Call.Input), nil
	}
	if o.value != nil || o.err != nil || len(failed) == 0 {
		return nil, o.err
	}
	if o.tries += len(failed); o.tries >= MaxTries {
		o.err = fmt.Errorf("%w after %d tries: %w", ErrNoOutput, o.tries, failed[len(failed)-1])
		return nil, o.err
	}
	if len(outcomes) > 0 {
		return nil, nil // the results of the calls name the errors
	}
	return []pegboard.Part{{Text: fmt.Sprintf("Your message had no call. The answer counts only as the input of %s: call it with the whole answer. (Try %d of %d.)", Name, o.tries+1, MaxTries)}}, nil
}

// Value returns the document, a JSON object that the schema accepts, and whether there is one.
// The caller must not change its bytes.
func (o *Output) Value() (value json.RawMessage, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, o.value != nil
}

// document returns the input of a call that has succeeded, which is {} if it is empty.
func document(input json.RawMessage) json.RawMessage {
	if input = bytes.TrimSpace(input); len(input) == 0 {
		return json.RawMessage("{}")
	}
	return slices.Clone(input)
}

// failure returns why the call gave no document, or nil.
func failure(out *pegboard.Outcome) error {
	switch {
	case out.Err != nil:
		return out.Err
	case out.Result == nil:
		return errors.New("the outcome has no result")
	case out.Result.IsError:
		return errors.New(out.Result.Text())
	}
	return nil
}
