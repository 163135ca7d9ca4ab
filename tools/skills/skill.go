package skills

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A Skill is a text with instructions that a model or a person loads by its name. Only Name
// and Body are required.
type Skill struct {
	// Name is the name for calls. That of a plugin's skill is plugin:name, that of an
	// MCP prompt mcp__server__prompt. It has letters, digits and - _ . : and begins with a letter,
	// a digit or _; a skill with another name is not used.
	Name string
	// Description is the purpose of the skill, WhenToUse the occasion for it. The model reads both
	// before it loads the skill.
	Description, WhenToUse string
	// ArgumentHint is shown to a person who types the skill's name.
	ArgumentHint string
	// Arguments are the names of the arguments, in their order: $name stands for one.
	Arguments []string

	// NoModel keeps the model from loading the skill, NoPerson a person. The model is not told
	// of a skill with NoModel.
	NoModel, NoPerson bool
	// AllowedTools are allow rules and DisallowedTools deny rules for the rest of the turn in
	// which the skill is loaded. They have no effect unless Trusted is set, in a sub-agent, and
	// with Fork.
	AllowedTools, DisallowedTools []string

	// Model and Effort are for the host's loop, for the rest of the turn, or with Fork for the
	// agent. Empty means no change.
	Model, Effort string
	// Fork runs an agent with the text as its prompt, and returns its report. Agent is the
	// type of the agent; empty means general-purpose. Background says whether the agent runs in
	// the background; nil leaves that to the host.
	Fork       bool
	Agent      string
	Background *bool
	// Paths are patterns of files. If there are any, the model is told of the skill once a call
	// has touched a file that matches one of them, see [Skills.Hooks].
	Paths []string
	// PowerShell runs the commands of the text in PowerShell and not in Bash.
	PowerShell bool

	License, Compatibility string
	// Extra are the keys of a file that only the host can follow, as JSON: hooks and metadata.
	// Nil means neither.
	Extra map[string]json.RawMessage

	// Body is the text, with the placeholders and commands that the package comment lists.
	Body string
	// Dir is the directory of the skill's files, absolute. If it is set and Trusted is, the model
	// may read the files below it once the skill is loaded. Empty means that it has no files.
	Dir string
	// Origin is the file or other place that the skill comes from, for messages.
	Origin string
	Source Source
	// Trusted says that the user trusts the author of the skill. The rules of any other skill do
	// not count, and its directory is not lent.
	Trusted bool

	Visibility Visibility
	// Uses is how often the skill was loaded in earlier conversations. The host counts; the
	// most used skills are described to the model if there is no room for all.
	Uses int
	// Variables are further placeholders: ${NAME} stands for the value of NAME.
	Variables map[string]string

	prompt *Prompt // of an MCP server; nil for all others
}

// A Source says where a skill comes from.
type Source string

// The sources, from the highest precedence to the lowest. Plugins and prompts have names that
// no other skill has.
const (
	SourceManaged Source = "managed"
	SourceUser    Source = "user"
	SourceProject Source = "project"
	SourcePlugin  Source = "plugin"
	SourceBundled Source = "bundled"
	SourcePrompt  Source = "mcp"
)

// maxDescription is how many characters of a description the model is told, as Claude Code
// documents it.
const maxDescription = 1536

// about returns the text that the model is told of s before it loads it.
func (s *Skill) about() string {
	text := untrusted.Escape(strings.Join(strings.Fields(s.Description+" "+s.WhenToUse), " "))
	if utf8.RuneCountInString(text) > maxDescription {
		return string([]rune(text)[:maxDescription-1]) + "…"
	}
	return text
}

// agentType returns the type of the agent that runs a skill with Fork.
func (s *Skill) agentType() string {
	if s.Agent == "" {
		return "general-purpose"
	}
	return s.Agent
}

// shell returns the name of the tool that runs the commands of s.
func (s *Skill) shell() string {
	if s.PowerShell {
		return "PowerShell"
	}
	return "Bash"
}

// grants reports whether s changes the rules of the turn if it is loaded.
func (s *Skill) grants() bool {
	return s.Trusted && !s.Fork && len(s.AllowedTools)+len(s.DisallowedTools) > 0
}

// plain reports whether s is loaded without any effect but that of its text.
func (s *Skill) plain() bool {
	return !s.Fork && !s.grants() && s.prompt == nil && !hasCommands(s.Body)
}

// refusal returns why the model may not load s, or "".
func (s *Skill) refusal() string {
	switch {
	case s.Visibility == Off:
		return "the skill " + s.Name + " is switched off: go on without"
	case s.NoModel || s.Visibility == PersonOnly:
		return "only the user can start the skill " + s.Name + ", by typing /" + s.Name + ": ask for that, or go on without"
	}
	return ""
}

// A Visibility says who is shown a skill.
type Visibility int

// The visibilities. The zero value is On.
const (
	On         Visibility = iota // the model is told the name and the description
	NameOnly                     // the model is told the name
	PersonOnly                   // only a person can start the skill
	Off                          // neither can start it
)

// String returns the visibility as settings files spell it.
func (v Visibility) String() string {
	switch v {
	case On:
		return "on"
	case NameOnly:
		return "name-only"
	case PersonOnly:
		return "user-invocable-only"
	case Off:
		return "off"
	}
	return "invalid"
}

// MarshalText returns the result of String.
func (v Visibility) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what String returns.
func (v *Visibility) UnmarshalText(text []byte) error {
	for _, known := range []Visibility{On, NameOnly, PersonOnly, Off} {
		if string(text) == known.String() {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("%q is no visibility; write on, name-only, user-invocable-only or off", text)
}
