// Package wire holds what the wires of all providers have in common. Each wire is
// a package below this one, of the same shape, so that a host changes its provider
// by changing an import. [Lint] says before a request is sent what a provider will
// refuse or weaken of a pool.
package wire

// A Provider is an API that takes tools.
type Provider int

// The providers that there is a wire for.
const (
	Anthropic       Provider = iota // Messages
	OpenAIChat                      // Chat Completions
	OpenAIResponses                 // Responses
	Gemini                          // generateContent
)

// String returns the provider's name.
func (p Provider) String() string {
	switch p {
	case Anthropic:
		return "Anthropic"
	case OpenAIChat:
		return "OpenAI Chat Completions"
	case OpenAIResponses:
		return "OpenAI Responses"
	case Gemini:
		return "Gemini"
	default:
		return "unknown provider"
	}
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

// A Choice says which tools the model may or must call in its next turn. The zero
// Choice leaves that to the model.
type Choice struct {
	Mode ChoiceMode
	// Tool is the one to call, by its name in the pool, if Mode is One.
	Tool string
	// Tools are the only ones that may be called, by their names in the pool, if Mode
	// is Auto or Required. Empty means all. Not every provider can say this: its wire
	// says what it makes of it.
	Tools []string
	// Sequential asks for no more than one call in a turn, where the provider can.
	Sequential bool
}

// A Problem is what a provider refuses or weakens of a tool.
type Problem struct {
	Tool    string // its name in the pool, empty if all tools are meant
	Reason  string // what the provider does not take, and what to change
	Omitted bool   // the tool cannot be sent at all
}

// String returns the problem on one line.
func (p Problem) String() string {
	if p.Tool == "" {
		return p.Reason
	}
	if p.Omitted {
		return p.Tool + " is left out: " + p.Reason
	}
	return p.Tool + ": " + p.Reason
}
