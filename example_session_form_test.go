package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A server asks for a value in the middle of a call. What does not fit its schema goes back
// to the user.
func ExampleSession_Fill() {
	typed := []string{`{"port":"eighty"}`, `{"port":80}`}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Fill: func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
			fmt.Printf("%s asks: %s %q\n", f.From, f.Message, f.Problem)
			content := typed[0]
			typed = typed[1:]
			return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(content)}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	filled, err := s.Fill(context.Background(), pegboard.Form{
		From: "deploy", Message: "Which port?",
		Schema: json.RawMessage(`{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}`),
	})
	fmt.Println(filled.Action, string(filled.Content), err)
	// Output:
	// deploy asks: Which port? ""
	// deploy asks: Which port? "port: got string \"eighty\", want integer"
	// accept {"port":80} <nil>
}
