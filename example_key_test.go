package pegboard_test

import (
	"context"
	"fmt"
	"maps"
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

// A value that a background agent sets is its own, so that the conversation of the user does
// not change. SetRoot writes a value that all agents share.
func ExampleKey_SetRoot() {
	s := begin(pegboard.SessionConfig{})
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "indexer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, version := pegboard.NewKey[string]("goal"), pegboard.NewKey[int]("version of the index")
	goal.Set(s, "a release")
	goal.Set(agent, "an index") // the agent's own
	version.SetRoot(agent, 7)   // of the conversation
	main, _ := goal.Get(s)
	number, _ := version.Get(s)
	fmt.Println(main, number)
	// Output: a release 7
}

// The agent that needs the index first opens it, for the conversation.
func ExampleKey_GetOrInitRoot() {
	s := begin(pegboard.SessionConfig{})
	index := pegboard.NewKey[*atomic.Int64]("queries")
	for _, id := range []string{"a", "b"} {
		agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: id})
		if err != nil {
			fmt.Println(err)
			return
		}
		queries := index.GetOrInitRoot(agent, func() *atomic.Int64 {
			fmt.Println("opened by", id)
			return new(atomic.Int64)
		})
		fmt.Println(queries.Add(1))
	}
	// Output:
	// opened by a
	// 1
	// 2
}

// Each agent has a list of the files that it has read. It begins with a copy of its parent's.
func ExampleNewClonedKey() {
	read := pegboard.NewClonedKey("files read", maps.Clone[map[string]bool])
	s := begin(pegboard.SessionConfig{})
	read.Set(s, map[string]bool{"main.go": true})
	agent, err := s.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	its, _ := read.Get(agent)
	its["go.mod"] = true
	own, _ := read.Get(s)
	fmt.Println(len(its), len(own))
	// Output: 2 1
}
