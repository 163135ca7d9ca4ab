package pegboard

import (
	"fmt"
	"strings"
)

// A View is what a user interface shows of a call: plain data, made by [Call.View] and,
// when the call has ended, by [Outcome.View]. What a person sees may differ from what the
// model gets.
//
// Title, Before, While and After are as [OneLine] makes them, and Title, Before and While
// are never empty. They may contain words of the model or of a server: escape them for the
// medium, such as HTML. They are headlines and may be cut: a person who is asked about a
// call needs the targets and the reason of the [Question] in full, too.
type View struct {
	Title  string   `json:"title"`  // of the tool; of an external one with its source
	Kind   CallKind `json:"kind"`   // for a symbol
	Folds  bool     `json:"folds"`  // neighbouring calls that fold may be shown as one line, see [FoldedLine]
	Before string   `json:"before"` // what the call would do, such as "Read main.go"
	While  string   `json:"while"`  // what it does, such as "Reading main.go"

	// The rest is set by Outcome.View only.

	After  string `json:"after,omitempty"` // what came of it, such as "Read 120 lines" or "Denied: …"
	Failed bool   `json:"failed,omitempty"`
	Diffs  []Diff `json:"diffs,omitempty"` // of the files that the call changed
	// SearchText is what a search in the conversation should find the result by. It has
	// several lines, and its characters are as the tool returned them.
	SearchText string `json:"searchText,omitempty"`
}

// Lines are what a tool says of a call to a person. Each field may be empty: [Call.View]
// then derives it from the title, the kind and the targets of the call. A line that has
// line breaks or is too long is changed as by [OneLine].
type Lines struct {
	Title  string // instead of Info.Title, if this call deserves another one
	Before string // what the call would do, such as "Read main.go"
	While  string // what it does, such as "Reading main.go"
}

// FoldedLine returns one line for calls that are folded: how many of each kind there are,
// such as "3 reads, 1 search"; for one call its Before, and for none "".
func FoldedLine(views ...View) string {
	if len(views) == 1 {
		return views[0].Before
	}
	var order []CallKind
	count := map[CallKind]int{}
	for _, v := range views {
		kind := v.Kind.known()
		if count[kind]++; count[kind] == 1 {
			order = append(order, kind)
		}
	}
	var counts []string
	for _, kind := range order {
		noun := callKinds[kind].many
		if count[kind] == 1 {
			noun = callKinds[kind].one
		}
		counts = append(counts, fmt.Sprintf("%d %s", count[kind], noun))
	}
	return strings.Join(counts, ", ")
}
