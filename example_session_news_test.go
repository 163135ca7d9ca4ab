package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Something that belongs to no call has words for the model. The loop asks for them before each
// request.
func ExampleSession_Tell() {
	session := begin(pegboard.SessionConfig{})
	session.Tell(pegboard.Part{Text: "The linter has found nothing."})
	for _, part := range session.News() {
		fmt.Println(part.Text)
	}
	fmt.Println(len(session.News()), "are left")
	// Output:
	// The linter has found nothing.
	// 0 are left
}

// What an agent has not been told when it ends, the main agent is told.
func ExampleSession_News() {
	session := begin(pegboard.SessionConfig{})
	agent, err := session.Fork(pegboard.SessionConfig{AgentID: "a1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent.Tell(pegboard.Part{Text: "The tests of package a fail."})
	if err := agent.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.News()[0].Text)
	// Output:
	// The tests of package a fail.
}

// A mailbox keeps messages until the loop asks.
func ExampleSession_OnNews() {
	session := begin(pegboard.SessionConfig{})
	mailbox := []string{"Ann: the build is green."}
	session.OnNews("mailbox", func() (parts []pegboard.Part) {
		for _, message := range mailbox {
			parts = append(parts, pegboard.Part{Text: message})
		}
		mailbox = nil
		return parts
	})
	fmt.Println(session.News()[0].Text)
	fmt.Println(len(session.News()), "are left")
	// Output:
	// Ann: the build is green.
	// 0 are left
}

// A loop that is idle waits until there is something for the model, and polls nothing.
func ExampleSession_Arrival() {
	session := begin(pegboard.SessionConfig{})
	go session.Tell(pegboard.Part{Text: "The tests have passed."})
	<-session.Arrival()
	fmt.Println(session.News()[0].Text)
	// Output:
	// The tests have passed.
}

// A mailbox tells those who wait that it has something.
func ExampleSession_AnnounceNews() {
	session := begin(pegboard.SessionConfig{})
	mailbox := make(chan string, 1)
	session.OnNews("mailbox", func() []pegboard.Part {
		session.AnnounceNews("mailbox", false)
		return []pegboard.Part{{Text: <-mailbox}}
	})
	mailbox <- "Ann: the build is green."
	session.AnnounceNews("mailbox", true)
	<-session.Arrival()
	fmt.Println(session.News()[0].Text)
	// Output:
	// Ann: the build is green.
}
