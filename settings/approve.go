package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Approve writes into the local file that the user has approved or declined an MCP server of
// .mcp.json: into enabledMcpjsonServers or disabledMcpjsonServers. The server is taken out of
// the other list. All that Save says of files and errors holds for Approve, too.
//
// The approval does not count if another file declines the server, or if the local file is
// part of a project that is not trusted.
func (f Files) Approve(ctx context.Context, server string, on bool) error {
	if server == "" || !utf8.ValidString(server) || strings.ContainsRune(server, 0) {
		return fmt.Errorf("%q is no name of an MCP server", server)
	}
	if f.Local == "" {
		return errors.New("there is no local file to save the approval in")
	}
	a, err := f.anchors(policy.SourceLocal)
	if err != nil {
		return err
	}
	return f.saveAll(ctx, []*editor{{
		path: f.Local, source: policy.SourceLocal, anchors: a, saves: f.saves,
		approvals: []approval{{server: server, on: on}},
	}})
}

// An approval is the user's answer about an MCP server.
type approval struct {
	server string
	on     bool
}

// apply returns the text of a document with the approval.
func (a approval) apply(doc *jsonedit.Document) ([]byte, error) {
	to, from := enabledServersKey, disabledServersKey
	if !a.on {
		to, from = from, to
	}
	if key, twice := jsonedit.Repeated(doc.Top(), to, from); twice {
		return nil, fmt.Errorf("the key %q is there twice; write it once", key)
	}
	same := func(there, given string) bool { return there == given }
	text, err := editList(doc, policy.RemoveRules, []string{from}, []string{a.server}, same)
	if err != nil {
		return nil, err
	}
	if doc, err = jsonedit.Parse(text); err != nil {
		return nil, err
	}
	doc.Indent = "  "
	return editList(doc, policy.AddRules, []string{to}, []string{a.server}, same)
}
