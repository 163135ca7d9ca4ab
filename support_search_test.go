package pegboard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// told returns a tool that the model is told something of, with one property.
func told(info pegboard.Info, description string) pegboard.Tool {
	type in struct {
		City string `json:"city"`
	}
	return pegboard.Build(pegboard.Definition[in, string]{
		Info: info, Description: description, Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ ctx, in in, _ *pegboard.Call) (string, error) { return info.Name + " of " + in.City, nil },
	})
}

func finder() pegboard.Tool { return pegboard.ToolSearch(pegboard.SearchOptions{}) }

// library returns a registry with tools that wait for a search.
func library(t testing.TB, o pegboard.SearchOptions) *pegboard.Registry {
	t.Helper()
	reg := registryOf(t, pegboard.ToolSearch(o), told(pegboard.Info{Name: "Read"}, "Reads a file."),
		told(pegboard.Info{Name: "WebFetch", Aliases: []string{"Fetch"}}, "Fetches a page of the web."))
	for source, tools := range map[string][]pegboard.Tool{
		"github": {
			told(pegboard.Info{Name: "create_issue"}, "Opens an issue in a repository."),
			told(pegboard.Info{Name: "list_issues"}, "Lists the issues of a repository."),
			told(pegboard.Info{Name: "delete_branch", Hint: "remove a line of work"}, "Takes a branch away."),
		},
		"weather": {told(pegboard.Info{Name: "forecast"}, "Tells how the weather will be in a city."), told(pegboard.Info{Name: "list"}, "Lists stations.")},
		"tickets": {told(pegboard.Info{Name: "create_issue"}, "Opens a ticket."), told(pegboard.Info{Name: "list"}, "Lists tickets.")},
	} {
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	reg.SetDescription("weather", "Meteorology of the whole earth.")
	return reg
}

func many(t testing.TB, n int) *pegboard.Registry {
	t.Helper()
	reg := registryOf(t, finder())
	for s := 0; s*200 < n; s++ {
		var tools []pegboard.Tool
		for i := range min(200, n-s*200) {
			tools = append(tools, told(pegboard.Info{Name: fmt.Sprint("t", i)}, fmt.Sprint("Does the thing ", i)))
		}
		_, err := reg.Attach(fmt.Sprint("s", s), tools...)
		require.NoError(t, err)
	}
	return reg
}

func matched(matches []pegboard.SearchMatch) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Name)
	}
	return names
}

// found runs the tool and returns its output.
func found(t testing.TB, reg *pegboard.Registry, query string) (pegboard.SearchOutput, *pegboard.Result) {
	t.Helper()
	out := run(t, reg, session(t, pegboard.SessionConfig{}), call("1", "ToolSearch", query))
	require.NoError(t, out.Err)
	output, ok := out.Result.Data.(pegboard.SearchOutput)
	require.True(t, ok)
	return output, out.Result
}
