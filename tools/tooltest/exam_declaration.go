package tooltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// offer is an answer of Declare.
type offer struct {
	pegboard.Declaration
	on bool
}

func (o offer) String() string {
	if !o.on {
		return "not offered"
	}
	return fmt.Sprintf("%q (%q) %s", o.Name, shorten(o.Description), shorten(string(o.InputSchema)))
}

// declaration reports whether calls can be tried.
func (x *exam) declaration() bool {
	offers, ok := x.offers(x.session)
	if !ok {
		return false
	}
	first := offers[0]
	if !first.on {
		x.violated(ruleDeclared, "", "Declare does not offer it in the session; give a Checker one in which it does")
		return false
	}
	if first.Name != x.info.Name && !slices.Contains(x.info.Aliases, first.Name) {
		x.violated(ruleDeclared, "", "it is declared as %q, which is neither its name %q nor an alias", first.Name, x.info.Name)
	}
	for _, o := range offers {
		if o.on != first.on || o.Name != first.Name || o.Description != first.Description || !bytes.Equal(o.InputSchema, first.InputSchema) {
			x.violated(ruleStable, "", "it was %s, then %s", first, o)
			if !o.on {
				return false // the inputs would only find it missing
			}
			break
		}
	}
	x.elsewhere(first)
	x.schema = first.InputSchema
	return x.ofObject()
}

// elsewhere compares the schema with that in a fork.
func (x *exam) elsewhere(first offer) {
	fork, err := x.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "tooltest"})
	if err != nil {
		return // the session is closed or its directories are gone; the inputs will tell
	}
	defer func() { _ = closeSoon(fork) }()
	offers, ok := x.offers(fork)
	if ok && offers[0].on && !bytes.Equal(offers[0].InputSchema, first.InputSchema) {
		x.violated(ruleStable, "", "in a fork of the session the schema is %s, not %s", offers[0].InputSchema, first.InputSchema)
	}
}

func (x *exam) offers(s *pegboard.Session) (offers []offer, ok bool) {
	var got []offer
	ok = x.try("Declare", "", func() {
		got = times(repeats, func() offer {
			d, on := x.tool.Declare(s)
			return offer{d, on}
		})
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) ofObject() bool {
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(x.schema, &top); err != nil {
		x.violated(ruleSchema, "", "it is %s: %v", shorten(string(x.schema)), err)
		return false
	}
	if string(top.Type) != `"object"` {
		x.violated(ruleSchema, "", `it is %s, without "type": "object"`, shorten(string(x.schema)))
		return false
	}
	return true
}
