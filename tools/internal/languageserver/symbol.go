package languageserver

import "encoding/json"

// A Symbol is a declaration.
type Symbol struct {
	Name      string // at most 2,000 bytes
	Kind      string // such as "function"
	Detail    string // of the server, such as a signature, or ""
	Container string // name of the enclosing declaration, or ""
	Location  Location
	Children  []Symbol // of a document symbol
}

// maxDepth limits how deep symbols are nested. Those below are left out.
const maxDepth = 64

// kinds are the names of the protocol's symbol kinds, which count from 1.
var kinds = []string{
	"file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
	"interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key",
	"null", "enum member", "struct", "event", "operator", "type parameter",
}

func kindName(kind int) string {
	if kind < 1 || kind > len(kinds) {
		return "symbol"
	}
	return kinds[kind-1]
}

// A wireSymbol is a DocumentSymbol, SymbolInformation or WorkspaceSymbol of the protocol.
type wireSymbol struct {
	Name           string          `json:"name"`
	Kind           int             `json:"kind"`
	Detail         string          `json:"detail"`
	ContainerName  string          `json:"containerName"`
	SelectionRange *wireRange      `json:"selectionRange"`
	Location       *wireLocation   `json:"location"`
	Children       json.RawMessage `json:"children"`
}

// symbols converts symbols of the document uri, or of any if it is "".
func (c *converter) symbols(found []wireSymbol, uri string, depth int) []Symbol {
	all := make([]Symbol, len(found))
	for i, s := range found {
		all[i] = Symbol{Name: shorten(s.Name, maxStderr), Kind: kindName(s.Kind), Detail: shorten(s.Detail, maxStderr), Container: shorten(s.ContainerName, maxStderr)}
		switch {
		case s.Location != nil:
			all[i].Location = c.location(s.Location.URI, s.Location.Range)
		case s.SelectionRange != nil:
			all[i].Location = c.location(uri, *s.SelectionRange)
		}
		var children []wireSymbol
		if depth < maxDepth && json.Unmarshal(s.Children, &children) == nil && len(children) > 0 {
			all[i].Children = c.symbols(children, uri, depth+1)
		}
	}
	return all
}
