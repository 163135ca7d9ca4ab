package wire

// A Provider is an API that takes tools.
type Provider int

// The providers that there is a [Codec] for.
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
