package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Request asks for one agent, see [Agents.Start]. Prompt is required.
type Request struct {
	Description string // a few words for lists
	Prompt      string // the agent's task

	// Type is the name of a definition; empty means [GeneralPurpose]. Definition, if not nil,
	// is used in its place.
	Type       string
	Definition *Definition

	// Name is what others may call the agent: letters, digits, "-", "_" and ".". No two
	// running agents have the same one, also in other letter case. Empty means that it has only its id. With Team, too,
	// the agent is a teammate.
	Name, Team string

	Model, Effort string      // empty: the definition's, or else the caller's
	Mode          policy.Mode // empty: the definition's, or else the caller's; a laxer one has no effect

	// Background starts the agent and does not wait for it. A definition can ask for the
	// same. Foreground waits for it, whatever the definition and the defaults are; but a call
	// of the Agent tool cannot overrule the definition. Both are refused together.
	Background, Foreground bool

	// Wait makes [Agents.Start] wait while Options.MaxRunning agents are running, in place of
	// failing with ErrTooMany, until ctx ends or the session is closed. Those that wait get
	// their places in the order in which they came, and before any that do not wait.
	Wait bool

	// Dir is the working directory, inside those of the caller; empty means the caller's.
	// Isolation is empty or "worktree".
	Dir, Isolation string

	// Schema is a JSON schema for the value that the agent gives, see Result.Structured. Nil
	// means that it answers with text.
	Schema json.RawMessage

	pool    *pegboard.Pool // the caller's; nil if no call asks
	only    []string       // the tools of the caller, for a fork
	movable bool           // ToBackground may move it
}

// GeneralPurpose is the type of agents for which none is named.
const GeneralPurpose = "general-purpose"

// forkType is the type of agents that go on from their caller's conversation.
const forkType = "fork"

// maxName is the number of bytes that an agent's name may have.
const maxName = 64

// efforts are the words for how hard a model should think, from low to high.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// check returns the first error of r, apart from those that depend on the session.
func (r *Request) check() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrInvalidRequest, fmt.Sprintf(format, args...))
	}
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return invalid("prompt is empty; say what the agent should do, and all that it must know")
	case r.Background && r.Foreground:
		return invalid("it cannot run both in the foreground and in the background")
	case r.Effort != "" && !slices.Contains(efforts, r.Effort):
		return invalid("the effort %q is unknown; use one of %s, or leave it out", r.Effort, strings.Join(efforts, ", "))
	case r.Isolation == "remote":
		return invalid("nothing runs on other machines here; leave isolation out")
	case r.Isolation != "" && r.Isolation != "worktree":
		return invalid("the isolation %q is unknown; use worktree, or leave it out", r.Isolation)
	case r.Isolation != "" && r.Dir != "":
		return invalid("isolation and cwd exclude each other; leave one of them out")
	}
	if err := checkName(r.Name); err != nil {
		return invalid("%v", err)
	}
	if _, err := policy.New(r.Mode); err != nil {
		return invalid("%v; leave mode out", err)
	}
	return nil
}

// checkName returns an error if an agent cannot be called name. No name is fine.
func checkName(name string) error {
	ok := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.", c)
	}
	switch {
	case name == "":
		return nil
	case len(name) > maxName || strings.Trim(name, ".") == "" || strings.ContainsFunc(name, func(c rune) bool { return !ok(c) }):
		return fmt.Errorf("%.80q is no name for an agent; use at most %d letters, digits, - and _", name, maxName)
	case slices.Contains(takenNames, strings.ToLower(name)) || strings.HasPrefix(strings.ToLower(name), idPrefix):
		return fmt.Errorf("an agent cannot be called %q: main is the main agent, %s are no agents, and ids begin with %s", name, strings.Join(takenNames[1:], ", "), idPrefix)
	}
	return nil
}

// MainName is what agents call the main agent.
const MainName = "main"

// takenNames are the names, in lower case, that stand for others than agents.
var takenNames = []string{MainName, "user", "human", "system", "assistant"}

// idPrefix is the beginning of the ids of agents.
const idPrefix = "agent-"
