package pegboard

import (
	"context"
	"encoding/json"
)

// A Repair says how malformed input may be repaired before it is decoded. The repairs are
// listed in [Outcome].Repairs.
//
// The zero Repair repairs scalars of built-in tools that have only one reading: "5" or 5.0
// for the integer 5, "true" for true, and null for a property that may be left out. All other
// repairs are opt-in, and only a read-only call runs on them, since the model did not write
// that input.
type Repair struct {
	// NoScalars refuses scalars of the wrong type.
	NoScalars bool

	// Syntax repairs text that is not JSON: control characters inside strings, text
	// around the object.
	Syntax bool
	// Values repairs properties of the wrong type: JSON inside a string, a list of strings
	// for a string, null for an optional property.
	Values bool
	// Func repairs any other problem, once for each call. It returns nil if it cannot.
	Func func(ctx context.Context, t Tool, c *Call, problem error) json.RawMessage
}
