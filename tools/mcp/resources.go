package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
)

// maxResources is how many resources of a server are listed.
const maxResources = 1000

// ListResourcesInput is the input of ListMcpResources.
type ListResourcesInput struct {
	Server string `json:"server,omitempty" jsonschema:"description=Name of the server; all servers if it is left out"`
}

// ReadResourceInput is the input of ReadMcpResource.
type ReadResourceInput struct {
	Server string `json:"server" jsonschema:"description=Name of the server"`
	URI    string `json:"uri" jsonschema:"description=URI of the resource"`
}

// A Resource is a resource of a server, or a template of the URIs of several.
type Resource struct {
	Server      string `json:"server"`
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"` // bytes, if the server says
}

// Tools returns the built-in tools ListMcpResources and ReadMcpResource for
// [pegboard.Registry.Add] and, if a server is not a process of this machine, McpAuth. The first
// two are offered if [pegboard.Gates].Resources is set; set it from the configuration and not from
// the connected servers, since the provider's prompt cache begins with the built-in tools.
func (m *Servers) Tools() []pegboard.Tool {
	tools := []pegboard.Tool{m.listTool(), m.readTool()}
	if slices.ContainsFunc(m.list, func(s *server) bool { return !s.local() }) { // only such servers have a login
		tools = append(tools, m.authTool())
	}
	return tools
}

func (m *Servers) listTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[ListResourcesInput, []Resource]{
		Info: pegboard.Info{
			Name: "ListMcpResources", Aliases: []string{"ListMcpResourcesTool"}, Title: "List MCP resources",
			Hint: "documents files records offered by MCP servers",
		},
		Description: "Lists the resources of the connected MCP servers, such as documents and records, and the templates for URIs of further ones. Each names its server. Read one with ReadMcpResource.",
		Inspect: func(in ListResourcesInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Kind: pegboard.KindList, Concurrency: pegboard.Shared, Targets: m.readTargets(in.Server)}
		},
		Call: func(ctx context.Context, in ListResourcesInput, _ *pegboard.Call) ([]Resource, error) {
			return m.resources(ctx, in.Server)
		},
		Result: func(all []Resource) *pegboard.Result {
			text, err := json.Marshal(all)
			if err != nil { // texts and numbers can always be written
				panic(err)
			}
			r := pegboard.TextResult(untrusted.Escape(string(text)))
			r.Data = all
			return r
		},
	})
}

func (m *Servers) readTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[ReadResourceInput, *pegboard.Result]{
		Info: pegboard.Info{
			Name: "ReadMcpResource", Aliases: []string{"ReadMcpResourceTool"}, Title: "Read MCP resource",
			Hint: "read a document or record of an MCP server by URI", MaxResult: maxResourceText,
		},
		Description: "Reads a resource of an MCP server by its URI, such as one that ListMcpResources or the result of a tool named. What is no text or image is stored in a file.",
		Inspect: func(in ReadResourceInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Kind: pegboard.KindRead, Concurrency: pegboard.Shared, Targets: m.readTargets(in.Server)}
		},
		Call: func(ctx context.Context, in ReadResourceInput, c *pegboard.Call) (*pegboard.Result, error) {
			one := m.find(in.Server)
			if one == nil {
				return nil, m.unknown(in.Server)
			}
			conn, err := one.connected()
			if err != nil {
				return nil, err
			}
			return conn.readResource(ctx, in.URI, content.ForCall(c, in.Server))
		},
	})
}

// maxResourceText is how many characters of a resource the model is shown, as of the result of
// a tool.
const maxResourceText = 100_000

// readTargets returns the targets of reading from a server, or from all.
func (m *Servers) readTargets(name string) []policy.Target {
	if name != "" {
		return []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "mcp:" + name}}
	}
	var targets []policy.Target
	for _, one := range m.list {
		targets = append(targets, m.readTargets(one.config.Name)...)
	}
	return targets
}

// resources lists the resources of a server, or of all that are connected. What keeps one of
// several servers from answering is no error.
func (m *Servers) resources(ctx context.Context, name string) (all []Resource, err error) {
	if name != "" && m.find(name) == nil {
		return nil, m.unknown(name)
	}
	all = []Resource{}
	var problems []error
	for _, one := range m.list {
		if name != "" && one.config.Name != name {
			continue
		}
		conn, err := one.connected()
		if err == nil {
			var own []Resource
			own, err = conn.resources(ctx)
			all = append(all, own...)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	if len(all) == 0 {
		return all, errors.Join(problems...)
	}
	return all, nil
}

// resources lists the resources and templates of the server.
func (c *connection) resources(ctx context.Context) ([]Resource, error) {
	if !c.hasResources() {
		return nil, nil
	}
	listed, err := c.pages(ctx, "resources", maxResources, func(ctx context.Context, meta mcp.Meta, cursor string) error {
		_, err := c.session.ListResources(ctx, &mcp.ListResourcesParams{Meta: meta, Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, err
	}
	all := c.readEntries(listed)
	templates, err := c.pages(ctx, "resourceTemplates", maxResources, func(ctx context.Context, meta mcp.Meta, cursor string) error {
		_, err := c.session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Meta: meta, Cursor: cursor})
		return err
	})
	if err == nil { // many servers have none, and refuse the question
		all = append(all, c.readEntries(templates)...)
	}
	return all, nil
}

// readEntries reads the entries of a list. One that is no object with a URI is left out.
func (c *connection) readEntries(l *list) (all []Resource) {
	for _, raw := range l.entries {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		r := Resource{Server: c.server.config.Name}
		for name, into := range map[string]any{
			"uri": &r.URI, "uriTemplate": &r.URITemplate, "name": &r.Name, "title": &r.Title,
			"description": &r.Description, "mimeType": &r.MIMEType, "size": &r.Size,
		} {
			_ = json.Unmarshal(members[name], into) // of a wrong type counts as missing
		}
		if r.URI != "" || r.URITemplate != "" {
			all = append(all, r)
		}
	}
	return all
}

// readResource reads a resource.
func (c *connection) readResource(ctx context.Context, uri string, d content.Decoder) (*pegboard.Result, error) {
	if strings.TrimSpace(uri) == "" {
		return nil, errors.New("uri is empty; ListMcpResources lists the URIs")
	}
	raw, err := c.request(ctx, func(ctx context.Context, meta mcp.Meta) error {
		_, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: uri})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", uri, err)
	}
	return d.Resource(ctx, raw)
}
