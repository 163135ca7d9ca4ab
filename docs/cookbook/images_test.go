package cookbook_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type plotInput struct {
	Width int `json:"width" jsonschema:"minimum=1,maximum=10000"`
}

var plot = pegboard.Build(pegboard.Definition[plotInput, *pegboard.Result]{
	Info:        pegboard.Info{Name: "Plot"},
	Description: "Draws the load of the last day.",
	Traits:      pegboard.Traits{ReadOnly: true},
	Call: func(_ context.Context, in plotInput, _ *pegboard.Call) (*pegboard.Result, error) {
		var drawn bytes.Buffer
		err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, in.Width, 100)))
		return &pegboard.Result{Parts: []pegboard.Part{
			{Text: "The load by hours:"},
			{MIME: "image/png", Data: drawn.Bytes()},
		}}, err
	},
})

func Example_images() {
	for _, downscale := range []func(context.Context, pegboard.Part) (pegboard.Part, error){nil, files.Smaller} {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Limits: pegboard.ResultLimits{Downscale: downscale}})
		if err != nil {
			log.Fatal(err)
		}
		defer session.Close(context.Background())
		out := tooltest.Run(context.Background(), plot, session, `{"width": 3000}`)
		if part := out.Result.Parts[1]; part.MIME == "" {
			fmt.Println(part.Text[:96])
		} else {
			size, _, err := image.DecodeConfig(bytes.NewReader(part.Data))
			fmt.Println(part.MIME, size.Width, err)
		}
	}
	// Output:
	// (The image cannot be shown: it is 3000 by 100 pixels, and at most 2000 are allowed on each side.
	// image/png 1568 <nil>
}
