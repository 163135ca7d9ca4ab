package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// newest is a Trimmer that sends the newest result whole, and says of the others how long they
// were. A session as Trimmer stores them as well.
type newest struct{}

// TrimResults returns the texts in the place of the older results.
func (newest) TrimResults(_ context.Context, results []pegboard.HistoryResult) []string {
	texts := make([]string, len(results))
	for i, r := range results[:max(len(results)-1, 0)] {
		texts[i] = fmt.Sprintf("(%d bytes are left out)", len(r.Text))
	}
	return texts
}

// request returns the members of a request that belong to tools and messages. It does not know
// the provider.
func request(ctx context.Context, codec wire.Codec, trimmer wire.Trimmer, history []json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{"tools": codec.Tools()}
	for _, p := range codec.Omitted() {
		fmt.Println("the provider cannot have", p)
	}
	if err := json.Unmarshal(codec.Choice(wire.Choice{Mode: wire.Required}), &members); err != nil {
		fmt.Println(err)
	}
	messages, _ := codec.Normalize(history) // after a crash, or when messages were cut off
	messages = codec.Trim(ctx, messages, trimmer)
	var list []string
	for _, m := range messages {
		list = append(list, string(m))
	}
	members["messages"] = json.RawMessage("[" + strings.Join(list, ",") + "]")
	return members
}

// compacted returns a short conversation in the place of a long one. The model still knows the
// tools that a search has found for it.
func compacted(codec wire.Codec, history []json.RawMessage, summary string) []json.RawMessage {
	return append(codec.User(pegboard.Part{Text: summary}), codec.Recall(codec.Loaded(history))...)
}

// What a host sends is made by the same code for each provider.
func ExampleCodec_request() {
	ctx, pool := context.Background(), harbour()
	const asked = `{"role":"user","content":"When is high water?"}`
	for _, conversation := range []struct {
		codec   wire.Codec
		history []json.RawMessage
	}{
		{anthropic.New(pool, anthropic.Config{}), []json.RawMessage{
			json.RawMessage(asked),
			json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"harbour_tide","input":{}}]}`),
		}},
		{chat.New(pool, chat.Config{}), []json.RawMessage{
			json.RawMessage(asked),
			json.RawMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"harbour_tide","arguments":"{}"}}]}`),
			json.RawMessage(`{"role":"tool","tool_call_id":"call_1","content":"high water at 13:04"}`),
			json.RawMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_2","type":"function","function":{"name":"harbour_tide","arguments":"{}"}}]}`),
			json.RawMessage(`{"role":"tool","tool_call_id":"call_2","content":"high water at 13:05"}`),
		}},
	} {
		members := request(ctx, conversation.codec, newest{}, conversation.history)
		var messages []json.RawMessage
		if err := json.Unmarshal(members["messages"], &messages); err != nil {
			fmt.Println(err)
		}
		fmt.Println(string(members["tool_choice"]), len(messages), "messages")
		fmt.Println(string(messages[2]))
		fmt.Println(len(compacted(conversation.codec, conversation.history, "The user waits for the tide.")), "after a compaction")
	}
	// Output:
	// {"type":"any"} 3 messages
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"There is no result of harbour_tide: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, and repeat it only if it is still wanted."}],"is_error":true}]}
	// 1 after a compaction
	// "required" 5 messages
	// {"role":"tool","tool_call_id":"call_1","content":"(19 bytes are left out)"}
	// 1 after a compaction
}
