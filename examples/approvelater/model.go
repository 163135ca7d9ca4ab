package main

import (
	"encoding/json"
	"fmt"
)

// model stands for the provider: it returns the body of the response to a request. First it makes
// three calls; when it has their results, it ends the turn.
func model(messages []json.RawMessage) string {
	const body = `{"id":"msg_%d","type":"message","role":"assistant","model":"script","stop_reason":%q,"content":%s}`
	if len(messages) == 1 {
		return fmt.Sprintf(body, 1, "tool_use", `[
			{"type":"tool_use","id":"toolu_1","name":"Changelog","input":{"version":"1.2"}},
			{"type":"tool_use","id":"toolu_2","name":"Publish","input":{"version":"1.2"}},
			{"type":"tool_use","id":"toolu_3","name":"Announce","input":{"version":"1.2"}}]`)
	}
	var last struct {
		Content []struct {
			Type string `json:"type"`
		} `json:"content"`
	}
	results := 0
	if err := json.Unmarshal(messages[len(messages)-1], &last); err == nil {
		for _, c := range last.Content {
			if c.Type == "tool_result" {
				results++
			}
		}
	}
	text, _ := json.Marshal([]map[string]string{{"type": "text", "text": fmt.Sprintf("I have %d results. Version 1.2 is published, and not announced.", results)}})
	return fmt.Sprintf(body, 2, "end_turn", text)
}
