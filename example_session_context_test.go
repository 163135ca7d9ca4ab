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
