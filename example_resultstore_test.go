package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// log100 prints 100 lines.
func log100() string { return strings.Repeat("something happened\n", 100) }

// tellIn runs a tool whose result is text in the session.
func tellIn(session *pegboard.Session, text string) pegboard.Part {
	var reg pegboard.Registry
	if err := reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Log"}, Description: "Prints the log.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return text, nil },
	})); err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	return executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "call_1", Name: "Log", Input: json.RawMessage(`{}`)})[0].Result.Parts[0]
}

// folder returns a store in a new directory, and what removes it.
func folder() (*pegboard.DirStore, func()) {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	store, err := pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{MaxSession: 100 << 20})
	if err != nil {
		log.Fatal(err)
	}
	return store, func() { _ = store.Close(); _ = os.RemoveAll(dir) }
}

func ExampleNewDirStore() {
	store, remove := folder()
	defer remove()
	part := tellIn(begin(pegboard.SessionConfig{Results: store, Limits: pegboard.ResultLimits{PerResult: 1000, Preview: 50}}), log100())
	fmt.Println(strings.ReplaceAll(part.Text, store.Dir(), "…"))
	whole, err := store.Open(context.Background(), part.Ref)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = whole.Close() }()
	size, _ := io.Copy(io.Discard, whole)
	fmt.Println(size, "bytes are kept")
	// Output:
	// [Result too long to show: 1900 bytes, 100 lines. All of it is in …/call_1-x74196fe7.txt; read on there with Read (offset and limit in lines) or Grep. Below are its first 38 bytes.]
	// something happened
	// something happened
	// 1900 bytes are kept
}

// A tool stores what it gets while it gets it.
func ExampleCall_Store() {
	fetch := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Fetch"}, Description: "Fetches the log.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			body := strings.NewReader(strings.Repeat(log100(), 1000)) // of a response
			part, err := c.Store(ctx, body)
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		},
	})
	var reg pegboard.Registry
	if err := reg.Add(fetch); err != nil {
		log.Fatal(err)
	}
	session := begin(pegboard.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Fetch"})
	fmt.Println(out[0].Result.Text()[:58])
	// Output: [Result too long to show: 1900000 bytes, 100000 lines. All
}

// A wire calls Trim with what it finds in a history; see its own Trim.
func ExampleSession_TrimResults() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 3500, Preview: 20}})
	defer func() { _ = session.Close(context.Background()) }()
	history := []pegboard.HistoryResult{
		{CallID: "1", Tool: "Log", Turn: 1, Text: log100()},
		{CallID: "2", Tool: "Log", Turn: 1, Text: log100() + "the end\n"},
	}
	for _, text := range session.TrimResults(context.Background(), history) {
		first, _, _ := strings.Cut(text, ".")
		fmt.Printf("%q\n", first)
	}
	// Output:
	// ""
	// "[Result too long to show: 1908 bytes, 101 lines"
}
