package notebook

import (
	"encoding/base64"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// output decodes one output. What is not as it should be is left out, since a
// bad output is no reason to hide the rest of a notebook.
func (n *Notebook) output(v jsonedit.Span) Output {
	all := n.doc.Members(v)
	out := Output{
		Kind:      n.doc.Text(jsonedit.Find(all, "output_type")),
		Name:      n.doc.Text(jsonedit.Find(all, "name")),
		Text:      n.text(jsonedit.Find(all, "text")),
		Ename:     n.doc.Text(jsonedit.Find(all, "ename")),
		Evalue:    n.text(jsonedit.Find(all, "evalue")),
		Traceback: n.texts(jsonedit.Find(all, "traceback")),
	}
	forms := n.doc.Members(jsonedit.Find(all, "data"))
	for _, form := range forms {
		out.Types = append(out.Types, form.Key)
		if image, ok := n.image(form); ok {
			out.Images = append(out.Images, image)
		}
	}
	if out.Text == "" {
		out.Text = n.readable(forms)
	}
	return out
}

// readable returns the form of the data that says most to a reader of text.
func (n *Notebook) readable(forms []jsonedit.Member) string {
	for _, mime := range []string{
		"text/plain", "text/markdown", "text/latex", "text/html", "application/json", "image/svg+xml",
	} {
		v := jsonedit.Find(forms, mime)
		if mime == "application/json" {
			if !v.Missing() {
				return n.doc.Raw(v)
			}
			continue
		}
		if text := n.text(v); text != "" {
			return text
		}
	}
	return ""
}

func (n *Notebook) image(form jsonedit.Member) (Image, bool) {
	switch form.Key {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return Image{}, false
	}
	// Lines may end in spaces, and writers differ about padding.
	encoded := strings.TrimRight(strings.Join(strings.Fields(n.text(form.Value)), ""), "=")
	data, err := base64.RawStdEncoding.DecodeString(encoded)
	return Image{MIME: form.Key, Data: data}, err == nil && len(data) > 0
}
