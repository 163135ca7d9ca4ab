package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleSessionFrom() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "conversation 7"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	ctx := pegboard.WithSession(context.Background(), s)

	// Deep inside a tool, where only the context arrives:
	if s, ok := pegboard.SessionFrom(ctx); ok {
		fmt.Println(s.ID())
	}
	_, ok := pegboard.SessionFrom(context.Background())
	fmt.Println(ok)
	// Output:
	// conversation 7
	// false
}

// A tool gets a context that carries its session. A host whose own code works in a session
// makes such a context itself.
func ExampleWithSession() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{AgentType: "reviewer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background())         //nolint:errcheck // it owns nothing that could fail
	label := func(ctx context.Context) string { // of a log line, wherever it is written
		if s, ok := pegboard.SessionFrom(ctx); ok {
			return s.AgentType()
		}
		return "no session"
	}
	fmt.Println(label(context.Background()))
	fmt.Println(label(pegboard.WithSession(context.Background(), s)))
	// Output:
	// no session
	// reviewer
}
