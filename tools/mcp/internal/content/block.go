package content

import (
	"encoding/json"
	"slices"
)

// A block is one piece of content. Its zero members mean that it is no object.
type block struct {
	members
	kind string
	json []byte
}

func blockOf(raw []byte) block {
	b := block{members: membersOf(raw), json: raw}
	b.kind, _ = b.text("type")
	return b
}

// isForUser reports whether a block is for the user and not for the model.
func (b block) isForUser() bool {
	var audience []string
	raw := b.object("annotations").value("audience")
	return len(raw) > 0 && json.Unmarshal(raw, &audience) == nil && len(audience) > 0 &&
		!slices.ContainsFunc(audience, func(who string) bool { return who != "user" })
}
