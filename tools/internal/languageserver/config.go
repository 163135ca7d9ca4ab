package languageserver

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

const (
	defaultBegin   = 30 * time.Second
	defaultRequest = 30 * time.Second
	defaultIdle    = 30 * time.Minute
)

// A Config describes a language server. Name, Command and Languages are required.
type Config struct {
	Name    string          // identifies the server within its pool, together with the root
	Command []string        // Command[0] is looked up as os/exec does
	Env     []string        // nil means that of this process, with what keeps programs from waiting for a person
	Options json.RawMessage // initializationOptions; nil means none
	// Languages are the language ids by file ending, such as ".go": "go". The longest ending
	// that fits counts. Letter case is ignored.
	Languages map[string]string
	// Roots are the names of further files that matter to the server, such as "go.mod".
	Roots []string
	// Settings answer workspace/configuration: a section such as "a.b" is the value of "b" in
	// that of "a". A section that is not there is null.
	Settings json.RawMessage

	Begin   time.Duration // from the start to the answer to initialize; 0 means 30 s
	Request time.Duration // of one request; 0 means 30 s
	Idle    time.Duration // without a request until the process is shut down; 0 means 30 min
}

// Language returns the language id of a file, or "" if the server does not know its ending.
func (c Config) Language(file string) (id string) {
	name, longest := strings.ToLower(filepath.Base(file)), 0
	for ending, language := range c.Languages {
		if len(ending) > longest && strings.HasSuffix(name, strings.ToLower(ending)) {
			id, longest = language, len(ending)
		}
	}
	return id
}

func (c Config) begin() time.Duration   { return cmp.Or(c.Begin, defaultBegin) }
func (c Config) request() time.Duration { return cmp.Or(c.Request, defaultRequest) }
func (c Config) idle() time.Duration    { return cmp.Or(c.Idle, defaultIdle) }
