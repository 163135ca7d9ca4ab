package rank

// A Document is one entry of an index, such as a tool.
type Document struct {
	Name        string // words in snake_case, camelCase or with dots
	Hint        string // read as a part of the description
	Description string
	Parameters  []Parameter // of the input schema, at any depth
}

// A Parameter is one property of an input schema. The description may contain the values
// that the schema allows.
type Parameter struct{ Name, Description string }
