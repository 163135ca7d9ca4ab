package webtext

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of what one element may add to the Markdown.
const (
	maxNesting = 8     // quotes and lists within each other; each puts a prefix before each line
	maxHref    = 2_000 // bytes of an address; longer ones are tracking or data
	maxAlt     = 1_000 // bytes of an alternative text
)

// unread are the elements that hold no text for a reader.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true,
	atom.Head: true, atom.Title: true, atom.Input: true, atom.Textarea: true, atom.Select: true, atom.Datalist: true,
}

// around are the elements that serve the site rather than the page.
var around = map[atom.Atom]bool{
	atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Form: true, atom.Button: true, atom.Dialog: true,
}

// tidier changes a tree of elements so that its Markdown is short and has bounds.
type tidier struct {
	base       *url.URL
	everything bool // keep the parts around the page
	hrefs      int  // bytes that addresses may still have
	size       int  // bytes of text of the page
	last       byte // of the last text
}

// place is where an element stands.
type place struct {
	nesting int  // lists and quotes around it
	blocks  bool // in a table that cannot be one in Markdown
	cells   bool // in a table that is one in Markdown
	code    bool
}

// newTidier returns a tidier of a page with that many bytes.
func newTidier(doc *html.Node, base *url.URL, size int, everything bool) *tidier {
	t := &tidier{base: base, everything: everything, hrefs: 1<<20 + 4*size, size: textSize(doc)}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.Base || attribute(n, "href") == "" {
			continue
		}
		if u := t.resolve(attribute(n, "href")); u != nil && (u.Scheme == "http" || u.Scheme == "https") {
			t.base = u
		}
		break
	}
	return t
}

// children tidies the nodes in n, and joins texts that follow each other. The converter would take
// quadratic time for that.
func (t *tidier) children(n *html.Node, at place) {
	var texts []string
	var first *html.Node // with the texts
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		t.node(c, at)
		switch {
		case c.Parent == nil: // removed
		case c.Type != html.TextNode:
			join(first, texts)
			first, texts = nil, nil
		case first == nil:
			first, texts = c, append(texts, c.Data)
		default:
			texts = append(texts, c.Data)
			n.RemoveChild(c)
		}
		c = next
	}
	join(first, texts)
}

func join(n *html.Node, texts []string) {
	if n != nil {
		n.Data = strings.Join(texts, "")
	}
}

func (t *tidier) node(n *html.Node, at place) {
	switch n.Type {
	case html.TextNode:
		n.Data = t.text(n.Data, at)
	case html.ElementNode:
		if unread[n.DataAtom] || n.Data == "svg" || !t.everything && around[n.DataAtom] && !t.isPage(n) {
			n.Parent.RemoveChild(n)
			return
		}
		if n.DataAtom == atom.Img {
			n.Type, n.Data, n.DataAtom, n.Attr = html.TextNode, t.text(oneLine(cut(attribute(n, "alt"), maxAlt)), at), 0, nil
			return
		}
		t.children(n, t.element(n, at))
	default:
		n.Parent.RemoveChild(n)
	}
}

// text returns a text that makes neither links nor cells of its own. Other characters with a meaning
// in Markdown stay as they are, since a reader looks for the words of the page.
func (t *tidier) text(text string, at place) string {
	text = plain(text)
	if text == "" {
		return ""
	}
	if at.cells {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	if !at.code {
		starts := t.last == ']' && (text[0] == '(' || text[0] == ':')
		text = inLinks.Replace(text)
		if starts {
			text = `\` + text
		}
	}
	t.last = text[len(text)-1]
	return text
}

// inLinks encodes the characters that would make a link.
var inLinks = strings.NewReplacer("](", `]\(`, "]:", `]\:`)

// element tidies an element itself, and returns the place of its content.
func (t *tidier) element(n *html.Node, at place) place {
	switch n.DataAtom {
	case atom.A:
		t.link(n)
	case atom.Pre, atom.Code:
		at.code = true
		keepLanguage(n)
	case atom.Ul, atom.Ol, atom.Blockquote:
		if at.nesting++; at.nesting > maxNesting {
			rename(n, atom.Div)
		}
		n.Attr = keep(n.Attr, func(a html.Attribute) bool { return a.Key == "start" && len(a.Val) <= 6 })
	case atom.Table:
		if at.cells = fits(n); !at.cells {
			rename(n, atom.Div)
		}
		at.blocks = !at.cells
		n.Attr = nil
	case atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
		if at.blocks {
			rename(n, atom.Div)
		}
		n.Attr = keep(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" || a.Key == "align" })
	default:
		n.Attr = nil
	}
	return at
}

// isPage reports whether a form holds most of the text of the page, as some servers write it.
func (t *tidier) isPage(n *html.Node) bool {
	return n.DataAtom == atom.Form && textSize(n)*2 > t.size
}

// textSize returns the number of bytes of text in n that a reader sees.
func textSize(n *html.Node) int {
	size := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			size += len(strings.TrimSpace(c.Data))
		case c.Type == html.ElementNode && !unread[c.DataAtom]:
			size += textSize(c)
		}
	}
	return size
}

func keepLanguage(n *html.Node) {
	for _, class := range strings.Fields(attribute(n, "class")) {
		name, ok := strings.CutPrefix(class, "language-")
		if !ok {
			name, ok = strings.CutPrefix(class, "lang-")
		}
		if ok && len(name) <= 32 && !strings.ContainsFunc(name, func(c rune) bool {
			return c >= utf8.RuneSelf || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("+#-_.", c)
		}) {
			n.Attr = []html.Attribute{{Key: "class", Val: "language-" + name}}
			return
		}
	}
	n.Attr = nil
}

func rename(n *html.Node, to atom.Atom) { n.DataAtom, n.Data, n.Attr = to, to.String(), nil }

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func keep(attributes []html.Attribute, wanted func(html.Attribute) bool) []html.Attribute {
	var kept []html.Attribute
	for _, a := range attributes {
		if wanted(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// plain returns text without control characters but tabs and line ends, and without the private
// character that the converter uses as a mark.
func plain(text string) string {
	const mark = '\uF002'
	if strings.IndexFunc(text, func(c rune) bool { return unwanted(c) || c == mark }) < 0 {
		return text
	}
	return strings.Map(func(c rune) rune {
		if unwanted(c) || c == mark {
			return -1
		}
		return c
	}, text)
}

func unwanted(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c != '\u0085' && c >= 0x7F && unicode.IsControl(c)
}

// cut returns at most that many bytes from the beginning of text, in whole characters.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
