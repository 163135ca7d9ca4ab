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
