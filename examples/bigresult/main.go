// Command bigresult shows how results that are too long for a model are handled: a log
// of 200 MB is stored while it arrives, and the model reads on with Grep, Read and
// ReadResult at the place that the notice names. A JSON document is cut by its
// structure. A failure is shown with its start and its end. The results of one message
// exceed the limit together. A store stays within its quota. The model is a script, and
// no user is asked for permission, so all calls are ones that need none.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bigresult:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "bigresult")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return err
	}
	if err := converse(ctx, dir, work); err != nil {
		return err
	}
	return fill(ctx, dir, work)
}

// converse is the agent loop: send the messages that Trim returns, run the calls,
// append the results.
func converse(ctx context.Context, dir, work string) error {
	store, err := pegboard.NewDirStore(filepath.Join(dir, "results"), "conversation", pegboard.DirOptions{MaxFile: -1}) // 64 MiB unless set
	if err != nil {
		return err
	}
	defer store.Close()
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: work, Results: store,
		Limits: pegboard.ResultLimits{PerMessage: 50_000}, // of one message; 200,000 unless set
	})
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	var registry pegboard.Registry
	if err := registry.Add(append(sources(), files.Grep(files.GrepOptions{}), files.Read(files.ReadOptions{}), results.Read(results.Options{}))...); err != nil {
		return err
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	codec := anthropic.New(pool, anthropic.Config{})
	executor := pegboard.Executor{}
	history := []json.RawMessage{json.RawMessage(`{"role":"user","content":"What failed?"}`)}
	var sent []json.RawMessage
	var seen []string // results of the last turn, as the model sees them
	for turn, say := range script() {
		request := codec.Trim(ctx, history, session)
		if err := unchanged(sent, request); err != nil {
			return fmt.Errorf("turn %d: %w", turn, err)
		}
		sent = request
		message, err := read(codec, turn, say(seen))
		if err != nil {
			return err
		}
		if err := message.Err(); err != nil { // no answer, and no call of it may run
			return err
		}
		outcomes := executor.Run(ctx, pool, message.Calls...)
		history = append(append(history, message.History...), codec.Results(message, outcomes, session.Notifications()...)...)
		seen = nil
		for i, out := range outcomes {
			seen = append(seen, out.Result.Text())
			fmt.Printf("▸ %s %s\n", message.Calls[i].Name, short(string(message.Calls[i].Input), store))
			fmt.Println("  " + strings.ReplaceAll(short(out.Result.Text(), store), "\n", "\n  "))
		}
	}
	first, second := codec.Trim(ctx, history, session), codec.Trim(ctx, history, session)
	for i := range history {
		if len(first[i]) < len(history[i]) {
			fmt.Printf("\nMessage %d is too long with all its results: of %d bytes %d go out.\n", i+1, len(history[i]), len(first[i]))
		}
	}
	fmt.Printf("What went out before is the same, and the next request has the same bytes: %t\n\n",
		unchanged(sent, first) == nil && unchanged(first, second) == nil)
	return nil
}

// read returns the model's reply as it would come from the provider.
func read(codec wire.Codec, turn int, calls []call) (*wire.Message, error) {
	var content []map[string]any
	for i, c := range calls {
		content = append(content, map[string]any{"type": "tool_use", "id": fmt.Sprintf("call_%d_%d", turn+1, i+1), "name": c.tool, "input": c.input})
	}
	body, err := json.Marshal(map[string]any{"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"})
	if err != nil {
		return nil, err
	}
	reply := codec.Read(bytes.NewReader(body))
	for range reply.Events() { // a host would show the reply as it arrives
	}
	return reply.Message()
}

// unchanged returns an error if next does not begin with the messages of last, byte for
// byte. The provider's cache of the prompt would be lost then.
func unchanged(last, next []json.RawMessage) error {
	for i := range last {
		if !bytes.Equal(last[i], next[i]) {
			return fmt.Errorf("message %d is not what was sent before", i)
		}
	}
	return nil
}

// short returns the start of a text, without the names of temporary directories.
func short(text string, store *pegboard.DirStore) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), store.Dir(), "STORE")
	lines := strings.Split(text, "\n")
	const maxLines, width = 4, 330
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines-1:maxLines-1], fmt.Sprintf("… %d more lines, the last: %s", n-maxLines+1, lines[n-1]))
	}
	for i, l := range lines {
		if len(l) > width {
			lines[i] = fmt.Sprintf("%s … %d more bytes", l[:width], len(l)-width)
		}
	}
	return strings.Join(lines, "\n")
}
