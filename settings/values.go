package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// Values are the options of other packages that variables of the environment set, as Claude Code's
// documentation describes them. A zero field is the default of the package that the field is
// about.
type Values struct {
	Deferral pegboard.Deferral // for PoolConfig, see [Deferral]
	Gates    pegboard.Gates    // for PoolConfig, see [Gates]

	MaxParallel int // Executor.MaxParallel

	ShellTimeout      time.Duration // shell.Options.Timeout
	ShellMaxTimeout   time.Duration // shell.Options.MaxTimeout
	ShellNoBackground bool          // shell.Options.NoBackground
	ShellFixedDir     bool          // shell.Options.FixedDir
	ShellShown        int           // shell.Options.MaxShown, of the key bashOutputMaxChars
	TaskShown         int           // shell.TaskOutputOptions.MaxShown, of the key taskOutputMaxChars

	MCPBegin      time.Duration // mcp.Options.Begin
	MCPCall       time.Duration // mcp.Options.Call
	MCPIdle       time.Duration // mcp.Options.Idle; negative for no limit
	MCPBackground time.Duration // mcp.Options.Background; negative for never

	ReadMaxTokens int // files.ReadOptions.MaxTokens

	GlobIgnore   bool          // files.GlobOptions.Ignore
	GlobNoHidden bool          // files.GlobOptions.NoHidden
	GlobTimeout  time.Duration // files.GlobOptions.Timeout

	SessionEnd time.Duration // hooks.Options.SessionEnd
	StopCap    int           // hooks.Options.StopCap

	SkillsListed int // skills.Options.MaxListed
}

// A valueVariable is a variable and the field of Values that it sets.
type valueVariable struct {
	name string
	set  func(v *Values, text string) error
}

// valueVariables are the variables that ReadValues reads, but for those of Deferral and Gates.
func valueVariables() []valueVariable {
	const millisecond, second = time.Millisecond, time.Second
	duration := func(name string, unit time.Duration, field func(v *Values) *time.Duration) valueVariable {
		return valueVariable{name, func(v *Values, text string) error { return setDuration(field(v), text, unit) }}
	}
	count := func(name string, field func(v *Values) *int) valueVariable {
		return valueVariable{name, func(v *Values, text string) error { return setCount(field(v), text) }}
	}
	flag := func(name string, field func(v *Values) *bool) valueVariable {
		return valueVariable{name, func(v *Values, text string) error {
			*field(v) = isOn(text)
			return nil
		}}
	}
	// Zero turns a limit off.
	limit := func(name string, field func(v *Values) *time.Duration) valueVariable {
		return valueVariable{name, func(v *Values, text string) error {
			if text == "0" {
				*field(v) = -1
				return nil
			}
			return setDuration(field(v), text, millisecond)
		}}
	}
	return []valueVariable{
		count("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", func(v *Values) *int { return &v.MaxParallel }),
		duration("BASH_DEFAULT_TIMEOUT_MS", millisecond, func(v *Values) *time.Duration { return &v.ShellTimeout }),
		duration("BASH_MAX_TIMEOUT_MS", millisecond, func(v *Values) *time.Duration { return &v.ShellMaxTimeout }),
		flag("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", func(v *Values) *bool { return &v.ShellNoBackground }),
		flag("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR", func(v *Values) *bool { return &v.ShellFixedDir }),
		duration("MCP_TIMEOUT", millisecond, func(v *Values) *time.Duration { return &v.MCPBegin }),
		duration("MCP_TOOL_TIMEOUT", millisecond, func(v *Values) *time.Duration { return &v.MCPCall }),
		limit("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", func(v *Values) *time.Duration { return &v.MCPIdle }),
		limit("CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", func(v *Values) *time.Duration { return &v.MCPBackground }),
		count("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", func(v *Values) *int { return &v.ReadMaxTokens }),
		{"CLAUDE_CODE_GLOB_NO_IGNORE", func(v *Values, text string) error {
			v.GlobIgnore = !isOn(text) // the default is not to ignore
			return nil
		}},
		{"CLAUDE_CODE_GLOB_HIDDEN", func(v *Values, text string) error {
			v.GlobNoHidden = !isOn(text)
			return nil
		}},
		duration("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", second, func(v *Values) *time.Duration { return &v.GlobTimeout }),
		duration("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", millisecond, func(v *Values) *time.Duration { return &v.SessionEnd }),
		count("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", func(v *Values) *int { return &v.StopCap }),
		count("SLASH_COMMAND_TOOL_CHAR_BUDGET", func(v *Values) *int { return &v.SkillsListed }),
	}
}

// A VariableError is about a variable whose value has no effect.
type VariableError struct {
	Name string
	Err  error // the value and the remedy
}

// Error returns the error, which names the variable.
func (p VariableError) Error() string { return p.Err.Error() }

// Unwrap returns p.Err.
func (p VariableError) Unwrap() error { return p.Err }

// ReadValues returns the meaning of the variables of the environment. lookup is [os.Getenv] or a
// similar function. A variable whose value is wrong has no effect and is a problem, except
// that no definition is deferred if ENABLE_TOOL_SEARCH is wrong.
func ReadValues(lookup func(name string) string) (v Values, problems []VariableError) {
	var err error
	if v.Deferral, err = Deferral(lookup); err != nil {
		problems = append(problems, VariableError{Name: toolSearchVariable, Err: err})
	}
	v.Gates = Gates(lookup)
	for _, variable := range valueVariables() {
		text := strings.TrimSpace(lookup(variable.name))
		if text == "" {
			continue
		}
		if err := variable.set(&v, text); err != nil {
			problems = append(problems, VariableError{Name: variable.name, Err: fmt.Errorf("%s=%s: %w", variable.name, text, err)})
		}
	}
	if v.ShellTimeout > cmp.Or(v.ShellMaxTimeout, defaultShellMax) { // the ceiling is the larger of both
		v.ShellMaxTimeout = v.ShellTimeout
	}
	return v, problems
}

// defaultShellMax is the documented ceiling of a command's time.
const defaultShellMax = 10 * time.Minute

// setDuration sets a duration to a positive number of a unit.
func setDuration(d *time.Duration, text string, unit time.Duration) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 1) {
		return fmt.Errorf("it must be a number of %s above 0", unitName(unit))
	}
	if n >= float64(math.MaxInt64/int64(unit)) {
		*d = math.MaxInt64
		return nil
	}
	*d = time.Duration(n * float64(unit))
	return nil
}

func unitName(unit time.Duration) string {
	if unit == time.Second {
		return "seconds"
	}
	return "milliseconds"
}

// setCount sets a number above 0.
func setCount(n *int, text string) error {
	i, err := strconv.Atoi(text)
	if err != nil || i <= 0 {
		return fmt.Errorf("it must be a whole number above 0")
	}
	*n = i
	return nil
}

// readValues sets Values from Env and the environment.
func (l *loader) readValues() {
	var problems []VariableError
	l.Values, problems = ReadValues(func(name string) string {
		if value, set := l.variable(name); set {
			return value
		}
		return ""
	})
	for _, p := range problems {
		at, ok := l.env[p.Name]
		if !ok {
			at = Position{Path: "environment"}
		}
		l.warn(at, "%v", p)
	}
	l.Values.ShellShown, l.Values.TaskShown = l.shownKey("bashOutputMaxChars"), l.shownKey("taskOutputMaxChars")
}

// The limits of the number of characters that a key may set, as Claude Code applies them.
const minShown, maxShown = 4000, 128_000

// shownKey returns how many characters of an output a key shows, or 0.
func (l *loader) shownKey(name string) int {
	i := slices.IndexFunc(l.Keys, func(k Key) bool { return k.Name == name && k.Trusted })
	if i < 0 {
		return 0
	}
	var n float64
	if err := json.Unmarshal(l.Keys[i].Value, &n); err != nil {
		l.warn(l.Keys[i].Position, "%s has no effect: write a number of characters from %d to %d", name, minShown, maxShown)
		return 0
	}
	return int(min(max(n, minShown), maxShown))
}
