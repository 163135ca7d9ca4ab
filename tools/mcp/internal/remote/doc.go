// Package remote is the HTTP client for an MCP server that is reached over a network. The
// SDK's transports use it. It shows the messages to an exchange, limits their length, adds
// the headers of the configuration, and sends nothing to another host.
package remote
