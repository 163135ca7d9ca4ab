package pegboard

import (
	"context"
	"encoding/json"
)

// A Repair says how malformed input may be repaired before it is decoded. The repairs are
// listed in [Outcome].Repairs. Only a read-only call runs on a repaired input, since the
// model did not write it.
type Repair struct {
	// Syntax repairs text that is not JSON: control characters inside strings, text
	// around the object.
	Syntax bool
	// Values repairs properties of the wrong type: JSON inside a string, a list of strings
	// for a string, null for an optional property.
	Values bool
	// Func repairs any other problem, once for each call. It returns nil if it cannot.
	Func func(ctx context.Context, t Tool, c *Call, problem error) json.RawMessage
}
