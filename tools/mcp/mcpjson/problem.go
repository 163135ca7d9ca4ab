package mcpjson

// A Problem is something in a configuration that has no effect, or not the effect that its
// author expects. It holds no value of a variable, of env, of headers or of oauth.
type Problem struct {
	Server  string // the name of the server; "" if the problem is not about one
	Path    string // of the value, such as mcpServers.files.args[1]; "" for the whole text
	Text    string // the fault and its remedy
	Skipped bool   // the server was not loaded; with no Server: none was loaded
}

// String returns the path and the text.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Text
	}
	return p.Path + ": " + p.Text
}
