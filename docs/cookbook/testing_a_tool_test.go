package cookbook_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type pageInput struct {
	URL string `json:"url"`
}

// getPage has two defects.
var getPage = pegboard.Build(pegboard.Definition[pageInput, string]{
	Info:        pegboard.Info{Name: "GetPage"},
	Description: "Returns a page.",
	Inspect: func(in pageInput, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{
			ReadOnly: true, OpenWorld: true,
			Targets: []policy.Target{{Kind: policy.Host, Value: in.URL}}, // the zero access writes; a URL is no host
		}
	},
	Call: func(context.Context, pageInput, *pegboard.Call) (string, error) { return "<html>", nil },
})

func Example_testingATool() {
	// In a test: require.NoError(t, tooltest.Check(tool, inputs...))
	err := tooltest.Check(getPage, `{"url": "https://example.com/a"}`)
	for line := range strings.SplitSeq(err.Error(), "\n") {
		rule, _, _ := strings.Cut(line, ": ")
		fmt.Println(rule)
	}

	// One call through all stages, with whatever the model could write.
	out := tooltest.Run(context.Background(), countWords, nil, `{"text": "to be"}`)
	fmt.Println(out.Result.Text(), out.Err)

	// A stand-in answers in a tool's place, for tests of what is around it.
	fake := tooltest.StandIn(countWords, tooltest.Reply{Text: "7 words"})
	fmt.Println(tooltest.Run(context.Background(), fake, nil, `{"text": "x"}`).Result.Text(), len(fake.Calls()))
	// Output:
	// traits agree with each other
	// targets are clear
	// 2 words <nil>
	// 7 words 1
}
