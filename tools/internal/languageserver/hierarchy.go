package languageserver

import "encoding/json"

// An Item is a function of a call hierarchy.
type Item struct {
	Name     string // at most 2,000 bytes
	Kind     string // such as "function"
	Detail   string // of the server, such as a package, or ""
	Location Location
}

// A Call is a function that calls another, or is called by it.
type Call struct {
	Item  Item
	Asked Item // the function asked about; a call of it may be in another file
	// Places are the calls: in the file of Item for an incoming call, in that of Asked for
	// an outgoing one.
	Places []Location
}

// A wireItem is a CallHierarchyItem of the protocol. The server gets raw back unchanged.
type wireItem struct {
	Name           string    `json:"name"`
	Kind           int       `json:"kind"`
	Detail         string    `json:"detail"`
	URI            string    `json:"uri"`
	SelectionRange wireRange `json:"selectionRange"`
	raw            json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *wireItem) UnmarshalJSON(data []byte) error {
	type plain wireItem
	i.raw = append(json.RawMessage(nil), data...)
	return json.Unmarshal(data, (*plain)(i))
}

// item converts an item.
func (c *converter) item(i wireItem) Item {
	return Item{
		Name: shorten(i.Name, maxStderr), Kind: kindName(i.Kind), Detail: shorten(i.Detail, maxStderr),
		Location: c.location(i.URI, i.SelectionRange),
	}
}

// A wireCall is a CallHierarchyIncomingCall or CallHierarchyOutgoingCall of the protocol.
type wireCall struct {
	From   *wireItem   `json:"from"`
	To     *wireItem   `json:"to"`
	Ranges []wireRange `json:"fromRanges"`
}

// calls converts the calls of the function asked.
func (c *converter) calls(found []wireCall, asked wireItem) []Call {
	var all []Call
	from := c.item(asked)
	for _, w := range found {
		other, uri := w.To, asked.URI
		if w.From != nil {
			other, uri = w.From, w.From.URI
		}
		if other == nil {
			continue
		}
		call := Call{Item: c.item(*other), Asked: from}
		for _, r := range w.Ranges {
			call.Places = append(call.Places, c.location(uri, r))
		}
		all = append(all, call)
	}
	return all
}
