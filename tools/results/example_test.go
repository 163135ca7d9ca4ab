package results_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// telling returns a tool that says the same each time.
func telling(text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Build"}, Description: "Builds it.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return text, nil },
	})
}

// A result that was too long to be shown is searched, and read where something was
// found.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Results: store,
		Limits:  pegboard.ResultLimits{ReadMoreHint: results.ReadMoreHint},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer func() { _ = session.Close(ctx) }()

	build := telling(strings.Repeat("ok\n", 20_000) + "FAIL parser\n" + strings.Repeat("ok\n", 20_000))
	notice, _, _ := strings.Cut(tooltest.Run(ctx, build, session, `{}`).Result.Text(), "\n")
	path := regexp.MustCompile(`is in ([^;]+);`).FindStringSubmatch(notice)[1] // as a model would
	fmt.Println(strings.ReplaceAll(notice, store.Dir(), "DIR"))

	for _, more := range []string{`"pattern":"^FAIL"`, `"offset":59997,"limit":20`} {
		out := tooltest.Run(ctx, results.Read(results.Options{}), session, fmt.Sprintf(`{"ref":%q,%s}`, path, more))
		fmt.Println(strings.TrimSpace(out.Result.Text()))
	}
	// Output:
	// [Result too long to show: 120012 bytes, 40001 lines. All of it is in DIR/call-1-x5d7963c4.txt; read on with ReadResult (ref is the name of that file, offset is in bytes), or let it find the place with pattern. Below are its first 1998 bytes.]
	// [Result call-1-x5d7963c4.txt: searched bytes 0 to 120012 of 120012, found 1. Each is shown behind its offset and a colon. Read there with that offset.]
	// 60000:FAIL parser
	// [Result call-1-x5d7963c4.txt: bytes 59997 to 60015 of 120012, lines 20000 to 20002. Go on with offset 60015.]
	// ok
	// FAIL parser
	// ok
}
