package webtext

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is the maximum number of elements of a page that is parsed. An element takes about
// 150 bytes of memory.
const maxElements = 1 << 20

// formatting are the elements that a parser opens anew in each block while they are not closed, so
// that a short page can have many of them.
var formatting = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// barriers are the elements that hide formatting elements around them from the end tags in them.
var barriers = map[atom.Atom]bool{
	atom.Applet: true, atom.Object: true, atom.Marquee: true, atom.Template: true, atom.Td: true, atom.Th: true, atom.Caption: true,
}

// growsTooMuch reports whether a page would have more elements than [maxElements], including those
// that a parser adds. It counts more rather than fewer.
func growsTooMuch(ctx context.Context, page string) bool {
	z := html.NewTokenizer(untilReader{ctx, strings.NewReader(page)})
	elements, outside := 0, 0
	open := map[atom.Atom]int{}
	inside := 0 // the sum of open
	for elements <= maxElements {
		kind := z.Next()
		if kind == html.ErrorToken {
			return false
		}
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		raw, _ := z.TagName()
		tag := atom.Lookup(raw)
		if kind != html.EndTagToken {
			elements++
		}
		switch {
		case formatting[tag] && kind == html.EndTagToken:
			elements++ // a parser may split the elements around it
			if open[tag] > 0 {
				open[tag]--
				inside--
			}
		case formatting[tag]:
			open[tag]++
			inside++
		default:
			if barriers[tag] && inside > 0 {
				outside += inside
				inside = 0
				clear(open)
			}
			elements += min(outside+inside, 512)
		}
	}
	return true
}

// lines are the elements that begin a new line.
var lines = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Br: true, atom.Li: true, atom.Tr: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Section: true, atom.Article: true, atom.Blockquote: true, atom.Pre: true, atom.Table: true,
	atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Hr: true, atom.Main: true, atom.Header: true,
	atom.Figure: true, atom.Figcaption: true, atom.Address: true,
}

// unstructured returns the words of a page with line breaks where blocks begin and end, or anything
// if ctx ends.
func unstructured(ctx context.Context, page string) string {
	z := html.NewTokenizer(untilReader{ctx, strings.NewReader(page)})
	var b strings.Builder
	separator := ""
	var skipped atom.Atom
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if skipped == 0 {
				separator = writeWords(&b, inText.Replace(plain(string(z.Text()))), separator)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, _ := z.TagName()
			tag := atom.Lookup(raw)
			switch {
			case kind == html.EndTagToken && tag == skipped:
				skipped = 0
			case kind == html.StartTagToken && skipped == 0 && isRaw(tag):
				skipped = tag
			}
			switch {
			case lines[tag]:
				separator = "\n"
			case separator == "" && (tag == atom.Td || tag == atom.Th):
				separator = " "
			}
		}
	}
}

// inText encodes what begins an element, as the converter does.
var inText = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// isRaw reports whether a tokenizer reads an element up to its end tag as one text that is not
// shown.
func isRaw(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp:
		return true
	}
	return false
}

// writeWords writes the words of a text with single spaces, after a separator if it is not the
// first text, and returns the separator before the next.
func writeWords(b *strings.Builder, text, separator string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		if text != "" && separator == "" {
			return " "
		}
		return separator
	}
	if separator == "" && strings.TrimLeft(text[:1], " \t\r\n\f") == "" {
		separator = " "
	}
	for i, word := range words {
		if i > 0 {
			separator = " "
		}
		if b.Len() > 0 {
			b.WriteString(separator)
		}
		b.WriteString(word)
	}
	if strings.TrimRight(text[len(text)-1:], " \t\r\n\f") == "" {
		return " "
	}
	return ""
}
