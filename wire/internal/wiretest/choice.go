package wiretest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// choices are those that RunChoice makes. The tools alarm and weather wait for a search, and
// weather was loaded.
func choices() map[string]wire.Choice {
	return map[string]wire.Choice{
		"zero":                           {},
		"one at a time":                  {Sequential: true},
		"required":                       {Mode: wire.Required},
		"required, one at a time":        {Mode: wire.Required, Sequential: true},
		"none":                           {Mode: wire.None, Tools: []string{"clock"}, Sequential: true},
		"one":                            {Mode: wire.One, Tool: "notes.add", Tools: []string{"clock"}},
		"some":                           {Tools: []string{"clock", "notes.add"}},
		"required of one":                {Mode: wire.Required, Tools: []string{"clock"}, Sequential: true},
		"required of some":               {Mode: wire.Required, Tools: []string{"clock", "notes.add"}},
		"one that waits":                 {Mode: wire.One, Tool: "alarm"},
		"one that waits, one at a time":  {Mode: wire.One, Tool: "alarm", Sequential: true},
		"one that was loaded":            {Mode: wire.One, Tool: "weather"},
		"some that wait":                 {Tools: []string{"alarm", "weather", "clock"}},
		"required of some that wait":     {Mode: wire.Required, Tools: []string{"alarm", "clock"}},
		"all that may be called wait":    {Tools: []string{"alarm"}},
		"required of those that wait":    {Mode: wire.Required, Tools: []string{"alarm"}},
		"none, and those that wait even": {Mode: wire.None, Tools: []string{"alarm"}},
	}
}

// OpenAIChoices is what RunChoice wants of the APIs of OpenAI, each of which has forms of its own
// for one function and for those that are allowed.
func OpenAIChoices(function func(name string) string, allowed func(mode string, tools ...string) string) map[string]string {
	choice := func(what string) string { return `{"tool_choice":` + what + `}` }
	alone := func(what string) string { return `{"tool_choice":` + what + `,"parallel_tool_calls":false}` }
	clock, notes, weather := function("clock"), function("notes.add"), function("weather")
	return map[string]string{
		"zero":                           `{}`,
		"one at a time":                  `{"parallel_tool_calls":false}`,
		"required":                       choice(`"required"`),
		"required, one at a time":        alone(`"required"`),
		"none":                           alone(`"none"`),
		"one":                            choice(notes),
		"some":                           choice(allowed("auto", clock, notes)),
		"required of one":                alone(allowed("required", clock)),
		"required of some":               choice(allowed("required", clock, notes)),
		"one that waits":                 `{}`,
		"one that waits, one at a time":  `{"parallel_tool_calls":false}`,
		"one that was loaded":            choice(weather),
		"some that wait":                 choice(allowed("auto", weather, clock)),
		"required of some that wait":     choice(allowed("required", clock)),
		"all that may be called wait":    choice(`"none"`),
		"required of those that wait":    choice(`"none"`),
		"none, and those that wait even": choice(`"none"`),
	}
}

// RunChoice makes the choices above. Want has the members of the request that say them, in which
// notes.add stands for the name that the API has for it.
func RunChoice(t *testing.T, w Wire, want map[string]string) {
	t.Helper()
	t.Parallel()
	s := Session(t, "weather")
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), Plain(t, "clock", "", AnyObject), Plain(t, "notes.add", "", AnyObject),
		Late(t, "alarm", AnyObject), Late(t, "weather", AnyObject)))
	codec := w.New(r.AssemblePool(s, pegboard.PoolConfig{}))
	for name, choice := range choices() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, want, name)
			given := slices.Clone(choice.Tools)
			require.Equal(t, strings.ReplaceAll(want[name], "notes.add", codec.Name("notes.add")), string(codec.Choice(choice)))
			require.Equal(t, given, choice.Tools, "the choice was changed")
			require.Equal(t, "{}", string(w.New(Pool(t)).Choice(choice)), "without tools")
		})
	}
}
