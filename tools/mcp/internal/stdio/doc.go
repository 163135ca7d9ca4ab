// Package stdio connects to an MCP server that is a child process: one message a line on
// its standard input and output.
package stdio
