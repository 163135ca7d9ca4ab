package tooltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// An offer is the result of one call of Declare.
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

// checkDeclaration checks the declaration. It reports whether the inputs can be
// examined.
func (x *exam) checkDeclaration() bool {
	offers, ok := x.declare(x.session)
	if !ok {
		return false
	}
	first := offers[0]
	if !first.on {
		x.addViolation(ruleDeclared, "", "Declare does not offer it in the session; give a Checker one in which it does")
		return false
	}
	if first.Name != x.info.Name && !slices.Contains(x.info.Aliases, first.Name) {
		x.addViolation(ruleDeclared, "", "it is declared as %q, which is neither its name %q nor an alias", first.Name, x.info.Name)
	}
	for _, o := range offers {
		if o.on != first.on || o.Name != first.Name || o.Description != first.Description || !bytes.Equal(o.InputSchema, first.InputSchema) {
			x.addViolation(ruleStable, "", "it was %s, then %s", first, o)
			if !o.on {
				return false // every input would fail because the tool is missing
			}
			break
		}
	}
	x.checkFork(first)
	x.schema = first.InputSchema
	return x.checkSchema()
}

// checkFork compares the schema with the one in a fork of the session.
func (x *exam) checkFork(first offer) {
	fork, err := x.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "tooltest"})
	if err != nil {
		return // the session is closed or its directories are gone, which the inputs will show
	}
	defer func() { _ = closeSession(fork) }()
	offers, ok := x.declare(fork)
	if ok && offers[0].on && !bytes.Equal(offers[0].InputSchema, first.InputSchema) {
		x.addViolation(ruleStable, "", "in a fork of the session the schema is %s, not %s", offers[0].InputSchema, first.InputSchema)
	}
}

func (x *exam) declare(s *pegboard.Session) (offers []offer, ok bool) {
	var got []offer
	ok = x.runStage("Declare", "", func() {
		got = repeat(repeats, func() offer {
			d, on := x.tool.Declare(pegboard.Scope{Session: s})
			return offer{d, on}
		})
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) checkSchema() bool {
	var top struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(x.schema, &top); err != nil {
		x.addViolation(ruleSchema, "", "it is %s: %v", shorten(string(x.schema)), err)
		return false
	}
	if string(top.Type) != `"object"` {
		x.addViolation(ruleSchema, "", `it is %s, without "type": "object"`, shorten(string(x.schema)))
		return false
	}
	return true
}
