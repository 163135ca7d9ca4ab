package webtext

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// ErrNoText is returned by [Document.Markdown] for images and other bodies.
var ErrNoText = errors.New("the document has no text")

// Markdown returns an HTML page as Markdown, and another text as [Document.Text] does. Links are
// absolute: they are resolved by base, which may be nil, and by the page's own base. Only links to
// http, https and mailto addresses are kept, images are replaced by their alternative text, and
// what serves the site rather than the page is left out: navigation, footers, forms, scripts. A
// page that has nothing else keeps its navigation, footers and forms. A page that nests too deeply,
// or that would grow too much, is returned as text without its structure.
//
// Markdown returns context.Cause(ctx) once ctx ends. The conversion may then run on for as long as
// its page takes, on a goroutine that nothing waits for.
func (d Document) Markdown(ctx context.Context, base *url.URL) (string, error) {
	switch d.Kind {
	case Text:
		return d.text, nil
	case HTML:
	default:
		return "", ErrNoText
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var markdown string
	done := goroutine.Go(func() { markdown = convert(ctx, d.text, base) })
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case err := <-done:
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil { // the conversion panicked; the words of the page are an answer
			markdown = unstructured(ctx, d.text)
		}
		return markdown, nil
	}
}

// convert returns a page as Markdown, or anything if ctx ends.
func convert(ctx context.Context, page string, base *url.URL) string {
	if growsTooMuch(ctx, page) {
		return unstructured(ctx, page)
	}
	var markdown string
	for _, everything := range []bool{false, true} {
		doc, err := html.ParseWithOptions(untilReader{ctx, strings.NewReader(page)}, html.ParseOptionEnableScripting(false))
		if err != nil { // it nests too deeply
			return unstructured(ctx, page)
		}
		t := newTidier(doc, base, len(page), everything)
		t.children(doc, place{})
		var converted []byte
		failed := goroutine.Try(func() error {
			converted, err = newConverter(ctx).ConvertNode(doc)
			return err
		})
		if failed != nil {
			return unstructured(ctx, page)
		}
		if markdown = string(converted); markdown != "" || ctx.Err() != nil {
			break
		}
	}
	return markdown
}

// newConverter returns a converter for one page. A converter sorts its tables while it reads them,
// so that conversions must not share one.
func newConverter(ctx context.Context) *converter.Converter {
	// The time that the converter takes to escape a text can be quadratic.
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		// Aligned cells would have the length of the longest one in each row.
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithHeaderPromotion(true)),
	))
	c.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess // nothing of the element
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly)
	c.Register.RendererFor("a", converter.TagTypeInline, renderLink, converter.PriorityEarly+1)
	for i, name := range []string{"h1", "h2", "h3", "h4", "h5", "h6"} {
		c.Register.RendererFor(name, converter.TagTypeBlock, headingRenderer(i+1), converter.PriorityEarly+1)
	}
	return c
}

// headingRenderer returns a renderer of headings. That of the converter relies on escaped text.
func headingRenderer(level int) converter.HandleRenderFunc {
	return func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		var inner bytes.Buffer
		ctx.RenderChildNodes(ctx, &inner, n)
		if text := strings.Join(strings.Fields(inner.String()), " "); text != "" {
			_, _ = w.WriteString("\n\n" + strings.Repeat("#", level) + " " + text + "\n\n")
		}
		return converter.RenderSuccess
	}
}

// renderLink writes an element that [tidier.link] left as a link. The converter's own renderer
// would encode the query of the address anew.
func renderLink(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var inner bytes.Buffer
	ctx.RenderChildNodes(ctx, &inner, n)
	text := strings.Join(strings.Fields(inner.String()), " ")
	if text == "" {
		return converter.RenderSuccess
	}
	before, after := "", ""
	if raw := inner.String(); raw[0] == ' ' {
		before = " "
	}
	if raw := inner.String(); raw[len(raw)-1] == ' ' {
		after = " "
	}
	for _, part := range []string{before, "[", text, "](", n.Attr[0].Val, ")", after} {
		_, _ = w.WriteString(part)
	}
	return converter.RenderSuccess
}

// untilReader reads until ctx ends.
type untilReader struct {
	ctx context.Context //nolint:containedctx // a Read has no context of its own
	r   io.Reader
}

// Read implements io.Reader.
func (u untilReader) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
