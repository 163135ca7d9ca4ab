package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The functions below return how many turns the model has had in a history. They return
// an error for a history that the API would refuse: each call needs a result right after
// it, in order.

func anthropicTurns(history []json.RawMessage) (turns int, err error) {
	var open []string
	for _, raw := range history {
		var message struct {
			Role    string
			Content json.RawMessage
		}
		if err := json.Unmarshal(raw, &message); err != nil {
			return 0, err
		}
		var blocks []struct {
			Type, ID  string
			ToolUseID string `json:"tool_use_id"`
			Signature string
		}
		_ = json.Unmarshal(message.Content, &blocks) // a string holds neither calls nor results
		var calls, results []string
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
			case "tool_result":
				results = append(results, b.ToolUseID)
			case "thinking":
				if b.Signature == "" {
					return 0, errors.New("thinking has lost its signature")
				}
			}
		}
		if err := answered(open, results); err != nil {
			return 0, err
		}
		open = calls
		if message.Role == "assistant" {
			turns++
		}
	}
	return turns, answered(open, nil)
}

func chatTurns(history []json.RawMessage) (turns int, err error) {
	var open, results []string
	for _, raw := range history {
		var message struct {
			Role       string
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &message); err != nil {
			return 0, err
		}
		if message.Role == "tool" {
			results = append(results, message.ToolCallID)
			continue
		}
		if err := answered(open, results); err != nil {
			return 0, err
		}
		open, results = nil, nil
		for _, c := range message.ToolCalls {
			open = append(open, c.ID)
		}
		if message.Role == "assistant" {
			turns++
		}
	}
	return turns, answered(open, results)
}

func responsesTurns(history []json.RawMessage) (turns int, err error) {
	var open, results []string
	speaking := false
	for _, raw := range history {
		var item struct {
			Type, Role string
			CallID     string `json:"call_id"`
			Encrypted  string `json:"encrypted_content"`
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			return 0, err
		}
		if item.Type == "function_call_output" {
			results = append(results, item.CallID)
			speaking = false
			continue
		}
		if item.Type == "reasoning" && item.Encrypted == "" {
			return 0, errors.New("a reasoning item has lost its content")
		}
		if len(results) > 0 || item.Role == "user" {
			if err := answered(open, results); err != nil {
				return 0, err
			}
			open, results = nil, nil
		}
		if item.Type == "function_call" {
			open = append(open, item.CallID)
		}
		if item.Role == "user" {
			speaking = false
		} else if !speaking {
			speaking = true
			turns++
		}
	}
	return turns, answered(open, results)
}

func geminiTurns(history []json.RawMessage) (turns int, err error) {
	var open []string
	for _, raw := range history {
		var content struct {
			Role  string
			Parts []struct {
				FunctionCall, FunctionResponse *struct{ Name string }
				ThoughtSignature               string
			}
		}
		if err := json.Unmarshal(raw, &content); err != nil {
			return 0, err
		}
		var calls, results []string
		for _, p := range content.Parts {
			if p.FunctionCall != nil {
				if len(calls) == 0 && p.ThoughtSignature == "" {
					return 0, errors.New("the first call has lost its thought signature")
				}
				calls = append(calls, p.FunctionCall.Name)
			}
			if p.FunctionResponse != nil {
				results = append(results, p.FunctionResponse.Name)
			}
		}
		if err := answered(open, results); err != nil {
			return 0, err
		}
		open = calls
		if content.Role == "model" {
			turns++
		}
	}
	return turns, answered(open, nil)
}

func answered(calls, results []string) error {
	if !slices.Equal(calls, results) {
		return fmt.Errorf("the calls %q are followed by the results %q", calls, results)
	}
	return nil
}
