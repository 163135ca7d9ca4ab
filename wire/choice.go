package wire

// A Choice says which tools the model may or must call in its next turn. The zero
// Choice leaves that to the model.
type Choice struct {
	Mode ChoiceMode
	// Tool is the one to call, by its name in the pool, if Mode is One.
	Tool string
	// Tools are the only ones that may be called, by their names in the pool, if Mode
	// is Auto or Required. Empty means all. Not every provider can say this: the
	// Choice method of its Codec documents the closest form.
	Tools []string
	// Sequential asks for at most one call in a turn, where the provider can.
	Sequential bool
}

// A ChoiceMode says whether the model calls tools in its next turn.
type ChoiceMode int

// The modes that every provider has.
const (
	Auto     ChoiceMode = iota // the model decides
	Required                   // it must call a tool
	None                       // it must not
	One                        // it must call Choice.Tool
)
