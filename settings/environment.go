package settings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// toolSearchVariable says which definitions are deferred.
const toolSearchVariable = "ENABLE_TOOL_SEARCH"

// Deferral returns the deferral of tool definitions that the environment variables of Claude
// Code configure, as its documentation of tool search describes them. lookup is [os.Getenv]
// or a similar function.
//
// ENABLE_TOOL_SEARCH is "true" or unset to defer all tools that can be deferred, "false" to
// defer none, "auto" to defer them if they exceed a tenth of the context window, and "auto:N"
// if they exceed N percent of it. CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS, set to anything but
// "0" or "false", disables it. Any other value is an error; then none is deferred.
func Deferral(lookup func(name string) string) (pegboard.Deferral, error) {
	off := pegboard.Deferral{Mode: pegboard.DeferOff}
	if isSet(lookup, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS") {
		return off, nil
	}
	const name = toolSearchVariable
	value := strings.TrimSpace(lookup(name))
	mode, percent, limited := strings.Cut(value, ":")
	switch {
	case limited && mode == "auto":
		n, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(n >= 0 && n <= 100) {
			return off, fmt.Errorf("%s=%s: after auto: comes a number from 0 to 100", name, value)
		}
		if n == 0 { // any definition exceeds it
			return pegboard.Deferral{}, nil
		}
		return pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: n / 100}, nil
	case value == "" || value == "true" || value == "1":
		return pegboard.Deferral{}, nil
	case value == "auto":
		return pegboard.Deferral{Mode: pegboard.DeferAuto}, nil
	case value == "false" || value == "0":
		return off, nil
	}
	return off, fmt.Errorf("%s=%s: it must be true, false, auto or auto:N", name, value)
}

// Gates returns the gates that the environment variables of Claude Code configure, as its
// documentation describes them. lookup is [os.Getenv] or a similar function. A variable is
// set if it is anything but "", "0" and "false".
//
// CLAUDE_CODE_SIMPLE sets Simple, CLAUDE_CODE_REPL sets REPL and
// CLAUDE_CODE_USE_POWERSHELL_TOOL sets PowerShell. CLAUDE_CODE_ENABLE_TASKS sets TodoList if
// it is "0" or "false". All features are on but [pegboard.FeatureTeams], which
// CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS turns on, and those that CLAUDE_CODE_DISABLE_CRON and
// CLAUDE_CODE_DISABLE_WORKFLOWS turn off. The host sets the other gates, which no variable says.
func Gates(lookup func(name string) string) pegboard.Gates {
	tasks := strings.TrimSpace(lookup("CLAUDE_CODE_ENABLE_TASKS"))
	g := pegboard.Gates{
		Simple:     isSet(lookup, "CLAUDE_CODE_SIMPLE"),
		REPL:       isSet(lookup, "CLAUDE_CODE_REPL"),
		PowerShell: isSet(lookup, "CLAUDE_CODE_USE_POWERSHELL_TOOL"),
		TodoList:   tasks == "0" || tasks == "false",
		Features: []pegboard.Feature{
			pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureMonitors, pegboard.FeatureConfig,
		},
	}
	if !isSet(lookup, "CLAUDE_CODE_DISABLE_WORKFLOWS") {
		g.Features = append(g.Features, pegboard.FeatureWorkflows)
	}
	if isSet(lookup, "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS") {
		g.Features = append(g.Features, pegboard.FeatureTeams)
	}
	if !isSet(lookup, "CLAUDE_CODE_DISABLE_CRON") {
		g.Features = append(g.Features, pegboard.FeatureCron)
	}
	return g
}

// isSet reports whether an environment variable turns something on.
func isSet(lookup func(name string) string, name string) bool { return isOn(lookup(name)) }

// isOn reports whether the value of a variable turns something on.
func isOn(value string) bool {
	switch strings.TrimSpace(value) {
	case "", "0", "false":
		return false
	}
	return true
}
