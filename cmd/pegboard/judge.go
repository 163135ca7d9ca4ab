package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// A judge says how calls would be decided. It starts nothing.
type judge struct {
	opened

	loaded *settings.Loaded
	place  *policy.Place
}

// newJudge returns a judge under loaded settings. The caller closes its session. It knows all
// tools, also those that need a model or a service, which are never called.
func newJudge(files settings.Files, loaded *settings.Loaded) (*judge, error) {
	here, err := policy.Dirs{Dir: files.Dir, Home: files.Home}.Place()
	if err != nil {
		return nil, err
	}
	o, err := open(builtin.Options{
		Files: files, Settings: asleep(loaded), Search: noSearch{},
		Loop: func(context.Context, *agents.Agent) (agents.Reply, error) { return agents.Reply{}, errAsleep },
	}, pegboard.SessionConfig{})
	if err != nil {
		return nil, err
	}
	return &judge{opened: o, loaded: loaded, place: here}, nil
}

var errAsleep = errors.New("nothing runs here")

// noSearch is a search engine that is never asked.
type noSearch struct{}

func (noSearch) Search(context.Context, web.Query) ([]web.Hit, error) { return nil, errAsleep }

// A judgement is the decision on one call.
type judgement struct {
	policy.Explanation

	tool policy.Tool
	call pegboard.Call
}

// judge decides a call of the tool with this name.
func (j *judge) judge(ctx context.Context, name string, words []string) (judgement, error) {
	if server, tool, ok := externalName(name); ok {
		return j.judgeExternal(ctx, server, tool, words)
	}
	pool := j.pool(ctx)
	tool, ok := pool.Lookup(name)
	c := pegboard.Call{ID: "1", Name: name}
	if !ok {
		x := pool.ExplainDecision(ctx, c)
		if x.Decision.Rule == nil {
			return judgement{}, j.noTool(pool, name)
		}
		return judgement{Explanation: x, tool: policy.Builtin(name), call: c}, nil // a rule denies all its calls
	}
	info := tool.Info()
	var err error
	if c.Input, err = inputOf(info.Name, words); err != nil {
		return judgement{}, err
	}
	if _, _, err := pool.Rebuild(c); err != nil { // the input is wrong
		return judgement{}, err
	}
	return judgement{Explanation: pool.ExplainDecision(ctx, c), tool: policy.Builtin(info.Name, info.Aliases...), call: c}, nil
}

// noTool says that there is no tool of this name.
func (j *judge) noTool(pool *pegboard.Pool, name string) error {
	for _, x := range pool.Excluded() {
		if x.Name == name {
			return errors.New(pool.Explain(name))
		}
	}
	var names []string
	for t := range pool.All() {
		names = append(names, t.Info().Name)
	}
	text := "there is no tool " + name
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		text += "; near names: " + strings.Join(near, ", ")
	}
	return errors.New(text)
}

// externalName splits the name of a tool of an MCP server.
func externalName(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, _ = strings.Cut(rest, "__")
	return server, tool, true
}

// judgeExternal decides a call of a tool of an MCP server, which is not asked what it says of its
// tools.
func (j *judge) judgeExternal(ctx context.Context, server, tool string, words []string) (judgement, error) {
	if tool == "" {
		return judgement{}, fmt.Errorf("write the tool, too, as in mcp__%s__TOOL", server)
	}
	input := json.RawMessage("{}")
	if len(words) > 0 {
		input = json.RawMessage(strings.Join(words, " "))
	}
	if !json.Valid(input) {
		return judgement{}, fmt.Errorf("the input of an MCP tool is written as JSON, and this is none: %s", input)
	}
	t := policy.External(server, tool)
	x := j.session.Permissions().Explain(ctx, policy.Request{
		Tool: t, Place: j.place, Input: input, Targets: []policy.Target{{Kind: policy.Resource, Value: "mcp:" + server}},
	})
	return judgement{Explanation: x, tool: t, call: pegboard.Call{Name: t.Name, Input: input}}, nil
}

// remedy returns the rules that would allow a call that is asked about, or "". The reason of a
// denial names them.
func (j *judge) remedy(v judgement) string {
	if !v.Decision.Open() || v.Decision.Behavior != policy.Ask {
		return ""
	}
	return j.session.Permissions().Remedy(j.request(v), nil)
}

// request returns what a call says to the permission engine.
func (j *judge) request(v judgement) policy.Request {
	return policy.Request{Tool: v.tool, Facts: v.Facts, Targets: v.Targets, Place: j.place, Input: v.call.Input}
}

// position returns the place of a rule in the files, or "".
func (j *judge) position(r *policy.Rule) string {
	if r == nil {
		return ""
	}
	at, ok := j.loaded.RulePosition(*r)
	if !ok {
		return ""
	}
	at.Path = inDir(j.session.Dir(), at.Path)
	return at.String()
}

// inputOf returns the input that words stand for: a JSON object, or the one value of a tool that
// people think of. The other values are made up.
func inputOf(tool string, words []string) (json.RawMessage, error) {
	text := strings.TrimSpace(strings.Join(words, " "))
	if strings.HasPrefix(text, "{") {
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("the input begins like JSON and is none: %s", text)
		}
		return json.RawMessage(text), nil
	}
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	value, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	members, ok := made()[tool]
	if !ok {
		return nil, fmt.Errorf("write the input of %s as a JSON object", tool)
	}
	return json.RawMessage("{" + strings.Replace(members, "VALUE", string(value), 1) + "}"), nil
}

// made returns the members of inputs, by the tool.
func made() map[string]string {
	return map[string]string{
		"Bash": `"command": VALUE`, "PowerShell": `"command": VALUE`,
		"Monitor": `"command": VALUE, "description": "-"`,
		"Read":    `"file_path": VALUE`, "Write": `"file_path": VALUE, "content": ""`,
		"Edit":         `"file_path": VALUE, "old_string": "a", "new_string": "b"`,
		"NotebookEdit": `"notebook_path": VALUE, "new_source": ""`,
		"Glob":         `"pattern": "*", "path": VALUE`, "Grep": `"pattern": "-", "path": VALUE`,
		"WebFetch": `"url": VALUE, "prompt": "-"`, "WebSearch": `"query": VALUE`,
		"Skill": `"skill": VALUE`, "Agent": `"subagent_type": VALUE, "description": "-", "prompt": "-"`,
	}
}
