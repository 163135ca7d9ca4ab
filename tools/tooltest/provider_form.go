package tooltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// members are those of a JSON object.
type members map[string]any

// and returns m with more members.
func (m members) and(more members) members {
	m = maps.Clone(m)
	maps.Copy(m, more)
	return m
}

// A providerReply is a turn on its way out.
type providerReply struct {
	Turn
	number int // from 1 on
	model  string
}

// geminiStream is the end of the path that asks Gemini for a stream.
const geminiStream = ":streamGenerateContent"

// formOf returns the form that a path asks for, which returns a reply whole and as the events
// of a stream. It is nil if there is none.
func formOf(path string) func(providerReply) (whole members, events []members) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return providerReply.anthropic
	case strings.HasSuffix(path, "/chat/completions"):
		return providerReply.chat
	case strings.HasSuffix(path, "/responses"):
		return providerReply.responses
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, geminiStream):
		return providerReply.gemini
	}
	return nil
}

// asEvents returns server-sent events, which are named by their type, if they have one.
func asEvents(events []members) (out []byte, err error) {
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		if kind, ok := e["type"]; ok {
			out = fmt.Appendf(out, "event: %s\n", kind)
		}
		out = fmt.Appendf(out, "data: %s\n\n", data)
		if e["object"] == chatChunk && e["usage"] != nil {
			out = append(out, "data: [DONE]\n\n"...)
		}
	}
	return out, nil
}

// pieces returns a text in pieces, as a model writes it. No text has none.
func pieces(text string) (all []string) {
	for piece := range slices.Chunk([]rune(text), 7) {
		all = append(all, string(piece))
	}
	return all
}

func (r providerReply) anthropic() (members, []members) {
	reason, content, usage := "end_turn", []members{}, members{"input_tokens": 1, "output_tokens": 1}
	message := members{"id": fmt.Sprint("msg_", r.number), "type": "message", "role": "assistant", "model": r.model, "stop_sequence": nil}
	events := []members{{"type": "message_start", "message": message.and(members{"content": content, "stop_reason": nil, "usage": usage})}}
	add := func(block, start members, delta, member, text string) {
		at := members{"index": len(content)}
		content = append(content, block)
		events = append(events, at.and(members{"type": "content_block_start", "content_block": block.and(start)}))
		for _, piece := range pieces(text) {
			events = append(events, at.and(members{"type": "content_block_delta", "delta": members{"type": delta, member: piece}}))
		}
		events = append(events, at.and(members{"type": "content_block_stop"}))
	}
	if r.Text != "" {
		add(members{"type": "text", "text": r.Text}, members{"text": ""}, "text_delta", "text", r.Text)
	}
	for _, c := range r.Calls {
		reason = "tool_use"
		block := members{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input}
		add(block, members{"input": members{}}, "input_json_delta", "partial_json", string(c.Input))
	}
	end := members{"stop_reason": reason, "stop_sequence": nil}
	events = append(events, members{"type": "message_delta", "delta": end, "usage": usage}, members{"type": "message_stop"})
	return message.and(members{"content": content, "stop_reason": reason, "usage": usage}), events
}

const chatChunk = "chat.completion.chunk"

func (r providerReply) chat() (members, []members) {
	reason, message := "stop", members{"role": "assistant", "content": r.Text}
	head := members{"id": fmt.Sprint("chatcmpl-", r.number), "created": 0, "model": r.model}
	usage := members{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	var events []members
	send := func(delta members, reason any) {
		choices := []members{{"index": 0, "delta": delta, "finish_reason": reason}}
		events = append(events, head.and(members{"object": chatChunk, "choices": choices}))
	}
	send(members{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(r.Text) {
		send(members{"content": piece}, nil)
	}
	var calls []members
	for i, c := range r.Calls {
		call := members{"id": c.ID, "type": "function", "function": members{"name": c.Name, "arguments": ""}}
		send(members{"tool_calls": []members{call.and(members{"index": i})}}, nil)
		for _, piece := range pieces(string(c.Input)) {
			send(members{"tool_calls": []members{{"index": i, "function": members{"arguments": piece}}}}, nil)
		}
		calls = append(calls, call.and(members{"function": members{"name": c.Name, "arguments": string(c.Input)}}))
		reason, message["tool_calls"] = "tool_calls", calls
	}
	send(members{}, reason)
	events[len(events)-1]["usage"] = usage
	choices := []members{{"index": 0, "message": message, "finish_reason": reason}}
	return head.and(members{"object": "chat.completion", "choices": choices, "usage": usage}), events
}

// responseID begins the id of a response, which ends in the number of the turn.
const responseID = "resp_"

func (r providerReply) responses() (members, []members) {
	response := members{
		"id": fmt.Sprint(responseID, r.number), "object": "response", "created_at": 0, "model": r.model, "error": nil, "incomplete_details": nil,
		"parallel_tool_calls": true, "tool_choice": "auto", "tools": []members{}, "status": "in_progress", "output": []members{},
	}
	events, output := []members{{"type": "response.created", "response": response}}, []members{}
	send := func(kind string, more members) {
		events = append(events, more.and(members{"type": "response." + kind, "output_index": len(output)}))
	}
	// add sends the item, the text in it and the part that has the text, if there is one.
	add := func(item, start members, kind, member, text string, part members) {
		at := members{"item_id": item["id"], "content_index": 0}
		send("output_item.added", members{"item": item.and(start).and(members{"status": "in_progress"})})
		if part != nil {
			send("content_part.added", at.and(members{"part": part.and(members{"text": ""})}))
		}
		for _, piece := range pieces(text) {
			send(kind+".delta", at.and(members{"delta": piece}))
		}
		send(kind+".done", at.and(members{member: text}))
		if part != nil {
			send("content_part.done", at.and(members{"part": part}))
		}
		send("output_item.done", members{"item": item})
		output = append(output, item)
	}
	if r.Text != "" {
		part := members{"type": "output_text", "text": r.Text, "annotations": []members{}}
		item := members{"id": fmt.Sprint("msg_", r.number), "type": "message", "role": "assistant", "status": "completed", "content": []members{part}}
		add(item, members{"content": []members{}}, "output_text", "text", r.Text, part)
	}
	for _, c := range r.Calls {
		item := members{"id": "fc_" + c.ID, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": string(c.Input), "status": "completed"}
		add(item, members{"arguments": ""}, "function_call_arguments", "arguments", string(c.Input), nil)
	}
	usage := members{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
	whole := response.and(members{"status": "completed", "output": output, "usage": usage})
	events = append(events, members{"type": "response.completed", "response": whole})
	for i := range events {
		events[i]["sequence_number"] = i
	}
	return whole, events
}

func (r providerReply) gemini() (members, []members) {
	reply := func(parts []members, more members) members {
		return members{
			"candidates": []members{more.and(members{"index": 0, "content": members{"role": "model", "parts": parts}})},
			"responseId": fmt.Sprint(r.number), "usageMetadata": members{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		}
	}
	parts, events := []members{}, []members(nil)
	for _, piece := range pieces(r.Text) {
		events = append(events, reply([]members{{"text": piece}}, members{}))
	}
	if r.Text != "" {
		parts = append(parts, members{"text": r.Text})
	}
	for _, c := range r.Calls {
		part := members{"functionCall": members{"id": c.ID, "name": c.Name, "args": c.Input}}
		parts = append(parts, part)
		events = append(events, reply([]members{part}, members{}))
	}
	stop := members{"finishReason": "STOP"}
	return reply(parts, stop), append(events, reply([]members{{"text": ""}}, stop))
}
