package anthropic

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/seed49eaa51d/pegboard"
)

// FromBetaTools returns tools of the SDK for [pegboard.Registry.Attach], which makes them external:
// nothing that they do is known, so each call runs alone and is asked about unless a rule allows it.
// The input is held against the tool's schema before the tool gets it. A tool that cannot be used is a
// [pegboard.InvalidTool], which Attach reports.
//
// Texts, images and documents that are in a result become parts of the same kind; any other block
// becomes its JSON.
func FromBetaTools(tools ...sdk.BetaTool) []pegboard.Tool {
	all := make([]pegboard.Tool, len(tools))
	for i, t := range tools {
		all[i] = fromBetaTool(t)
	}
	return all
}

func fromBetaTool(t sdk.BetaTool) pegboard.Tool {
	if t == nil {
		return pegboard.InvalidTool("tool", errors.New("it is nil"))
	}
	schema, err := json.Marshal(t.InputSchema())
	if err != nil {
		return pegboard.InvalidTool(t.Name(), err)
	}
	tool, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: t.Name()},
		Description: t.Description(),
		Call: func(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			blocks, err := t.Execute(ctx, in)
			if err != nil {
				return nil, err
			}
			r := &pegboard.Result{}
			for _, b := range blocks {
				r.Parts = append(r.Parts, part(b))
			}
			return r, nil
		},
	})
	if err != nil {
		return pegboard.InvalidTool(t.Name(), err)
	}
	return tool
}

// part returns a block of a result as a part.
func part(b sdk.BetaToolResultBlockParamContentUnion) (p pegboard.Part) {
	var encoded string
	switch {
	case b.OfText != nil:
		return pegboard.Part{Text: b.OfText.Text}
	case b.OfImage != nil && b.OfImage.Source.OfBase64 != nil:
		p.MIME, encoded = string(b.OfImage.Source.OfBase64.MediaType), b.OfImage.Source.OfBase64.Data
	case b.OfDocument != nil && b.OfDocument.Source.OfBase64 != nil:
		p.MIME, p.Title, encoded = "application/pdf", b.OfDocument.Title.Value, b.OfDocument.Source.OfBase64.Data
	case b.OfDocument != nil && b.OfDocument.Source.OfText != nil:
		return pegboard.Part{MIME: "text/plain", Title: b.OfDocument.Title.Value, Text: b.OfDocument.Source.OfText.Data}
	}
	var err error
	if p.Data, err = base64.StdEncoding.DecodeString(encoded); err != nil || len(p.Data) == 0 {
		text, _ := json.Marshal(b) // what cannot be encoded has no text
		return pegboard.Part{Text: string(text)}
	}
	return p
}
