package pegboard

import (
	"context"
	"encoding/json"
)

// A Tool is one capability offered to a model. Each method is one stage of a call. No
// stage calls another, so a wrapper embeds a Tool and overrides one stage, and the
// executor still takes every call through all the others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns the facts that never change.
	Info() Info
	// Declare returns the definition that the model is shown. False means that the tool is
	// not offered in the session. The first call for a pool decides that, before it is known
	// which tools are in the pool. If Declare has asked its Scope for them, it is called
	// again when they are known, and for each narrower pool.
	Declare(s Scope) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, and the same result for the same
	// input.
	Traits(c *Call) Traits
	// Lines returns what a user interface shows of c. It is pure, like Traits, and called
	// only when the interface asks, at any time.
	Lines(c *Call) Lines
	// Validate returns what is wrong with the input beyond its schema, worded for the
	// model.
	Validate(ctx context.Context, c *Call) error
	// Permit returns the tool's own opinion of c. The zero Decision is no opinion.
	Permit(ctx context.Context, c *Call) Decision
	// Equivalent reports whether two calls of one message, a directly before b, are the same,
	// so that b need not run: see [Definition].Equivalent. It is pure.
	Equivalent(a, b *Call) bool
	// ClassifierInput returns the text that a [Classifier] is shown of c, or "" if it is
	// not asked about c. It is pure, and called only where a classifier may decide.
	ClassifierInput(c *Call) string
	// Call does the work. Its error becomes an error result; a result beside the error
	// is a partial one.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface, and returns the decoder of the tool's input.
	input() *inputSpec
	// output returns what the tool's output is, or nil.
	output() *outputSpec
	// decodeOutput checks an output that the host supplies as JSON. Mapped makes the result of
	// it, by code of the tool's author.
	decodeOutput(output json.RawMessage) (mapped func() (*Result, error), err error)
}
