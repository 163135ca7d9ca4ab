package responses_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// TestToolsThatWait are not sent before they were loaded, and then after all others.
func TestToolsThatWait(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	names := func(w *responses.Codec) (list []string) {
		for _, d := range definitions(t, w) {
			require.False(t, d.Deferred)
			list = append(list, d.Name)
		}
		return list
	}
	w := resumed(t, r, responses.Config{})
	require.Equal(t, []string{"ToolSearch", "clock", "mcp__maps__tile"}, names(w))
	require.Empty(t, w.Omitted(), "a tool that waits is no problem")
	prefix := strings.TrimSuffix(string(w.Tools()), "]")
	for _, loaded := range [][]string{{route}, {route, zoom}, {zoom, "ToolSearch", "clock", route}} {
		w := resumed(t, r, responses.Config{}, loaded...)
		require.True(t, strings.HasPrefix(string(w.Tools()), prefix+","), "%s", w.Tools())
		want := []string{"ToolSearch", "clock", "mcp__maps__tile"}
		for _, name := range loaded {
			if name == route || name == zoom {
				want = append(want, w.Name(name))
			}
		}
		require.Equal(t, want, names(w))
	}
	first := strings.TrimSuffix(string(resumed(t, r, responses.Config{}, route).Tools()), "]")
	require.True(t, strings.HasPrefix(string(resumed(t, r, responses.Config{}, route, zoom).Tools()), first+","))

	// A strict tool that was loaded is called like any other.
	w = resumed(t, r, responses.Config{}, zoom)
	_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("1", w.Name(zoom), `{"a": null}`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")

	w = resumed(t, r, responses.Config{}, "odd")
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "odd", w.Omitted()[0].Tool)
}

// TestToolsThatWaitForTheAPI are all sent, where they always were.
func TestToolsThatWaitForTheAPI(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		if name == "a function" {
			continue
		}
		w := resumed(t, r, config)
		require.Equal(t, string(w.Tools()), string(resumed(t, r, config, route, zoom).Tools()), name)
		deferred := 0
		for _, d := range definitions(t, w) {
			if d.Deferred {
				deferred++
			}
		}
		require.Equal(t, 2, deferred, name)
	}
}

// TestChoiceOfWhatWaits does not make the model call what it has not seen.
func TestChoiceOfWhatWaits(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	hosted := responses.New(poolOf(t, waiting(t, zoom, anyObject)), responses.Config{HostedSearch: true})
	function := func(api string) string { return `{"type":"function","name":"` + api + `"}` }
	one := func(tool string) wire.Choice { return wire.Choice{Mode: wire.One, Tool: tool} }
	some := wire.Choice{Tools: []string{zoom, "clock", route}}
	tests := []struct {
		name   string
		wire   *responses.Codec
		choice wire.Choice
		want   string
	}{
		{name: "it waits", wire: resumed(t, r, responses.Config{}), choice: one(zoom), want: `{}`},
		{name: "it waits for the client's search", wire: resumed(t, r, modes()[byClient]), choice: one(zoom), want: `{}`},
		{name: "loaded", wire: resumed(t, r, responses.Config{}, zoom), choice: one(zoom), want: `{"tool_choice":` + function(hosted.Name(zoom)) + `}`},
		{name: "some of several", wire: resumed(t, r, responses.Config{}, route), choice: some, want: `{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` + function("clock") + `,` + function(route) + `]}}`},
		{name: "none of several", wire: resumed(t, r, responses.Config{}), choice: wire.Choice{Tools: []string{zoom}}, want: `{"tool_choice":"none"}`},
		{name: "the API searches", wire: hosted, choice: one(zoom), want: `{"tool_choice":` + function(hosted.Name(zoom)) + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(tt.wire.Choice(tt.choice)))
		})
	}
}
