package pegboard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A plan is the calls of a random message. What each of them does stands in its
// input, so that tools, hooks and the asker can keep to it on whatever side they are.
type plan []planned

// planned is one call of a plan, as the model sends it.
type planned struct {
	action
	id, tool string
	spelling string        // of the input: as it should be, "fenced", "lost" (the host knows it), "cut"
	gap      time.Duration // until the model has written the next call
}

// action is what a call of a plan does, and what hooks, rules and the user do about it.
type action struct {
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	Tree   bool     `json:"tree,omitempty"`
	Class  int      `json:"class,omitempty"`
	Look   bool     `json:"look,omitempty"` // it is read-only
	Ms     int      `json:"ms,omitempty"`

	Valid  string   `json:"valid,omitempty"`  // "no": the tool objects
	Pre    string   `json:"pre,omitempty"`    // what the hook before it does: deny, ask, error, panic, late
	Rule   string   `json:"rule,omitempty"`   // "deny" or "ask"
	Person string   `json:"person,omitempty"` // who is asked says yes, no, never anything
	Ends   string   `json:"ends,omitempty"`   // error, panic, goexit, flagged, hang (until it is stopped), deaf
	Post   string   `json:"post,omitempty"`   // what the hook after it does: replace, error, panic, late, block
	Then   string   `json:"then,omitempty"`   // what its result does to the session, see scene
	Inner  []string `json:"inner,omitempty"`  // inputs of the calls that it makes
}

// conflicts says whether two calls must not run at once.
func (p action) conflicts(q action) bool {
	if p.Class == 0 || q.Class == 0 {
		return true
	}
	touches := func(a, b string) bool {
		return a == b || (p.Tree && strings.HasPrefix(b, a+"/")) || (q.Tree && strings.HasPrefix(a, b+"/"))
	}
	for _, w := range p.Writes {
		if slices.ContainsFunc(append(slices.Clone(q.Reads), q.Writes...), func(x string) bool { return touches(w, x) }) {
			return true
		}
	}
	for _, r := range p.Reads {
		if slices.ContainsFunc(q.Writes, func(x string) bool { return touches(r, x) }) {
			return true
		}
	}
	return false
}

// settled returns p as it is meant: by target without targets is alone.
func (p action) settled() action {
	if p.Class == int(pegboard.PerTarget) && len(p.Reads)+len(p.Writes) == 0 && p.Rule == "" {
		p.Class = int(pegboard.Exclusive)
	}
	return p
}

func (p action) input() string {
	in, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(in)
}

// inner returns the calls that a call makes, as a plan of their own.
func (p planned) inner() (in plan) {
	for i, text := range p.Inner {
		var s action
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		in = append(in, planned{action: s, id: p.id + "." + strconv.Itoa(i), tool: "Do"})
	}
	return in
}

// call returns the call as the model spells it.
func (p planned) call() pegboard.Call {
	input := p.input()
	switch p.spelling {
	case "fenced":
		input = "```json\n" + input + "\n```"
	case "lost", "cut":
		input = input[:len(input)-1]
	}
	return call(p.id, p.tool, input)
}

func (p plan) calls() (calls []pegboard.Call) {
	for _, c := range p {
		calls = append(calls, c.call())
	}
	return calls
}

// String returns a line for each call.
func (p plan) String() (text string) {
	for _, c := range p {
		text += fmt.Sprintf("\n%s %s%s %s", c.id, c.tool, strings.TrimRight(" "+c.spelling, " "), c.input())
	}
	return text
}

// quirks are the ways in which a call of a plan may be unlike others.
var quirks = []func(*planned){
	func(p *planned) { p.Ends = "error" },
	func(p *planned) { p.Ends = "panic" },
	func(p *planned) { p.Ends = "goexit" },
	func(p *planned) { p.Ends = "flagged" },
	func(p *planned) { p.Ends = "hang" },
	func(p *planned) { p.Ends = "deaf" },
	func(p *planned) { p.Ends = "deaf" },
	func(p *planned) { p.tool = "Nothing" },
	func(p *planned) { p.id = "0" }, // which another may have
	func(p *planned) { p.spelling = "cut" },
	func(p *planned) { p.spelling = "fenced" },
	func(p *planned) { p.spelling, p.Look, p.Writes = "fenced", true, nil },
	func(p *planned) { p.spelling, p.Look, p.Writes = "lost", true, nil },
	func(p *planned) { p.Valid = "no" },
	func(p *planned) { p.Rule = "deny" },
	func(p *planned) { p.Rule, p.Person = "ask", "yes" },
	func(p *planned) { p.Rule, p.Person = "ask", "no" },
	func(p *planned) { p.Rule, p.Person = "ask", "never" },
	func(p *planned) { p.Pre, p.Person = "ask", "yes" },
	func(p *planned) { p.Pre = "deny" },
	func(p *planned) { p.Pre = "error" },
	func(p *planned) { p.Pre = "panic" },
	func(p *planned) { p.Pre = "late" },
	func(p *planned) { p.Post = "replace" },
	func(p *planned) { p.Post = "error" },
	func(p *planned) { p.Post = "panic" },
	func(p *planned) { p.Post = "late" },
	func(p *planned) { p.Post = "block" },
}

// draw makes a random plan. Every other call has no quirk.
func draw(rnd *rand.Rand) (p plan) {
	for i := range 2 + rnd.IntN(7) {
		c := planned{action: drawAction(rnd), id: strconv.Itoa(i), tool: []string{"Do", "DoOrStop", "DoOrLeave"}[rnd.IntN(3)]}
		c.gap = time.Duration(rnd.IntN(15)) * time.Millisecond
		for rnd.IntN(2) == 0 {
			quirks[rnd.IntN(len(quirks))](&c)
		}
		c.action = c.settled()
		if rnd.IntN(8) == 0 && !*sendFar { // where no calls can be made from inside
			c = planned{id: c.id, tool: "Script", gap: c.gap}
			for range 1 + rnd.IntN(3) {
				in := planned{action: drawAction(rnd)}
				if rnd.IntN(3) == 0 {
					quirks[rnd.IntN(len(quirks))](&in)
				}
				if in.Ends == "deaf" { // its keys would only be in the way of later messages
					in.Ends = "hang"
				}
				c.Inner = append(c.Inner, in.settled().input())
			}
		}
		if len(p) > 0 && rnd.IntN(5) == 0 {
			c = repeated(&p[len(p)-1], c, rnd.IntN(4) > 0)
		}
		p = append(p, c)
	}
	return p
}

// repeated returns the call before once more, in the place of c. Look: both are read-only.
func repeated(before *planned, c planned, look bool) planned {
	if look && before.tool != "Script" {
		before.Look, before.Writes = true, nil
		before.action = before.settled()
	}
	again := *before
	again.id, again.gap = c.id, c.gap
	return again
}

func drawAction(rnd *rand.Rand) action {
	places := []string{"a", "a/b", "a/b/c", "d", "e"}
	pick := func() (ps []string) {
		for range rnd.IntN(3) {
			ps = append(ps, places[rnd.IntN(len(places))])
		}
		return ps
	}
	s := action{Reads: pick(), Writes: pick(), Tree: rnd.IntN(4) == 0, Class: rnd.IntN(3), Look: rnd.IntN(3) == 0, Ms: rnd.IntN(30)}
	if s.Look {
		s.Writes = nil
	}
	return s
}

// bubble plays f on a fake clock. Whatever goes wrong, a test says what was played:
// also if something is left that never ends, or a lock is never given back.
func bubble(t *testing.T, what func() string, f func(t *testing.T)) {
	t.Helper()
	watch := time.AfterFunc(2*time.Minute, func() {
		debug.SetTraceback("all")
		panic("it hangs: " + what())
	})
	defer watch.Stop()
	defer func() {
		if crash := recover(); crash != nil {
			t.Fatalf("%v\n%s\n%s", crash, what(), debug.Stack())
		}
		if t.Failed() {
			t.Log("it was: " + what())
		}
	}()
	synctest.Test(t, f)
}
