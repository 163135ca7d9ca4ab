package serve_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// suitePool makes the pools of the tools that the conformance suite calls, by the names that it
// calls them.
type suitePool struct {
	server   *serve.Server
	registry pegboard.Registry
	changes  atomic.Int64
}

// suiteServer returns a server of the tools of the conformance suite. Every call is allowed
// by a rule.
func suiteServer() (*serve.Server, error) {
	p := new(suitePool)
	if err := p.registry.Add(p.tools()...); err != nil {
		return nil, err
	}
	s, err := serve.New(serve.Options{Name: "pegboard-conformance", Version: "1.0.0", Open: p.open})
	p.server = s
	return s, err
}

func (p *suitePool) open(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
	var all []string
	for _, t := range p.tools() {
		all = append(all, t.Info().Name)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceSession, Allow: all})
	if err != nil {
		return nil, nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Ask: p.server.Ask, Elicit: p.server.Elicit})
	if err != nil {
		return nil, nil, err
	}
	return session, func() *pegboard.Pool { return p.registry.AssemblePool(session, pegboard.PoolConfig{}) }, nil
}

// simple returns a tool without arguments that returns parts.
func simple(name, about string, call func(ctx context.Context, c *pegboard.Call) ([]pegboard.Part, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: name}, Description: about, Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			parts, err := call(ctx, c)
			return &pegboard.Result{Parts: parts}, err
		},
	})
}

// constant returns a tool that always returns the same.
func constant(name string, parts ...pegboard.Part) pegboard.Tool {
	return simple(name, "Returns a constant.", func(context.Context, *pegboard.Call) ([]pegboard.Part, error) { return parts, nil })
}

// onePixel is a PNG image, silence a WAV file without samples.
func onePixel() pegboard.Part {
	return pegboard.Part{MIME: "image/png", Data: decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")}
}

func silence() pegboard.Part {
	return pegboard.Part{MIME: "audio/wav", Data: decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")}
}

func decoded(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// asking returns a tool that shows forms, one after the other, and tells what came back.
func asking(name string, forms ...pegboard.Elicitation) pegboard.Tool {
	return simple(name, "Asks for values.", func(ctx context.Context, c *pegboard.Call) ([]pegboard.Part, error) {
		var parts []pegboard.Part
		for _, f := range forms {
			filled, err := c.Session().Elicit(ctx, f)
			if err != nil {
				return nil, err
			}
			parts = append(parts, pegboard.Part{Text: fmt.Sprintf("state-ok: %s %s", filled.Action, filled.Content)})
		}
		return parts, nil
	})
}

func form(from, message, schema string) pegboard.Elicitation {
	return pegboard.Elicitation{From: from, Message: message, Schema: json.RawMessage(schema)}
}

const (
	nameSchema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	okSchema   = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
)

func (p *suitePool) tools() []pegboard.Tool {
	document := pegboard.Part{Title: "test://embedded-resource", MIME: "text/plain", Text: "This is an embedded resource"}
	tools := []pegboard.Tool{
		constant("test_simple_text", pegboard.Part{Text: "This is a simple text response for testing."}),
		constant("test_image_content", onePixel()),
		constant("test_audio_content", silence()),
		constant("test_embedded_resource", document),
		constant("test_multiple_content_types", pegboard.Part{Text: "Text beside others"}, onePixel(), document),
		constant("test_streaming_elicitation", pegboard.Part{Text: "Only the result."}),
		simple("test_error_handling", "Fails.", func(context.Context, *pegboard.Call) ([]pegboard.Part, error) {
			return nil, errors.New("this tool always fails")
		}),
		simple("test_tool_with_progress", "Reports progress.", reportProgress),
		simple("test_reconnection", "Takes a while.", func(context.Context, *pegboard.Call) ([]pegboard.Part, error) {
			time.Sleep(100 * time.Millisecond)
			return []pegboard.Part{{Text: "Done."}}, nil
		}),
		simple("test_trigger_tool_change", "Changes the tools.", p.change),
		asking("test_elicitation_sep1034_defaults", form("form", "Please check the defaults", defaultsSchema)),
		asking("test_elicitation_sep1330_enums", form("form", "Please choose", enumsSchema)),
		asking("test_input_required_result_elicitation", form("user_name", "What is your name?", nameSchema)),
		asking("test_input_required_result_capabilities", form("user_name", "What is your name?", nameSchema)),
		asking("test_input_required_result_request_state", form("confirm", "Please confirm", okSchema)),
		asking("test_input_required_result_tampered_state", form("confirm", "Please confirm", okSchema)),
		asking("test_input_required_result_multi_round", form("step1", "Step 1: What is your name?", nameSchema),
			form("step2", "Step 2: What is your favorite color?", `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`)),
		pegboard.Build(pegboard.Definition[struct {
			Message string `json:"message"`
		}, string]{
			Info: pegboard.Info{Name: "test_elicitation"}, Description: "Asks the user.",
			Call: func(ctx context.Context, in struct {
				Message string `json:"message"`
			}, c *pegboard.Call,
			) (string, error) {
				filled, err := c.Session().Elicit(ctx, form("form", in.Message,
					`{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}`))
				return fmt.Sprintf("User response: %s %s", filled.Action, filled.Content), err
			},
		}),
	}
	for name, schema := range map[string]string{"json_schema_2020_12_tool": draft2020Schema, "test_x_mcp_header": headerSchema} {
		tool, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: "Repeats its input.",
			Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
				return pegboard.TextResult(string(in)), nil
			},
		})
		if err != nil {
			panic(err)
		}
		tools = append(tools, tool)
	}
	return tools
}

func reportProgress(_ context.Context, c *pegboard.Call) ([]pegboard.Part, error) {
	for _, n := range []float64{0, 50, 100} {
		c.EmitData(fmt.Sprintf("%.0f of 100", n), map[string]float64{"progress": n, "total": 100})
		time.Sleep(50 * time.Millisecond)
	}
	return []pegboard.Part{{Text: "Done."}}, nil
}

// change adds a tool and tells the clients.
func (p *suitePool) change(context.Context, *pegboard.Call) ([]pegboard.Part, error) {
	name := fmt.Sprintf("added_%d", p.changes.Add(1))
	if err := p.registry.Add(constant(name)); err != nil {
		return nil, err
	}
	p.server.Refresh()
	return []pegboard.Part{{Text: "There is one tool more."}}, nil
}

const (
	defaultsSchema = `{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},
		"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}}}`
	enumsSchema = `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`
	draft2020Schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`
	headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`
)
