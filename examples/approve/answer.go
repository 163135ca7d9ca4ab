package main

import (
	"encoding/json"
)

// What can be answered.
const (
	once   = "once"   // allow it this time
	always = "always" // and remember suggestion N
	edit   = "edit"   // allow it with Input in the place of the model's
	deny   = "deny"   // Reason is for the model
	stop   = "stop"   // deny, and end the turn
)

// An answer is what a person or a program says to a card.
type answer struct {
	ID     string          `json:"id"`
	Answer string          `json:"answer"`
	N      int             `json:"n,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Reason string          `json:"reason,omitempty"`
}
