package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/seed49eaa51d/pegboard"
)

// FromAgentTool returns a function of the SDK's agent sessions and its handler as a tool for
// [pegboard.Registry.Attach], which makes it external: nothing that it does is known, so each call
// runs alone and is asked about unless a rule allows it. The arguments are held against the
// function's parameters before the handler gets them. A function that cannot be used is a
// [pegboard.InvalidTool], which Attach reports.
//
// The numbers in its arguments are float64, as with the SDK.
func FromAgentTool(f sdk.AgentToolParamFunction, handle sdk.AgentToolHandler) pegboard.Tool {
	schema, err := json.Marshal(f.Parameters)
	if err != nil {
		return pegboard.InvalidTool(f.Name, err)
	}
	d := pegboard.Definition[json.RawMessage, *pegboard.Result]{Info: pegboard.Info{Name: f.Name}, Description: f.Description}
	if handle != nil {
		d.Call = func(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			var arguments map[string]any
			if err := json.Unmarshal(in, &arguments); err != nil {
				return nil, err
			}
			output, err := handle(ctx, arguments)
			if err != nil {
				return nil, err
			}
			return result(output)
		}
	}
	tool, err := pegboard.BuildRaw(schema, d)
	if err != nil {
		return pegboard.InvalidTool(f.Name, err)
	}
	return tool
}

// result returns the output of a handler. Its kinds are those that the SDK takes.
func result(output any) (*pegboard.Result, error) {
	switch output := output.(type) {
	case nil:
		return &pegboard.Result{}, nil
	case string:
		return pegboard.TextResult(output), nil
	case map[string]any:
		text, err := json.Marshal(output)
		return pegboard.TextResult(string(text)), err
	case []sdk.InputContentParamUnion:
		r := &pegboard.Result{}
		for _, c := range output {
			r.Parts = append(r.Parts, part(c))
		}
		return r, nil
	}
	return nil, fmt.Errorf("the handler returned a %T; want a string, map[string]any, []InputContentParamUnion or nil", output)
}

// part returns a piece of an output. An image with an address stays an address.
func part(c sdk.InputContentParamUnion) pegboard.Part {
	if c.OfParamInputText != nil {
		return pegboard.Part{Text: c.OfParamInputText.Text}
	}
	if c.OfParamInputImage != nil {
		url := c.OfParamInputImage.ImageURL
		kind, encoded, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
		if data, err := base64.StdEncoding.DecodeString(encoded); ok && err == nil {
			return pegboard.Part{MIME: kind, Data: data}
		}
		return pegboard.Part{Text: url}
	}
	text, _ := json.Marshal(c) // what cannot be encoded has no text
	return pegboard.Part{Text: string(text)}
}
