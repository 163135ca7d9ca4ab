package pattern

import (
	"errors"
	"strings"
)

// Name reports whether glob, in which a star stands for any run of characters, matches name.
func Name(glob, name string) bool {
	head, glob, starred := strings.Cut(glob, "*")
	rest, ok := strings.CutPrefix(name, head)
	if !ok || !starred {
		return ok && rest == ""
	}
	for {
		part, after, more := strings.Cut(glob, "*")
		if !more {
			return strings.HasSuffix(rest, part)
		}
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
		glob = after
	}
}

// serverPrefix begins the name of every tool of an MCP server.
const serverPrefix = "mcp__"

// CheckTool returns an error if tool cannot be the tool of a rule. In an allow rule a star
// must come after "mcp__", the name of a server without stars, and "__". Claude Code skips
// any other such rule, so that it approves nothing. In deny and ask rules a star may be
// anywhere.
func CheckTool(tool string, allow bool) error {
	switch {
	case tool == "":
		return errors.New("the tool's name is missing")
	case strings.ContainsAny(tool, "?[]"):
		return errors.New(`only "*" is a wildcard in a tool's name`)
	case allow && strings.Contains(tool, "*") && !literalServer(tool):
		return errors.New(`an allow rule approves nothing if its tool has a "*" that does not come after mcp__<server>__; name the tools, or the server`)
	}
	return nil
}

// literalServer reports whether the first star of tool comes after the whole name of a
// server.
func literalServer(tool string) bool {
	head, _, _ := strings.Cut(tool, "*")
	rest, ok := strings.CutPrefix(head, serverPrefix)
	server, _, ended := strings.Cut(rest, "__")
	return ok && ended && server != ""
}

// NameMatches reports whether the tool of a rule, which may contain stars, matches name.
// server is of the form "mcp__github", or empty for a tool without a server. The star of an
// allow rule only matches tools of the server that is spelled out before it, since a name
// does not tell its server.
func NameMatches(glob, name, server string, allow bool) bool {
	if !strings.Contains(glob, "*") {
		return glob == name || server != "" && glob == server
	}
	if !Name(glob, name) {
		return false
	}
	head, _, _ := strings.Cut(glob, "*")
	return !allow || server != "" && literalServer(glob) && strings.HasPrefix(head, server+"__")
}
