package genkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed49eaa51d/pegboard"
)

// FromTool returns a tool of genkit for a registry. Attach it, see [pegboard.Registry.Attach]: then
// its name, and the rules about it, are those of a source. Nothing is known of what it does: its
// calls run alone, and are asked about unless a rule allows them. Its error goes to the model as
// the result. An interrupt of genkit is such an error, too.
//
// The error is a *[pegboard.BuildError], or says that there is no tool.
func FromTool(t ai.Tool) (pegboard.Tool, error) {
	if t == nil {
		return nil, errors.New("genkit: no tool")
	}
	d := t.Definition()
	input := json.RawMessage(`{"type": "object"}`)
	if len(d.InputSchema) > 0 {
		var err error
		if input, err = json.Marshal(d.InputSchema); err != nil {
			return nil, fmt.Errorf("genkit: the schema of %s: %w", d.Name, err)
		}
	}
	return pegboard.BuildRaw(input, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: d.Name}, Description: d.Description,
		Traits: pegboard.Traits{Destructive: true, OpenWorld: true},
		Call: func(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			r, err := t.RunRawMultipart(ctx, in)
			if err != nil {
				return nil, err
			}
			return resultOf(r)
		},
	})
}

// resultOf returns what a tool of genkit has returned.
func resultOf(r *ai.MultipartToolResponse) (*pegboard.Result, error) {
	result := &pegboard.Result{Data: r.Output}
	switch out := r.Output.(type) {
	case nil:
	case string:
		result.Parts = append(result.Parts, pegboard.Part{Text: out})
	default:
		text, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("encode the output: %w", err)
		}
		result.Parts = append(result.Parts, pegboard.Part{Text: string(text)})
	}
	for _, p := range r.Content {
		result.Parts = append(result.Parts, partOf(p))
	}
	return result, nil
}

// partOf returns a part of genkit: bytes if it has them, and else its text, such as an address.
func partOf(p *ai.Part) pegboard.Part {
	head, data, ok := strings.Cut(p.Text, ";base64,")
	if mime, isData := strings.CutPrefix(head, "data:"); ok && isData && p.IsMedia() {
		if decoded, err := base64.StdEncoding.DecodeString(data); err == nil {
			return pegboard.Part{MIME: mime, Data: decoded}
		}
	}
	return pegboard.Part{Text: p.Text}
}
