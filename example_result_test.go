package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleTextResult() {
	fmt.Println(pegboard.TextResult("three files").Text())
	// Output: three files
}

// A tool that runs code gives the code data: not the text that is worded for the model.
func ExampleOutcome_Value() {
	type city struct {
		Name string `json:"name"`
	}
	type weather struct {
		Degrees float64 `json:"degrees"`
	}
	look := pegboard.Build(pegboard.Definition[city, weather]{
		Info: pegboard.Info{Name: "Weather"}, Description: "Says how warm it is in a city.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in city, _ *pegboard.Call) (weather, error) {
			if in.Name != "Rome" {
				return weather{}, errors.New("there is no such city; write its English name")
			}
			return weather{21.5}, nil
		},
		Result: func(w weather) *pegboard.Result {
			return pegboard.TextResult(fmt.Sprintf("It is pleasant: %.1f degrees.", w.Degrees))
		},
	})
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Compares cities.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			for _, out := range c.Run(ctx,
				pegboard.Call{Name: "Weather", Input: []byte(`{"name":"Rome"}`)},
				pegboard.Call{Name: "Weather", Input: []byte(`{"name":"Rom"}`)},
				pegboard.Call{Name: "Weather", Input: []byte(`{"city":"Rome"}`)}) {
				v, err := out.Value()
				if failed := (*pegboard.CodeError)(nil); errors.As(err, &failed) {
					fmt.Println(failed.Tool, failed.Kind)
					continue
				}
				fmt.Println(v)
			}
			return "compared", nil
		},
	})
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: "."})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(look, script); err != nil {
		fmt.Println(err)
		return
	}
	pool := reg.AssemblePool(session, pegboard.PoolConfig{})
	var ex pegboard.Executor
	fmt.Println(ex.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Script"})[0].Result.Text())
	// Output:
	// {21.5}
	// Weather failed
	// Weather invalid_input
	// compared
}

// A store removes results that are older than its Retention, by itself. A host that wants
// them gone now calls Sweep.
func ExampleDirStore_Sweep() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := pegboard.NewDirStore(dir, "conversation", pegboard.DirOptions{Retention: 24 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	kept := map[string]pegboard.StoredResult{}
	for id, age := range map[string]time.Duration{"today": 0, "yesterday": 25 * time.Hour} {
		if kept[id], err = store.Put(ctx, id, "text/plain", strings.NewReader(log100())); err != nil {
			log.Fatal(err)
		}
		made := time.Now().Add(-age)
		if err := os.Chtimes(kept[id].Path, made, made); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(store.Sweep(ctx))
	whole, err := store.Open(ctx, kept["today"].Ref)
	fmt.Println(kept["today"].Size, "bytes are kept:", whole != nil, err)
	if err == nil {
		_ = whole.Close()
	}
	_, err = store.Open(ctx, kept["yesterday"].Ref)
	fmt.Println("gone:", errors.Is(err, fs.ErrNotExist))
	fmt.Println(store.Close())
	// Output:
	// <nil>
	// 1900 bytes are kept: true <nil>
	// gone: true
	// <nil>
}

// A wire passes the results of a history to TrimResults; each wire has a Trim that does
// so.
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

// A tool that says "as above" asks whether the model still has what is above.
func ExampleSession_Trimmed() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}})
	defer func() { _ = session.Close(context.Background()) }()
	history := []pegboard.HistoryResult{{CallID: "1", Tool: "Log", Turn: 1, Text: log100() + log100()}}
	session.TrimResults(context.Background(), history)
	fmt.Println(session.Trimmed("1"))
	for turn := 2; turn < 4; turn++ {
		history = append(history, pegboard.HistoryResult{CallID: fmt.Sprint(turn), Tool: "Log", Turn: turn, Text: log100()})
	}
	session.TrimResults(context.Background(), history)
	fmt.Println(session.Trimmed("1"), session.Trimmed("3"))
	// Output:
	// false
	// true false
}

// A user interface lists what the model is not sent any more, and opens it.
func ExampleSession_TrimmedResults() {
	session := begin(pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 3500, Preview: 20}})
	defer func() { _ = session.Close(context.Background()) }()
	session.TrimResults(context.Background(), []pegboard.HistoryResult{
		{CallID: "1", Tool: "Log", Turn: 1, Text: log100()},
		{CallID: "2", Tool: "Log", Turn: 1, Text: log100() + "the end\n"},
	})
	for _, r := range session.TrimmedResults() {
		stored, err := session.ResultStore().Open(context.Background(), r.Ref)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.CallID, r.Tool, r.Size, stored.Close())
	}
	// Output: 2 Log 1908 <nil>
}

// A resumed conversation sends the bytes that it sent before, so that the provider's prompt
// cache still holds it.
func ExampleSession_TrimState() {
	limits := pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}
	first := begin(pegboard.SessionConfig{Limits: limits})
	defer func() { _ = first.Close(context.Background()) }()
	var history []pegboard.HistoryResult
	for turn := 1; turn < 4; turn++ {
		history = append(history, pegboard.HistoryResult{CallID: fmt.Sprint(turn), Tool: "Log", Turn: turn, Text: log100() + log100()})
		first.TrimResults(context.Background(), history)
	}
	for _, state := range []json.RawMessage{nil, first.TrimState()} { // without, and as the host kept it
		resumed := begin(pegboard.SessionConfig{Limits: limits, TrimState: state})
		fmt.Println(resumed.Trimmed("1"))
		if err := resumed.Close(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// false
	// true
}

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
