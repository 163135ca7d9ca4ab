// Package dialect knows the rules of each provider for the definition of a tool: for its
// name, its schema and the number of tools. It converts names and schemas that break them.
package dialect

// A Dialect is the subset of JSON Schema that a provider accepts in one member of a request.
type Dialect int

// The dialects, with the member of the request.
const (
	Anthropic       Dialect = iota // input_schema
	AnthropicStrict                // input_schema beside strict
	OpenAI                         // parameters
	OpenAIStrict                   // parameters beside strict
	GeminiSchema                   // parameters: a subset of OpenAPI 3.0
	GeminiJSON                     // parametersJsonSchema
)

// String returns the dialect's name.
func (d Dialect) String() string {
	switch d {
	case Anthropic:
		return "Anthropic"
	case AnthropicStrict:
		return "Anthropic strict"
	case OpenAI:
		return "OpenAI"
	case OpenAIStrict:
		return "OpenAI strict"
	case GeminiSchema:
		return "Gemini parameters"
	case GeminiJSON:
		return "Gemini parametersJsonSchema"
	default:
		return "unknown dialect"
	}
}

// NameRule returns the provider's rule for the names of tools. The maximum is the smallest of
// the provider's documented limits: 64 bytes for Anthropic and OpenAI, 63 for Gemini.
func (d Dialect) NameRule() NameRule {
	if d == GeminiSchema || d == GeminiJSON {
		return NameRule{Max: 63, Letter: true}
	}
	return NameRule{Max: 64}
}
