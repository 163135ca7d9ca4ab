package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

var buildLog = pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
	Info:        pegboard.Info{Name: "BuildLog", MaxResult: 1000}, // characters; without it 30,000
	Description: "Returns the log of the last build.",
	Traits:      pegboard.Traits{ReadOnly: true},
	Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
		body := strings.NewReader(strings.Repeat("ok\n", 20_000) + "FAIL parser\n") // of a response
		part, err := c.Store(ctx, body)                                             // never whole in memory
		return &pegboard.Result{Parts: []pegboard.Part{part}}, err
	},
})

func Example_longResults() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := pegboard.NewDirStore(dir, "conversation-1", pegboard.DirOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Results: store,
		Limits:  pegboard.ResultLimits{Preview: 12, ReadMoreHint: results.ReadMoreHint},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	stored := tooltest.Run(context.Background(), buildLog, session, `{}`).Result.Parts[0]
	fmt.Println(strings.ReplaceAll(stored.Text, store.Dir(), "DIR"))
	more := fmt.Sprintf(`{"ref": %q, "pattern": "^FAIL"}`, stored.Ref)
	fmt.Println(tooltest.Run(context.Background(), results.Read(results.Options{}), session, more).Result.Text())
	// Output:
	// [Result too long to show: 60012 bytes, 20001 lines. All of it is in DIR/call-1-x5d7963c4.txt; read on with ReadResult (ref is the name of that file, offset is in bytes), or let it find the place with pattern. Below are its first 12 bytes.]
	// ok
	// ok
	// ok
	// ok
	// [Result call-1-x5d7963c4.txt: searched bytes 0 to 60012 of 60012, found 1. Each is shown behind its offset and a colon. Read there with that offset.]
	// 60000:FAIL parser
}
