package pegboard_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleKey() {
	counter := pegboard.NewKey[*atomic.Int64]("files written")
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []*pegboard.Session{agent, s} { // the first call makes the counter
		counter.GetOrInit(s, func() *atomic.Int64 { return new(atomic.Int64) }).Add(1)
	}
	n, ok := counter.Get(s)
	fmt.Println(n.Load(), ok)
	// Output: 2 true
}
