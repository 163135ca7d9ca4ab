package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// The languages of [REPL].
const (
	Python     = "python"
	JavaScript = "javascript"
)

// The defaults of [REPL].
const (
	DefaultREPLTimeout    = 30 * time.Second
	DefaultMaxREPLTimeout = 10 * time.Minute
	MaxREPLShown          = 30_000 // bytes of the code's output that the model sees
)

// REPLOptions change [REPL]. The zero value works.
type REPLOptions struct {
	// Languages are the languages that the tool offers, Python or JavaScript. A call
	// that names none uses the first. None means both.
	Languages []string
	// Python is the program and its flags; nil means {"python3", "-u"}, and on Windows
	// the Python 3 in PATH, or that which py finds. It must be Python 3.8 or newer.
	Python []string
	// Node is the program and its flags; nil means {"node"}. It must be Node 18 or
	// newer.
	Node []string
	// Env and Withheld say what the interpreter inherits, as in [Options].
	Env, Withheld []string
	// Timeout is how long code may run if its call does not say; 0 means
	// DefaultREPLTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest timeout of a call; a longer one is reduced to it. 0
	// means DefaultMaxREPLTimeout.
	MaxTimeout time.Duration
	// Describe are tools whose definitions the model is not shown, since they are hidden
	// behind REPL, see [pegboard.Gates]: the host registers them, too. The prompt tells what
	// each of them takes and returns if code can call it. Nil means only the tools that this
	// module has for files and commands, which are told in any case.
	Describe []pegboard.Tool
}

func (o REPLOptions) withDefaults() REPLOptions {
	if len(o.Languages) == 0 {
		o.Languages = []string{Python, JavaScript}
	}
	o.Describe = slices.Clone(o.Describe)
	if o.Node == nil {
		o.Node = []string{"node"}
	}
	if o.Withheld == nil {
		o.Withheld = DefaultWithheld()
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = DefaultMaxREPLTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = min(DefaultREPLTimeout, o.MaxTimeout)
	}
	return o
}

// python returns the program of Python and its flags.
func (o REPLOptions) python() []string {
	if o.Python != nil {
		return o.Python
	}
	return append(newFinder().python(), "-u")
}

// timeoutFor returns the timeout of a call that asks for ms milliseconds.
func (o REPLOptions) timeoutFor(ms int) time.Duration {
	if ms <= 0 {
		return o.Timeout
	}
	if int64(ms) > o.MaxTimeout.Milliseconds() {
		return o.MaxTimeout
	}
	return time.Duration(ms) * time.Millisecond
}

// languageOf returns the language of a call.
func (o REPLOptions) languageOf(in replInput) string {
	if in.Language == "" {
		return o.Languages[0]
	}
	return in.Language
}

func (o REPLOptions) validate(in replInput) error {
	if l := o.languageOf(in); !slices.Contains(o.Languages, l) {
		return fmt.Errorf("%s is not offered here; write the code in %s", l, strings.Join(o.Languages, " or "))
	}
	if strings.TrimSpace(in.Code) == "" && !in.Restart {
		return fmt.Errorf("the code is blank; send the code to run")
	}
	return nil
}
