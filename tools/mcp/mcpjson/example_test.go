package mcpjson_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

func ExampleParse() {
	config := `{"mcpServers": {
		"files":  {"command": "node", "args": ["files.js", "${FOLDER:-/srv}"]},
		"issues": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${ISSUES_TOKEN}"}},
		"search": {"comand": "search-server"}
	}}`
	servers, problems := mcpjson.Parse([]byte(config), func(name string) (string, bool) { return "", false })
	for _, s := range servers {
		fmt.Println(s, s.Command, s.Args)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// files (stdio) node [files.js /srv]
	// mcpServers.issues.headers.Authorization: the variable ISSUES_TOKEN is not set; set it, or write ${ISSUES_TOKEN:-text} for a text that stands in
	// mcpServers.search.comand: the key is not known and has no effect; did you mean command?
	// mcpServers.search: there is neither a command nor a url; write "command": "PROGRAM" or "url": "https://HOST/mcp"
}
