package notebook

import (
	"encoding/base64"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// exportOutput decodes one output. It leaves out invalid parts, so that an invalid
// output does not hide the rest of the notebook.
func (n *Notebook) exportOutput(v jsonedit.Span) Output {
	all := n.doc.Members(v)
	out := Output{
		Kind:      n.doc.Text(jsonedit.Find(all, "output_type")),
		Name:      n.doc.Text(jsonedit.Find(all, "name")),
		Text:      n.textOf(jsonedit.Find(all, "text")),
		Ename:     n.doc.Text(jsonedit.Find(all, "ename")),
		Evalue:    n.textOf(jsonedit.Find(all, "evalue")),
		Traceback: n.textsOf(jsonedit.Find(all, "traceback")),
	}
	forms := n.doc.Members(jsonedit.Find(all, "data"))
	for _, form := range forms {
		out.Types = append(out.Types, form.Key)
		if image, ok := n.exportImage(form); ok {
			out.Images = append(out.Images, image)
		}
	}
	if out.Text == "" {
		out.Text = n.bestText(forms)
	}
	return out
}

// bestText returns the form of the data that is most readable as text.
func (n *Notebook) bestText(forms []jsonedit.Member) string {
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
		if text := n.textOf(v); text != "" {
			return text
		}
	}
	return ""
}

func (n *Notebook) exportImage(form jsonedit.Member) (Image, bool) {
	switch form.Key {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return Image{}, false
	}
	// Lines may end with spaces, and some programs omit the padding.
	encoded := strings.TrimRight(strings.Join(strings.Fields(n.textOf(form.Value)), ""), "=")
	data, err := base64.RawStdEncoding.DecodeString(encoded)
	return Image{MIME: form.Key, Data: data}, err == nil && len(data) > 0
}
