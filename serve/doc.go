// Package serve offers a pool of tools to MCP clients.
package serve
