// Package mcpjson reads the configuration of MCP servers: the object mcpServers of a file
// such as .mcp.json. It opens no file and starts no server, and it needs no MCP library.
//
//	{
//	  "mcpServers": {
//	    "files":  {"command": "node", "args": ["files.js", "${HOME}/notes"]},
//	    "issues": {"type": "http", "url": "https://example.com/mcp",
//	               "headers": {"Authorization": "Bearer ${ISSUES_TOKEN}"}}
//	  }
//	}
//
// [Parse] returns the servers that can be started and a [Problem] for everything that it did
// not understand. A server with a problem does not keep the others from loading.
//
// # Keys
//
//	type           stdio, http (also streamable-http) or sse; left out: stdio with a command, http with a url
//	command        the program of a stdio server
//	args           its arguments, a list of strings
//	env            variables for it, in addition to those of the host; an object of strings
//	cwd            its folder; left out: the folder of the host's choice
//	url            the address of an http or sse server
//	headers        HTTP headers of each request, an object of strings
//	headersHelper  a shell command that prints more headers as a JSON object of strings
//	oauth          see OAuth
//	timeout        the limit of one call in milliseconds, at least 1,000
//	alwaysLoad     true: the model is given the definitions of the tools from the start
//
// A value of null is a key that was left out.
//
// # Variables
//
// ${NAME} stands for a variable and ${NAME:-text} has a text for the case that it is not
// set. A variable that is set to nothing is set. Both work in command, args, env, cwd, url,
// headers and the strings of oauth; the text of a variable is not looked through again.
// headersHelper is left to the shell.
package mcpjson
