package webtext

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inMarkdown encodes the characters that would end an address in Markdown.
var inMarkdown = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "[", "%5B", "]", "%5D", "<", "%3C", ">", "%3E", `\`, "%5C", "`", "%60", "|", "%7C", "*", "%2A")

// link leaves an element as a link with nothing but an absolute address, or as its text. An address
// in the page itself is left out, since it leads nowhere that the reader is not.
func (t *tidier) link(n *html.Node) {
	href := t.address(attribute(n, "href"))
	if href == "" || len(href) > maxHref || len(href) > t.hrefs || withinLink(n) {
		rename(n, atom.Span)
		return
	}
	t.hrefs -= len(href)
	n.Attr = []html.Attribute{{Key: "href", Val: href}}
}

// withinLink reports whether an element stands in a link, which Markdown cannot have.
func withinLink(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// address returns an absolute address that may stand in Markdown, or "" for one that is not kept.
func (t *tidier) address(href string) string {
	if len(href) > maxHref {
		return ""
	}
	u := t.resolve(href)
	if u == nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" || u.User != nil {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	if strings.HasPrefix(strings.TrimSpace(href), "#") {
		return ""
	}
	return inMarkdown.Replace(u.String())
}

// withoutLines removes the characters that a browser ignores in an address.
var withoutLines = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// resolve returns the address that a browser would read, or nil.
func (t *tidier) resolve(href string) *url.URL {
	href = strings.TrimFunc(href, func(c rune) bool { return c <= ' ' })
	href = withoutLines.Replace(href)
	if href == "" {
		return nil
	}
	u, err := url.Parse(href)
	if err != nil {
		return nil
	}
	if t.base != nil {
		u = t.base.ResolveReference(u)
	}
	return u
}
