package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text of a piece of HTML. What looks like a tag but is not an element of
// HTML, as in vector<int>, is text.
func plainText(fragment string) string {
	if !strings.ContainsAny(fragment, "<&") {
		return fragment
	}
	var b strings.Builder
	hidden := atom.Atom(0) // the element whose content is left out
	for z := html.NewTokenizer(strings.NewReader(fragment)); ; {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			if hidden == 0 {
				b.WriteString(html.UnescapeString(raw)) // a tag that does not end
			}
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				b.WriteString(html.UnescapeString(raw))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			element := atom.Lookup(name)
			switch {
			case element == hidden && hidden != 0:
				if kind == html.EndTagToken {
					hidden = 0
				}
			case hidden != 0:
			case element == 0:
				b.WriteString(raw)
			case kind == html.StartTagToken && (element == atom.Script || element == atom.Style):
				hidden = element
			case !isInline(element):
				b.WriteByte('\n')
			}
		}
	}
}

// isInline reports whether an element stands within a line of text.
func isInline(element atom.Atom) bool {
	switch element {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins,
		atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt,
		atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}
