package cookbook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// readTurn runs the calls of a reply while the rest of it arrives.
func readTurn(ctx context.Context, executor *pegboard.Executor, pool *pegboard.Pool, codec wire.Codec, body io.Reader) ([]json.RawMessage, error) {
	reply, stream := codec.Read(body), executor.Stream(ctx, pool)
	defer stream.Abandon(nil) // if the reply breaks off
	for event := range reply.Events() {
		if event.Call != nil { // its block is complete
			stream.Submit(*event.Call)
		}
		fmt.Print(event.Text)
	}
	message, err := reply.Message()
	if err != nil {
		return nil, err
	}
	stream.Finish(message.Finish) // calls that write may start now
	var outcomes []pegboard.Outcome
	for outcome := range stream.Outcomes() {
		outcomes = append(outcomes, outcome)
	}
	return append(message.History, codec.Results(message, outcomes)...), nil
}

func Example_streaming() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(countWords); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	body := strings.NewReader(recordedStream) // of the provider's response
	messages, err := readTurn(context.Background(), new(pegboard.Executor), pool, anthropic.New(pool, anthropic.Config{}), body)
	fmt.Println(err)
	fmt.Println(string(messages[1]))
	// Output:
	// I count the words. <nil>
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"6 words"}]}]}
}

// recordedStream is a reply in server-sent events.
const recordedStream = `event: message_start
data: {"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I count the words. "}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"CountWords","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"text\": \"to be or"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" not to be\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`
