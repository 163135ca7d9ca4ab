package mailbox_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

// The variables that make a child process of this binary play a role.
const (
	roleName = "PEGBOARD_MAILBOX_ROLE"
	dirName  = "PEGBOARD_MAILBOX_DIR"

	exchanging = "exchange" // puts and takes until it is killed
)

func TestMain(m *testing.M) {
	if os.Getenv(roleName) == exchanging {
		exchange(os.Getenv(dirName))
	}
	os.Exit(m.Run())
}

// exchange puts messages of two senders into a mailbox, and takes them, until it is killed. It
// prints what it has done.
func exchange(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	b, err := mailbox.Open(dir, nil)
	fail(err)
	fmt.Println("ready")
	for i := range 2 {
		go func() {
			for n := 1; ; n++ {
				l := letter{From: fmt.Sprintf("%d-%d", os.Getpid(), i), Number: n}
				fail(b.Put("ann", l.json()))
				fmt.Printf("sent %s %d\n", l.From, l.Number)
				time.Sleep(time.Duration(n%3) * time.Millisecond)
			}
		}()
	}
	out := bufio.NewWriter(os.Stdout)
	for {
		arrival := b.Arrival("ann")
		messages, problems := b.Take("ann", 200)
		for _, p := range problems {
			fail(p)
		}
		for _, word := range []string{"told", "confirmed"} {
			for _, m := range messages {
				var l letter
				fail(json.Unmarshal(m, &l))
				_, err := fmt.Fprintf(out, "%s %s %d\n", word, l.From, l.Number)
				fail(err)
			}
			if word == "confirmed" {
				fail(b.Confirm("ann"))
			}
			fail(out.Flush())
		}
		if len(messages) == 0 {
			<-arrival
		}
	}
}
