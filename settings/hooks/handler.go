package hooks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/policy"
)

// A Handler is one hook of a file. Its slices, maps and raw JSON are shared and must not be
// changed.
type Handler struct {
	Event   string
	Matcher string // as it is written; "" matches everything
	Type    string // command, http, mcp_tool, prompt or agent

	// Of a command. With Args, which may be empty, Command is a program that is started
	// without a shell; Args is nil for a command line.
	Command     string
	Args        []string
	Shell       string // bash, powershell, or empty for the default of the system
	Async       bool   // the hook is not waited for, and its answer decides nothing
	AsyncRewake bool   // and its exit code 2 wakes the model; Async is true, too

	// Of http.
	URL            string
	Headers        map[string]string
	AllowedEnvVars []string // the variables that Headers may hold

	// Of mcp_tool.
	Server, Tool string
	Input        json.RawMessage // an object, or nil

	// Of prompt and agent.
	Prompt, Model   string
	ContinueOnBlock bool

	If            string        // a permission rule as it is written; "" for every call
	Timeout       time.Duration // 0 means the default of the type and event
	StatusMessage string
	Once          bool // the hook runs once in a session; false for hooks of settings files

	Source policy.Source
	Path   string // of the file, as it was given to Parse
	Offset int    // of the handler in the data that was parsed, in bytes

	matcher  *matcher
	rules    []policy.Rule // of If: one of them must concern the call
	identity string        // equal for handlers that do the same, whatever their matcher, If and file
}

// Matches reports whether the handler's matcher matches one of the values: the canonical name
// and the aliases of a tool, or the one field that matchers of the event are tested against.
// Matchers of some events are ignored, so that every value matches. The base name of a file
// is the value of FileChanged.
//
// An expression that takes longer than 100 ms counts as a match. [Set.Match] is faster for
// many handlers.
func (h Handler) Matches(values ...string) bool { return h.matcher.matches(values) }

// Rules returns the deny rules that If stands for: the handler runs for a call that one of
// them concerns. It is one rule, or several after [Set.WithRules]. It is nil without an If.
func (h Handler) Rules() []policy.Rule { return h.rules }

// setIdentity sets the identity, when all other fields are set.
func (h *Handler) setIdentity() {
	same := *h
	same.Matcher, same.If, same.StatusMessage, same.Source, same.Path, same.Offset = "", "", "", "", "", 0
	text, _ := json.Marshal(same) // strings and valid JSON
	h.identity = string(text)
}

// conditional returns the identity with the rules of If.
func (h *Handler) conditional() string {
	if h.If == "" {
		return h.identity
	}
	var text strings.Builder
	text.WriteString(h.identity + " if")
	for _, r := range h.rules {
		text.WriteString("\n" + r.String())
	}
	return text.String()
}

// name returns a text that names the hook to a person and to the model. It holds no command and
// no address, which may hold secrets.
func (h *Handler) name() string {
	name := h.Event + " hook"
	if h.Matcher != "" {
		name += fmt.Sprintf(" %q", h.Matcher)
	}
	if h.Path != "" {
		name += " of " + filepath.Base(h.Path)
	}
	return name
}

// same reports whether h and o are one handler of one set.
func (h *Handler) same(o *Handler) bool {
	return h.Event == o.Event && h.Path == o.Path && h.Offset == o.Offset && h.identity == o.identity
}
