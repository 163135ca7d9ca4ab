package chat_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// expectation is what encoding/json alone finds in a recorded stream, of which
// every chunk is as OpenAI documents it.
type expectation struct {
	calls      []string
	incomplete []string
	text       string
	thinking   string
	reason     string
	usage      map[string]any
	sound      bool // all chunks were as documented, and the stream was whole
}

func oracle(body string) (want expectation) {
	type pieces struct{ id, name, arguments string }
	calls := map[int]*pieces{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			want.sound = want.reason != ""
			break
		}
		var chunk struct {
			Choices []struct {
				Index int
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						Index    *int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
			Usage map[string]any
		}
		if json.Unmarshal([]byte(data), &chunk) != nil {
			return expectation{}
		}
		if chunk.Usage != nil {
			want.usage = chunk.Usage
		}
		for _, choice := range chunk.Choices {
			want.text += choice.Delta.Content
			want.thinking += choice.Delta.ReasoningContent
			want.reason += choice.FinishReason
			for _, c := range choice.Delta.ToolCalls {
				if c.Index == nil {
					return expectation{}
				}
				if calls[*c.Index] == nil {
					calls[*c.Index] = &pieces{}
				}
				p := calls[*c.Index]
				p.id, p.name, p.arguments = p.id+c.ID, p.name+c.Function.Name, p.arguments+c.Function.Arguments
			}
		}
	}
	var indices []int
	for i := range calls {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	for _, i := range indices {
		c := calls[i]
		if want.reason == "length" && !json.Valid([]byte(c.arguments)) {
			want.incomplete = append(want.incomplete, c.id+" "+c.name+" "+c.arguments)
		} else {
			want.calls = append(want.calls, c.id+" "+c.name+" "+c.arguments)
		}
	}
	return want
}
