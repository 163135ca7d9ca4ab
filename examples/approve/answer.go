package main

import (
	"encoding/json"
)

// The kinds of answers.
const (
	once   = "once"   // allow the call this time
	always = "always" // allow it and remember suggestion N
	edit   = "edit"   // allow it with Input instead of the model's input
	deny   = "deny"   // deny it; the model gets Reason
	stop   = "stop"   // deny it and end the turn
)

// An answer is the answer of a user or a program to a card.
type answer struct {
	ID     string          `json:"id"`
	Answer string          `json:"answer"`
	N      int             `json:"n,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Reason string          `json:"reason,omitempty"`
}
