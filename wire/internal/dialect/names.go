package dialect

// Names maps the names of a pool's tools to names that a provider accepts, and back. The zero
// value maps each name to itself. Names is immutable.
type Names struct { // the maps hold only names that change
	toAPI  map[string]string
	toTool map[string]string
}

// API returns the name of a tool in requests.
func (n Names) API(tool string) string {
	if name, ok := n.toAPI[tool]; ok {
		return name
	}
	return tool
}

// Tool returns the tool with that name in requests.
func (n Names) Tool(api string) string {
	if name, ok := n.toTool[api]; ok {
		return name
	}
	return api
}
