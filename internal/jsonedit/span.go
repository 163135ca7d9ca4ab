package jsonedit

// A Span is a range of a document's bytes. An empty Span stands for a missing value.
type Span struct{ Start, End int }

// Missing reports whether the span is empty.
func (v Span) Missing() bool { return v.Start == v.End }
