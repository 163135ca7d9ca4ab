package settings

import (
	"github.com/seed49eaa51d/pegboard/policy"
)

// The kinds of a [Fact].
const (
	FactFile      = "file"      // a file that was read, or could not be read
	FactMode      = "mode"      // the mode that sessions start in
	FactForbidden = "forbidden" // a mode that cannot be entered
	FactRule      = "rule"
	FactDirectory = "directory"
	FactTools     = "tools" // the built-in tools that exist
	FactHook      = "hook"
	FactVariable  = "variable" // of env
	FactServer    = "server"   // an MCP server
	FactSwitch    = "switch"   // a key that says which of the others count
	FactKey       = "key"      // a key of the host
)

// A Fact is one setting of one source, and whether it counts. It holds no value of a variable,
// of a header or of a key of the host, which may be secret.
type Fact struct {
	Kind   string        `json:"kind"`
	Text   string        `json:"text"`             // such as "deny Read(.env)"
	Source policy.Source `json:"source,omitempty"` // empty for files that have none
	Position
	Counts bool   `json:"counts"`
	Why    string `json:"why,omitempty"` // the reason if it does not count, and otherwise its effect if that is not obvious
}
