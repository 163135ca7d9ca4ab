package cookbook_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// countInput is what the model writes. The schema is made of the tags.
type countInput struct {
	Text string `json:"text" jsonschema:"description=The text to count"`
}

var countWords = pegboard.Build(pegboard.Definition[countInput, string]{
	Info:        pegboard.Info{Name: "CountWords"},
	Description: "Counts the words of a text.",
	Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{
		{Kind: policy.Resource, Access: policy.Read, Value: "a text"}, // and nothing else, so that no rule on files concerns it
	}},
	Call: func(_ context.Context, in countInput, _ *pegboard.Call) (string, error) {
		return fmt.Sprint(len(strings.Fields(in.Text)), " words"), nil
	},
})

func Example_firstTool() {
	for _, input := range []string{`{"text": "to be or not to be"}`, `{"txt": "to be"}`} {
		out := tooltest.Run(context.Background(), countWords, nil, input)
		fmt.Println(out.Result.Text()) // what the model reads
	}
	// Output:
	// 6 words
	// CountWords was not run, its input is wrong:
	// missing required property "text" (string)
	// unknown property "txt"; did you mean "text"?
	// Correct the input and call it again.
}
