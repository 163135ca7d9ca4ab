package schema

// A Reason is the reason for which [Compile] refuses a schema.
type Reason string

// The reasons.
const (
	NotJSON           Reason = "is not JSON"
	TooLarge          Reason = "is too large"
	NotObject         Reason = "cannot describe an object"
	NotSchema         Reason = "is not a valid JSON Schema"
	UnknownDialect    Reason = "is of an unknown dialect"
	ExternalReference Reason = "refers to another document"
	UnknownReference  Reason = "refers to what it does not define"
	EndlessReference  Reason = "refers to itself without end"
)

// A RefusalError is the refusal of a schema.
type RefusalError struct {
	Reason Reason
	Err    error // the details
}

// Error returns the reason and the details.
func (e *RefusalError) Error() string { return "the schema " + string(e.Reason) + ": " + e.Err.Error() }

// Unwrap returns the details.
func (e *RefusalError) Unwrap() error { return e.Err }
