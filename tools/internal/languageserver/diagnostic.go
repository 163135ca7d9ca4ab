package languageserver

// A Severity says how bad a diagnostic is.
type Severity int

// Severities of the protocol. A server that names none means an error.
const (
	Error Severity = 1 + iota
	Warning
	Information
	Hint
)

// A Diagnostic is a problem that a server has found in a file.
type Diagnostic struct {
	Range    Range
	Severity Severity
	Code     string // of the server, or ""
	Source   string // such as the name of a checker, or ""
	Message  string // at most 2,000 bytes
}
