package code

// An Output is the Result.Data of an [LSP] call.
type Output struct {
	Operation string `json:"operation"`
	Server    string `json:"server"`
	// Locations are at most [Options].Max. Those of one file stand together.
	Locations []Location `json:"locations"`
	Hover     string     `json:"hover,omitempty"` // from the server
	Total     int        `json:"total"`           // locations found, without those left out
	// LeftOut is the number of locations in files that the session may not read.
	LeftOut int `json:"leftOut,omitempty"`
	// Withheld is the number of locations in files that the session may read after a question
	// only.
	Withheld int `json:"withheld,omitempty"`
}

// A Location is a place that a server has named. Lines and columns are counted from 1, and
// a column is a Unicode code point.
type Location struct {
	// Path is relative to the session's directory if it is below it, and absolute otherwise.
	// It is empty if the server names something that is no file; then URI is set.
	Path      string `json:"path,omitempty"`
	URI       string `json:"uri,omitempty"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text,omitempty"` // the line, of at most pegboard.MaxLine characters
	// Withheld says that the session may read the file after a question only. Then nothing of
	// its text is here.
	Withheld bool `json:"withheld,omitempty"`

	// Of symbols and calls, from the server, as one line of at most pegboard.MaxLine characters:
	Name      string `json:"name,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Detail    string `json:"detail,omitempty"`
	Container string `json:"container,omitempty"`
	Depth     int    `json:"depth,omitempty"` // 0 for a symbol of the file, 1 for one within it
	// Calls are the calls: in the file of Path for incomingCalls, in the file of CallsPath for
	// outgoingCalls.
	Calls []Position `json:"calls,omitempty"`
	// CallsPath is the file of the function whose outgoing calls these are, as Path is, or
	// empty if it is the file that was asked about.
	CallsPath string `json:"callsPath,omitempty"`
}

// A Position is a place in a file. Lines and columns are those of a [Location].
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}
